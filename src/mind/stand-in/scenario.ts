/**
 * What a stand-in for a model's server answers, turn by turn: for tests, and to try an installed CLI without spending a
 * token.
 */
import * as v from 'valibot';
import { parseDuration } from '../../kernel/duration.ts';
import { text, word } from '../fields/fields.ts';

/** The protocols of model servers; one stand-in speaks them all. */
export const PROTOCOLS = ['anthropic', 'responses', 'chat', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

const MAX_TEXT = 1_000_000;
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0), v.maxValue(1_000_000_000));

/** Stays as it was written, so that a checked scenario can be checked again with the same meaning. */
const duration = v.pipe(
  v.union([v.string(), v.number()]),
  v.check(
    (written) => parseDuration(written) !== null,
    'must be a duration such as 200ms or 5s (a bare number means seconds)',
  ),
);

const usage = v.strictObject({ input: count, output: count, cached: v.optional(count, 0) });
export type Usage = v.InferOutput<typeof usage>;

/** Wrong answers without an honest status: each is one way in which a server, or what lies in between, fails. */
const FAULTS = ['malformed', 'empty', 'html', 'cut', 'stall', 'reset', 'hang'] as const;

/** Absent fields match any. */
const asker = v.strictObject({
  key: v.optional(word),
  model: v.optional(word),
  protocol: v.optional(v.picklist(PROTOCOLS)),
});

const turn = v.pipe(
  v.strictObject({
    /** Sent alone, or before a tool is called; with `cut` and `stall` half of it arrives. */
    text: v.optional(text(MAX_TEXT)),

    /** Calls of a tool, one at most, chosen from those that the request offers. */
    write: v.optional(
      v.strictObject({
        path: word,
        text: text(MAX_TEXT),
        /** The file may exist already: written by a shell, since most tools change only what they have read. */
        replace: v.optional(v.boolean(), false),
      }),
    ),
    run: v.optional(word),
    call: v.optional(v.strictObject({ tool: word, input: v.optional(v.record(v.string(), v.unknown()), {}) })),

    /** A refusal in the words of the protocol; `kind` replaces its usual error type. */
    status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))),
    message: v.optional(text(10_000)),
    kind: v.optional(word),
    /** Sent unchanged: seconds, or an HTTP date. */
    retry_after: v.optional(v.union([v.pipe(v.number(), v.minValue(0)), word])),

    /**
     * `stall` goes silent in the middle, `cut` hangs up there; `reset` hangs up and `hang` is silent from the start.
     */
    fault: v.optional(v.picklist(FAULTS)),

    headers: v.optional(v.record(word, text(10_000)), {}),
    usage: v.optional(usage),
    /** Before anything is sent. */
    delay: v.optional(duration, 0),
    /** How many requests it answers. */
    times: v.optional(v.pipe(count, v.minValue(1)), 1),
    /** Only for these requests; others skip it. */
    for: v.optional(asker, {}),
  }),
  v.check(
    (one) => [one.text ?? one.write ?? one.run ?? one.call, one.status, one.fault].some((part) => part !== undefined),
    'says nothing: write one of text, write, run, call, status, fault',
  ),
  v.check(
    ({ write, run, call, status }) => [write, run, call, status].filter((part) => part !== undefined).length <= 1,
    'wants too much at once: write, run, call and status exclude each other',
  ),
  v.check(
    ({ fault, status }) => fault === undefined || status === undefined,
    'wants too much at once: fault and status exclude each other',
  ),
  v.check(
    ({ status, message, kind, retry_after }) => status !== undefined || (message ?? kind ?? retry_after) === undefined,
    'has message, kind or retry_after, which belong to a status',
  ),
);
export type Turn = v.InferOutput<typeof turn>;

export const scenario = v.strictObject({
  turns: v.pipe(v.array(turn), v.minLength(1, 'is empty: write at least one turn'), v.maxLength(10_000)),
  /**
   * How turns are counted. `server`: each is played once, in the order of requests. `conversation`: each request gets
   * the turn after those in its own history, so any number of runs play the same from the start.
   */
  per: v.optional(v.picklist(['server', 'conversation']), 'server'),
  /** The answer after the last turn. Absent: the last is repeated, or `Done.` if that would call a tool for ever. */
  end: v.optional(text(MAX_TEXT)),
});
export type Scenario = v.InferOutput<typeof scenario>;
/** As people write it, with optional fields. */
export type ScenarioInput = v.InferInput<typeof scenario>;

/** For scenarios that a program makes; throws with the place of the first mistake. */
export function checkedScenario(input: ScenarioInput): Scenario {
  const parsed = v.safeParse(scenario, input);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new TypeError(`scenario: ${v.getDotPath(issue) ?? 'all of it'}: ${issue.message}`);
}
