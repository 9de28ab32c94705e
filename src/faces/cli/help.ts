/** Help, made from the command table. */
import { GLOBAL_FLAGS } from './args.ts';
import type { CommandSpec, Flag } from './command.ts';
import { COMMANDS } from './table.ts';

export function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const rows = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    'supervisor: lets AI coding CLIs work on a repository in small, checked, resumable steps.',
    '',
    'usage: supervisor <command> [arguments] [--json] [--project DIR] [--help]',
    '',
    ...rows,
    '',
    'First steps: supervisor demo, supervisor doctor, supervisor run --help',
    'Exit codes: 0 done, 1 failed or rejected, 2 bad usage or config, 3 waiting for a person, 4 escalated or halted,',
    '            5 environment not ready, 130 interrupted',
  ].join('\n');
}

export function commandHelp(spec: CommandSpec): string {
  const args = spec.args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`)).join(' ');
  const flags = { ...spec.flags, ...GLOBAL_FLAGS };
  const names = Object.entries(flags).map(([name, flag]) => ({ text: flagText(name, flag), help: flag.help }));
  const width = Math.max(...names.map((one) => one.text.length));
  return [
    `supervisor ${spec.name}: ${spec.summary}`,
    '',
    `usage: supervisor ${spec.name}${args === '' ? '' : ` ${args}`} [flags]`,
    '',
    ...names.map((one) => `  ${one.text.padEnd(width)}  ${one.help}`),
    ...(spec.notes === undefined ? [] : ['', spec.notes]),
    '',
    ...spec.examples.map((example) => `  $ ${example}`),
  ].join('\n');
}

function flagText(name: string, flag: Flag): string {
  return flag.type === 'boolean' ? `--${name}` : `--${name} ${flag.value ?? 'TEXT'}`;
}
