/** Writes docs/reference/commands.md: all commands, arguments and flags, from the table that the program itself reads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GLOBAL_FLAGS } from '../src/faces/cli/args.ts';
import type { CommandSpec, Flag } from '../src/faces/cli/command.ts';
import { COMMANDS } from '../src/faces/cli/table.ts';

const PAGE = join(import.meta.dirname, '..', 'docs/reference/commands.md');

const HEAD = `# Commands

All commands with their arguments and flags, as \`supervisor COMMAND --help\` prints them. How a command ends is told by its
[exit code](exit-codes.md), what \`--json\` prints is in [json.md](json.md). This page is generated: change
\`src/faces/cli/table/\`, then run \`node tools/commands.ts\`.
`;

/** The page, from the table as it is. */
export function commandsPage(): string {
  const rows = COMMANDS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${cell(summary)} |`);
  const overview = ['| command | does |', '|---|---|', ...rows].join('\n');
  const flags = `## Every command\n\n${table(GLOBAL_FLAGS)}`;
  return `${[HEAD.trimEnd(), overview, flags, ...COMMANDS.map(section)].join('\n\n')}\n`;
}

function section(spec: CommandSpec): string {
  const args = spec.args.map(({ name, required }) => (required ? ` ${name}` : ` [${name}]`)).join('');
  return [
    `## ${spec.name}`,
    `${capital(spec.summary)}.`,
    `    supervisor ${spec.name}${args}${Object.keys(spec.flags).length === 0 ? '' : ' [flags]'}`,
    ...(Object.keys(spec.flags).length === 0 ? [] : [table(spec.flags)]),
    ...(spec.notes === undefined ? [] : [spec.notes.replace(/<|>/g, (sign) => `\\${sign}`)]),
    `\`\`\`sh\n${spec.examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

function table(flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(([name, { type, short, value, help }]) => {
    const text = `${short === undefined ? '' : `-${short}, `}--${name}${type === 'boolean' ? '' : ` ${value ?? 'TEXT'}`}`;
    return `| \`${text.replaceAll('|', '\\|')}\` | ${cell(help)} |`;
  });
  return ['| flag | does |', '|---|---|', ...rows].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/<|>/g, (sign) => `\\${sign}`);
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

if (import.meta.main) writeFileSync(PAGE, commandsPage());
