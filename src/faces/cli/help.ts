/** Prints help from the command table. */

import { wrapWords } from '../../kernel/wrap-words.ts';
import { GLOBAL_FLAGS } from './args.ts';
import type { CommandSpec, Flag } from './command.ts';
import { COMMANDS } from './table.ts';

/** `columns`: the width of the terminal; a file has none. */
export function overview(columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const rows = COMMANDS.map((command) => row(command.name.padEnd(width), command.summary, columns));
  return [
    wrapWords('supervisor: lets AI coding CLIs work on a repository in small, checked, resumable steps.', columns),
    '',
    wrapWords('usage: supervisor <command> [arguments] [--json] [--project DIR] [--help]', columns, 7),
    '',
    ...rows,
    '',
    wrapWords('First steps: supervisor demo, supervisor doctor, supervisor run --help', columns, 13),
    wrapWords(
      'Exit codes: 0 done, 1 failed or rejected, 2 bad usage or config, 3 waiting for a person, 4 escalated or halted, 5 environment not ready, 130 interrupted',
      Math.min(columns, 115),
      12,
    ),
  ].join('\n');
}

export function commandHelp(spec: CommandSpec, columns = Number.POSITIVE_INFINITY): string {
  const args = spec.args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`)).join(' ');
  const flags = { ...spec.flags, ...GLOBAL_FLAGS };
  const names = Object.entries(flags).map(([name, flag]) => ({ text: flagText(name, flag), help: flag.help }));
  const width = Math.max(...names.map((one) => one.text.length));
  return [
    wrapWords(`supervisor ${spec.name}: ${spec.summary}`, columns),
    '',
    `usage: supervisor ${spec.name}${args === '' ? '' : ` ${args}`} [flags]`,
    '',
    ...names.map((one) => row(one.text.padEnd(width), one.help, columns)),
    ...(spec.notes === undefined ? [] : ['', wrapWords(spec.notes, columns)]),
    '',
    ...spec.examples.map((example) => `  $ ${example}`),
  ].join('\n');
}

/** Two columns, or one below the other if the terminal is too narrow. */
function row(name: string, help: string, columns: number): string {
  if (name.length > columns / 2) return `  ${name.trimEnd()}\n${wrapWords(`      ${help}`, columns, 6)}`;
  return wrapWords(`  ${name}  ${help}`, columns, name.length + 4);
}

function flagText(name: string, flag: Flag): string {
  const names = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`;
  return flag.type === 'boolean' ? names : `${names} ${flag.value ?? 'TEXT'}`;
}
