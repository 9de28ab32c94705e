/** Prints what `init` found and suggests. Texts from the repository stay on one line. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { listed } from '../../mind/detect/config-text.ts';
import type { NamedGate, Suggestion } from '../../mind/detect/detect.ts';
import { FACT_KINDS } from '../../mind/detect/stack.ts';
import type { Output } from './output.ts';

const WIDTH = 500;
const line = (text: string): string => terminalLine(text, WIDTH);

export function showSuggestion(out: Output, suggestion: Suggestion): void {
  const { stack, packs, gates, ideas, environment, services, knowledge, notes } = suggestion;
  const row = (head: string, body: string) => out.entry(`  ${head.padEnd(19)}`, line(body));
  const boxed = (on: boolean, name: string, body: string) =>
    out.entry(`  ${on ? '[x]' : '[ ]'} ${name.padEnd(15)}`, line(body));

  out.heading('Found in this repository:');
  for (const kind of FACT_KINDS) {
    const facts = stack.filter((fact) => fact.kind === kind);
    if (facts.length > 0) row(kind, facts.map(({ name, by }) => `${name} (${by})`).join(', '));
  }
  if (knowledge.read.length > 0) row('knowledge', `${listed(knowledge.read)}: read as project knowledge`);
  if (stack.length === 0 && knowledge.read.length === 0) out.line('  nothing that Supervisor knows', 'note');

  out.heading('Role packs:');
  for (const { name, roles, suggested, reason } of packs) {
    if (!suggested) continue;
    boxed(true, name, roles.join(', '));
    row('', `because ${reason}`);
  }
  for (const { name, suggested, reason } of packs) if (!suggested) boxed(false, name, `off: ${reason}`);

  out.heading('Gates:');
  for (const gate of gates) {
    boxed(true, gate.name, told(gate));
    row('', `because ${gate.reason}`);
  }
  if (!gates.some((gate) => gate.blocking)) out.line('  no way to test it was found', 'note');
  for (const gate of ideas) boxed(false, gate.name, `off: ${gate.command ?? 'built in'} (${gate.reason})`);

  if (environment !== null) {
    out.heading('Environment:');
    row('prepare', environment.prepare);
    row('', `because ${environment.reason}`);
    row('', `again when one of these changes: ${listed(environment.key)}; kept: ${listed(environment.outputs)}`);
  }
  for (const { name, reason } of services)
    row('service', `${name}: ${reason}; written down as a comment, to be started from this machine`);
  for (const note of notes) out.entry(`  ${'note'.padEnd(19)}`, line(note), 'note');
}

const told = ({ command, blocking }: NamedGate): string =>
  `${command ?? 'built in'}${blocking ? '' : ' (workers see it, blocks nothing)'}`;
