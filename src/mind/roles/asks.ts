/** What a role file of a project asks for, as a person has to see it before trusting it. */
import type { RoleFile } from './schema.ts';

/** One line for each thing that runs, is let through, or is decided by it; the words for the worker last, whole. */
export function roleText(file: RoleFile): string {
  const { gates = [], grants = [], write_scope = [], allowed_tools, context = {} } = file;
  const listed = (what: string, all: readonly string[]) => (all.length === 0 ? [] : [`${what}: ${all.join(', ')}`]);
  return [
    ...(file.extends === undefined ? ['a role of its own'] : [`builds on ${file.extends}`]),
    ...listed('cli', typeof file.cli === 'string' ? [file.cli] : (file.cli ?? [])),
    ...gates.map((gate) => (typeof gate === 'string' ? `gate ${gate}` : `gate ${gate.name}: ${gateText(gate)}`)),
    ...listed('may change protected paths', grants),
    ...listed('may change only', write_scope),
    ...listed('tools', allowed_tools ?? []),
    ...listed('is always shown', context.always_include ?? []),
    ...told('is told', file.system_prompt),
    ...told('is told besides', file.system_prompt_additions),
  ].join('\n');
}

type OwnGate = Exclude<NonNullable<RoleFile['gates']>[number], string>;

function gateText({ command, blocking, on_fail, timeout }: OwnGate): string {
  const shown =
    command === undefined ? "the config's" : typeof command === 'string' ? command : JSON.stringify(command);
  const facts = [
    ...(blocking === false ? ['does not block'] : []),
    ...(on_fail === 'escalate' ? ['escalates'] : []),
    ...(timeout === undefined ? [] : [`at most ${timeout}${typeof timeout === 'number' ? ' s' : ''}`]),
  ];
  return facts.length === 0 ? shown : `${shown} (${facts.join(', ')})`;
}

const told = (what: string, text: string | undefined): string[] =>
  text === undefined
    ? []
    : [
        `${what}:`,
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`),
      ];
