/** The text of a gate's evidence: what ran on what, how it ended, and what it printed. */
import { terminalLine, terminalText } from '../../kernel/terminal-text.ts';
import type { GateStatus } from '../domain/values.ts';
import { firstFailure } from './first-failure.ts';
import type { GateCommand } from './kinds.ts';

export type GateFacts = {
  readonly gate: string;
  readonly status: GateStatus;
  readonly command: GateCommand | null;
  /** How it ended, or why it could not run. */
  readonly ended: string;
  readonly ms: number | null;
  readonly tree: string | null;
  readonly base: string | null;
  readonly environment: string | null;
  /** Where the earlier run's evidence is; null if it ran now. */
  readonly cached: string | null;
  /** Findings of Supervisor: existing tests, baseline. */
  readonly notes: readonly string[];
  /** Tests that failed without failing the gate, or that failed at the base: by name, for reports. */
  readonly red?: readonly string[];
  readonly output: string;
};

const END_CHARS = 64 << 10;
const NOTE_CHARS = 6_000;
const MAX_NOTES = 8;
const OUTPUT = '\n--- what it printed ---\n';
const RED = 'red test';
const FAILURE = 'failure';
const FAILED_AT = 'failed at';
/** With their notes they stay far below the output's limit. */
const MAX_RED = 100;

/**
 * At most 200,000 characters, harmless in a terminal. Supervisor's own text comes first, so that output cannot take its
 * place.
 */
export function evidenceText(facts: GateFacts): string {
  const line = (name: string, text: string | null) => (text === null ? [] : [`${name}: ${oneLine(text, 2_000)}`]);
  const printed = withoutColours(facts.output);
  const failure = facts.status === 'pass' || isGreen(facts.ended) ? null : firstFailure(printed);
  const head = [
    `gate ${terminalLine(facts.gate)}: ${facts.status}`,
    ...line('command', facts.command === null ? null : commandText(facts.command)),
    ...line('ended', facts.ended),
    ...line('took', facts.ms === null ? null : `${facts.ms} ms`),
    ...line('tree', facts.tree),
    ...line('base', facts.base),
    ...line('environment', facts.environment ?? 'none'),
    ...line('from the cache', facts.cached === null ? 'no' : `yes, the whole evidence is ${facts.cached}`),
    ...facts.notes.slice(0, MAX_NOTES).map((note) => oneLine(note, NOTE_CHARS)),
    ...(facts.red ?? []).slice(0, MAX_RED).flatMap((name) => line(RED, name)),
    ...line(
      FAILED_AT,
      failure?.file == null ? null : `${failure.file}${failure.line === null ? '' : `:${failure.line}`}`,
    ),
    ...(failure?.lines ?? []).flatMap((one) => line(FAILURE, one)),
  ];
  // Cut twice: each control character becomes six harmless ones.
  const output = ends(terminalText(ends(printed, END_CHARS)), END_CHARS);
  return `${head.join('\n')}\n${OUTPUT}${output}`.toWellFormed();
}

/** Runners print colours even without a terminal; escaped they would be unreadable. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const withoutColours = (text: string): string => text.replaceAll(/\u001b\[[0-9;]{0,20}m/g, '');

/** Cut before it is redacted: a message may be as long as its program likes. */
const oneLine = (text: string, width: number): string => terminalLine(text.slice(0, 2 * width), width);

/** The red tests that an evidence text names: at most 100, without secrets and control characters. */
export function redTestsIn(text: string): string[] {
  const mark = `${RED}: `;
  const { head } = evidenceParts(text);
  return head.split('\n').flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : []));
}

/** A run that ended well is red for another reason than its output. */
const isGreen = (ended: string): boolean => ended === 'exit code 0';

/** The first failure that an evidence text names. */
export function failureIn(text: string): { readonly at: string | null; readonly lines: readonly string[] } {
  const { head } = evidenceParts(text);
  const named = (name: string) =>
    head.split('\n').flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
  return { at: named(FAILED_AT)[0] ?? null, lines: named(FAILURE) };
}

/** Splits an evidence text into Supervisor's part and the gate's output. */
export function evidenceParts(text: string): { readonly head: string; readonly output: string } {
  const at = text.indexOf(OUTPUT);
  return at < 0 ? { head: text, output: '' } : { head: text.slice(0, at), output: text.slice(at + OUTPUT.length) };
}

/** The start and the end of a text; never half a character. */
function ends(text: string, each: number): string {
  if (text.length <= 2 * each) return text.toWellFormed();
  const left = text.length - 2 * each;
  return `${text.slice(0, each)}\n[… ${left} characters left out …]\n${text.slice(-each)}`.toWellFormed();
}

const commandText = (command: GateCommand): string => (typeof command === 'string' ? command : JSON.stringify(command));
