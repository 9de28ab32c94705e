/** A gate that a change did not pass: what failed first, where, and the end of the gate's output. */
import type { GateStatus, Measured } from '../domain/values.ts';
import { evidenceParts, failureIn } from '../gates/evidence.ts';

export type GateFinding = {
  readonly gate: string;
  readonly status: GateStatus;
  /** The evidence; null if it is gone. */
  readonly text: string | null;
  readonly blocking?: boolean;
} & Partial<Pick<Measured, 'score' | 'tests'>>;

export type FailedGate = {
  readonly gate: string;
  readonly status: 'fail' | 'error';
  readonly blocking: boolean;
  /** From 0 to 1; null if not measured. */
  readonly score: number | null;
  readonly tests: Measured['tests'];
  readonly command: string | null;
  /** How its run ended, such as an exit code or a limit; null if the evidence is gone. */
  readonly ended: string | null;
  /** The file that the first failure names, with its line if known. */
  readonly at: string | null;
  /** The first failure as printed. Without one: what Supervisor found, or how the run ended. */
  readonly failure: readonly string[];
  /** Other findings of Supervisor. */
  readonly notes: readonly string[];
  /** The end of the output: most runners sum up there. */
  readonly output: string;
};

/** Hashes and times do not help to repair the code. */
const USELESS = /^(?:gate|took|tree|base|environment|from the cache|red test|failed at|failure)[ :]/;
const MAX_FAILURE = 2_000;
const MAX_NOTES = 4_000;
const LEFT_OUT = '[… earlier output left out …]\n';

/** `room`: how many characters of the output are kept. */
export function failedGate({ gate, status, text, ...more }: GateFinding, room: number): FailedGate {
  const { head, output } = evidenceParts(text ?? '');
  const lines = head.split('\n').filter((line) => line !== '' && !USELESS.test(line));
  const { command = null, ended = null } = Object.fromEntries(
    lines.flatMap((line) => [...line.matchAll(/^(command|ended): (.*)$/g)].map(([, name, said]) => [name, said])),
  ) as { readonly command?: string; readonly ended?: string };
  const notes = bounded(
    lines.filter((line) => !/^(?:command|ended): /.test(line)),
    MAX_NOTES,
  );
  const { at, lines: told } = failureIn(text ?? '');
  // Even if stopped for printing too much, it may have printed the failure before.
  const failure = isFlood(ended) ? [ended ?? '', ...told] : told;
  const found = notes.filter((line) => !line.startsWith('baseline: '));
  const decisive =
    failure.length > 0 && (!isLimit(ended) || isFlood(ended))
      ? failure
      : found.length > 0
        ? found
        : ended === null
          ? []
          : [ended];
  const printed = output.trimEnd();
  return {
    gate,
    status: status === 'error' ? 'error' : 'fail',
    blocking: more.blocking ?? true,
    score: more.score ?? null,
    tests: more.tests ?? null,
    command,
    ended,
    at: isLimit(ended) && !isFlood(ended) ? null : at,
    failure: bounded(decisive, MAX_FAILURE),
    notes: decisive === found ? [] : notes,
    output: tailOf(printed, room),
  };
}

const isFlood = (ended: string | null): boolean => ended?.includes('stopped: it printed more than ') === true;

/** The command was stopped: its output up to then is not the reason. */
export const isLimit = (ended: string | null): boolean => ended !== null && /^stopped: |: stopped: /.test(ended);

function tailOf(text: string, room: number): string {
  if (text.length <= room) return text;
  return room <= LEFT_OUT.length ? '' : `${LEFT_OUT}${text.slice(LEFT_OUT.length - room)}`.toWellFormed();
}

function bounded(lines: readonly string[], most: number): string[] {
  const kept: string[] = [];
  let left = most;
  for (const line of lines) {
    if (left <= 0) break;
    kept.push(line.length <= left ? line : `${line.slice(0, left - 1)}…`.toWellFormed());
    left -= line.length + 1;
  }
  return kept;
}
