/** `gates:` of a config file: what a project's checks run, how long they may take, and what their failure means. */
import * as v from 'valibot';
import type { Spec } from '../domain/values.ts';
import { command, duration, name, pattern, text } from '../fields/fields.ts';
import { pathTo } from '../fields/path-to.ts';
import type { FieldPath } from '../fields/yaml.ts';
import { COVERAGE_FORMATS } from './coverage/index.ts';
import { REPORT_FORMATS } from './reports/index.ts';

/** What a gate checks. The kind gives its stage, weight and time if the config does not. */
export const GATE_KINDS = ['syntax', 'lint', 'types', 'tests', 'security', 'coverage', 'mutation', 'command'] as const;
export type GateKind = (typeof GATE_KINDS)[number];

/** The suffix of the gate that proves another one (`kinds.ts`). */
export const CANARY = '-canary';
/** Leaves room for the canary's suffix in 64 characters. */
const MAX_NAME = 64 - CANARY.length;

const weight = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
/** In REPORT_DIR, which is empty when the gate starts: no old report, and no path through a link. */
const reportFile = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9*][\w.*-]{0,99}$/, 'must be the name of a file in $REPORT_DIR, such as junit.xml or *.xml'),
);
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

/** What runs, and how its result is read. A gate has one of these, or several as `checks`. */
const run = {
  command: v.optional(command),
  /** How its output names failed tests; without it, red stays red whatever failed before. */
  ids: v.optional(v.picklist(['tap', 'pytest', 'vitest', 'jest', 'go', 'cargo', 'unittest'])),
  /** The report that it writes into $REPORT_DIR. */
  report: v.optional(v.strictObject({ format: v.picklist(REPORT_FORMATS), file: reportFile })),
  /** The check runs only on matching changed files, which are arguments after `--`. */
  applies_to: v.optional(v.pipe(v.array(pattern), v.minLength(1), v.maxLength(50))),
  /** One call for each of these files, for programs that only read the first one (`bash -n`). */
  each: v.optional(v.boolean()),
};

const check = v.strictObject({ name, weight: v.optional(weight), ...run, command });

/** Gates of these kinds do not block unless the config says so. */
const INFORMS: ReadonlySet<string> = new Set(['coverage', 'mutation']);

export const gateConfig = v.pipe(
  v.strictObject({
    name,
    kind: v.optional(v.picklist(GATE_KINDS)),
    ...run,
    checks: v.optional(
      v.pipe(v.array(check), v.minLength(1, 'is empty: name a check, or leave it out'), v.maxLength(20)),
    ),
    /** Gates of one stage run side by side; the next stage starts when all of them passed. */
    stage: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9))),
    /** Milliseconds for each command; default by the gate's kind. */
    timeout: v.optional(duration),
    /** Default: yes, except for coverage and mutation, which only inform. */
    blocking: v.optional(v.boolean()),
    weight: v.optional(weight),
    /** `block`: the task is blocked until a person looks. `warn`: the same as `blocking: false`. */
    on_fail: v.optional(v.picklist(['retry', 'escalate', 'block', 'warn']), 'retry'),
    /** How often red tests run once more. Green then is no pass: the gate is unstable. */
    reruns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
    coverage: v.optional(
      v.strictObject({
        format: v.picklist(COVERAGE_FORMATS),
        file: reportFile,
        line: v.optional(share),
        branch: v.optional(share),
      }),
    ),
    /** For a mutation gate: the gate whose tests are tried, and the most defects. */
    of: v.optional(name),
    most: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200))),
    /** Whether to prove, on the candidate's own tree, that this gate can still fail. */
    canary: v.optional(
      v.union(
        [v.literal('off'), v.strictObject({ file: pattern, text: text(20_000) })],
        'must be off, or a file with a failing test: {file, text}, where NAME stands for a random name',
      ),
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const gate = dataset.value;
    const sayAt = (message: string, path: FieldPath) => addIssue({ message, path: pathTo(gate, path) });
    const say = (message: string, key: string) => sayAt(message, [key]);
    const builtIn = gate.kind === 'syntax' || gate.kind === 'security' || gate.kind === 'mutation';
    if (gate.checks !== undefined && gate.command !== undefined)
      say('has both command and checks: make the command one of the checks', 'command');
    else if (gate.checks === undefined && gate.command === undefined && !builtIn)
      say('needs a command, or checks (only the kinds syntax, security and mutation have checks of their own)', 'name');
    const own = [gate.ids, gate.report, gate.applies_to, gate.each];
    if (gate.checks !== undefined && own.some((one) => one !== undefined))
      say('has checks: write ids, report, applies_to and each at the check they belong to', 'checks');
    if (gate.kind === 'coverage' && gate.coverage === undefined)
      say('is of kind coverage and does not say which report it writes: add coverage: {format, file}', 'kind');
    if (gate.kind === 'mutation' && gate.of === undefined)
      say('is of kind mutation and does not say whose tests are tried: add of: NAME', 'kind');
    if (gate.kind !== 'mutation' && (gate.of ?? gate.most) !== undefined)
      say('has `of` or `most`, which only a gate of kind mutation has', 'kind');
    if (gate.name.endsWith(CANARY))
      say('is refused: names that end with -canary belong to canaries of other gates', 'name');
    else if (gate.name.length > MAX_NAME)
      say(`is longer than ${MAX_NAME} characters: the gate NAME${CANARY} is named after it`, 'name');
    const names = (gate.checks ?? []).map((one) => one.name);
    const twice = names.find((name, n) => names.indexOf(name) !== n);
    if (twice !== undefined) say(`has two checks named ${twice}: rename or remove one`, 'checks');
    const runs = [
      { one: gate, at: [] as (string | number)[] },
      ...(gate.checks ?? []).map((one, n) => ({ one, at: ['checks', n] })),
    ];
    for (const { one, at } of runs) {
      if (JSON.stringify(one.command ?? '').includes('{file}'))
        sayAt('puts {file} into a command: use applies_to, which passes changed files as arguments after `--`', [
          ...at,
          'command',
        ]);
      if (one.each === true && one.applies_to === undefined) sayAt('has each without applies_to', [...at, 'each']);
    }
  }),
  v.transform((gate) => ({ ...gate, blocking: gate.blocking ?? !INFORMS.has(gate.kind ?? '') })),
);
export type GateConfig = v.InferOutput<typeof gateConfig>;

/**
 * The project's gates and those that a role or the operator adds for one task; a later one replaces earlier ones of its
 * name.
 */
export function withOwnGates(gates: readonly GateConfig[], own: Readonly<NonNullable<Spec['gates']>>): GateConfig[] {
  const usual = { blocking: true, on_fail: 'retry' } as const;
  const all = [...gates, ...own.map((gate) => ({ ...usual, ...gate }) as GateConfig)];
  return [...new Map(all.map((gate) => [gate.name, gate])).values()];
}
