/** A script for the scripted worker: what each attempt of each step does. For demos, tests and dry runs; costs nothing. */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { outcomeClass } from '../domain/values.ts';
import { duration, insideFile, text } from '../fields/fields.ts';

/** Milliseconds already: read as people write it, a bare number would mean seconds. */
const stored = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_DURATION_MS));

/** Longer ones belong into the repository, not into a script. */
const MAX_TEXT = 500_000;

const play = <D extends typeof duration | typeof stored>(after: D) =>
  v.strictObject({
    /** What the worker prints in the end, whole: kept as the attempt's answer. */
    says: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
    /** What it prints when it is asked once more, for its answer alone; absent: it is not asked. */
    again: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
    reason: v.optional(v.pipe(v.string(), v.maxLength(1_000))),

    /** Written into the workspace, as they are; null removes the file. */
    files: v.optional(
      v.pipe(
        v.record(insideFile, v.nullable(text(MAX_TEXT))),
        v.check((files) => Object.keys(files).length <= 1_000, 'names more than 1000 files'),
      ),
    ),
    /** Run by `sh` in the worker's sandbox, after the files. */
    run: v.optional(v.pipe(text(100_000), v.minLength(1, 'is empty'))),
    /** How the worker's process ends; 0 when absent. */
    exit: v.optional(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0), v.maxValue(255))),

    /** Only played, with `--simulate`: how long it takes, how it ends, what each gate finds (unnamed: pass), its price. */
    after: v.optional(after),
    outcome: v.optional(outcomeClass),
    /** With outcome `quota`: when it resets, from then on; absent: the CLI does not tell. */
    resets: v.optional(after),
    /** What an answer comes to, for workflows with reviews; absent: APPROVED. */
    review: v.optional(v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'REJECTED'])),
    gates: v.optional(v.record(v.string(), v.picklist(['pass', 'fail', 'error']))),
    cost_usd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000))),
  });
export type Play = v.InferOutput<ReturnType<typeof play>>;

const answer = v.picklist(['approve', 'reject', 'wait']);
/** What a person says: `wait` means that nobody answers. */
const personSays = v.union([
  answer,
  v.strictObject({ answer, reason: v.optional(v.pipe(v.string(), v.maxLength(1_000))) }),
]);

const plays = <D extends typeof duration | typeof stored>(after: D) =>
  v.strictObject({
    /** Per step: the first entry is the first attempt; the last one is played again when more are needed. */
    steps: v.record(v.string(), v.pipe(v.array(play(after)), v.minLength(1))),
    /**
     * Only played, with `--simulate`: what people answer, per step that asks one, in order. A step that is not named is
     * approved. Absent: nobody answers, and the task waits.
     */
    people: v.optional(v.record(v.string(), v.array(personSays))),
    /** A file to which every effect that is carried out adds a line; tests count them. */
    ledger: v.optional(v.string()),
    /** Tell a person at the end (a line in the ledger). */
    notify: v.optional(v.boolean()),
  });

/** As people write it. */
export const script = plays(duration);
export type Script = v.InferOutput<typeof script>;
/** As a task carries it with it. */
export const storedScript = plays(stored);

/** Everything succeeds at once. */
export const PLAIN_SCRIPT: Script = { steps: {} };
/** And every person says yes: what `run --simulate` plays without a script. */
export const APPROVING_SCRIPT: Script = { ...PLAIN_SCRIPT, people: {} };

/** The fields of a script that are only played with `--simulate`, as people find them: without it they mean nothing. */
export function playedOnly({ steps, people, ledger }: Script): string[] {
  const fields = Object.entries(steps).flatMap(([step, entries]) =>
    entries.flatMap((entry, n) =>
      PLAYED_ONLY.flatMap((key) => (entry[key] === undefined ? [] : [`steps.${step}[${n}].${key}`])),
    ),
  );
  return [...fields, ...(people === undefined ? [] : ['people']), ...(ledger === undefined ? [] : ['ledger'])];
}
const PLAYED_ONLY = ['after', 'outcome', 'resets', 'review', 'gates', 'cost_usd'] as const;

export function playFor(from: Script, step: string, attempt: number): Play {
  const entries = Object.hasOwn(from.steps, step) ? (from.steps[step] ?? []) : [];
  return entries[Math.min(attempt, entries.length) - 1] ?? {};
}
