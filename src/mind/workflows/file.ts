/** The schema of a workflow file: `steps` as a list or as a mapping by id, in the order of writing. */
import * as v from 'valibot';
import { command, duration, name, text } from '../fields/fields.ts';
import { oneOf, pathPattern, whole } from '../fields/role-fields.ts';
import * as word from './refused-words.ts';
import { type LowerLevel, lowerLevel, MOST_ANALYSES } from './step.ts';

const STEP_KINDS = ['change', 'answer', 'gate', 'join', 'human', 'commit', 'pull_request'] as const;
export const RETRY_POLICIES = ['default', 'aggressive', 'conservative'] as const;

const yes = v.boolean('must be true or false');
const names = v.pipe(v.array(name, 'must be a list of names'), v.maxLength(50, 'has more than 50 entries'));
/** One name, or several. */
const oneOrMore = v.lazy((input) =>
  Array.isArray(input) ? names : input === undefined ? v.union([name, names]) : name,
);

const gateEntry = v.pipe(
  v.strictObject({
    name: v.optional(name),
    /** With a name: what the gate checks. Alone: all gates of the project of this kind. */
    kind: v.optional(name),
    /** A gate of this name need not be configured. */
    optional: v.optional(yes),
    blocking: v.optional(yes),
    on_fail: v.optional(oneOf(['retry', 'escalate', 'block', 'warn'], 'answer to a failed gate')),
    stage: v.optional(whole(1, 10)),
    canary: v.optional(v.picklist(['on', 'off', 'unknown'])),
    weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  }),
  v.check(
    (gate) => gate.name !== undefined || gate.kind !== undefined,
    'names no gate: write {name: tests}, or {kind: tests} for all gates of that kind',
  ),
);
export type GateEntry = v.InferOutput<typeof gateEntry>;

const either = v.union([name, gateEntry]);
/**
 * By name, by kind, or with what its failure means here. Decided by its form, so that a mistake inside keeps its place.
 */
const gate = v.lazy((input) => (input === undefined ? either : typeof input === 'string' ? name : gateEntry));

const ownPolicy = v.strictObject({
  policy: v.optional(oneOf(RETRY_POLICIES, 'retry policy')),
  max_attempts: v.optional(whole(1, 100)),
  on_failure: v.optional(oneOf(['ask_human'], 'answer to a step that has used up its attempts')),
  tries: v.optional(whole(0, 20)),
  first: v.optional(duration),
  factor: v.optional(v.pipe(v.number('must be a number'), v.minValue(1), v.maxValue(10))),
  max: v.optional(duration),
});
const namedPolicy = oneOf(RETRY_POLICIES, 'retry policy');
const retryPolicy = v.lazy((input) =>
  input === undefined ? v.union([namedPolicy, ownPolicy]) : typeof input === 'string' ? namedPolicy : ownPolicy,
);

const LEVELS = lowerLevel.options;
const isFalling = (levels: LowerLevel[]): boolean =>
  levels.every((level, n) => n === 0 || LEVELS.indexOf(level) > LEVELS.indexOf(levels[n - 1] ?? level));

const keysAndValues = v.record(v.string(), v.unknown(), 'must be keys and values');
/** A list is a record as well, with numbers for keys. */
const anything = v.lazy((input) => (Array.isArray(input) ? v.never('must be keys and values') : keysAndValues));

const FIELDS = {
  kind: v.optional(oneOf(STEP_KINDS, 'kind of step')),
  description: v.optional(text(500)),
  role: v.optional(name),
  /** Roles that review side by side; `roles` is the same. */
  review: v.optional(
    v.pipe(v.array(name, 'must be a list of roles'), v.minLength(1, 'is empty: name a role'), v.maxLength(9)),
  ),
  roles: v.optional(
    v.pipe(v.array(name, 'must be a list of roles'), v.minLength(1, 'is empty: name a role'), v.maxLength(9)),
  ),
  /** False: one after the other. */
  parallel: v.optional(yes),
  require: v.optional(oneOf(['all', 'consensus'], 'way to join reviews')),
  cli: v.optional(v.pipe(v.array(name), v.minLength(1, 'is empty: name a CLI, or leave it out'))),
  gates: v.optional(v.pipe(v.array(gate, 'must be a list of gates'), v.maxLength(50))),
  /** For a gate step: the command to run instead of the project's gates. */
  command: v.optional(command),
  needs: v.optional(names),
  next: v.optional(oneOrMore),
  position: v.optional(
    v.pipe(v.string(), v.regex(/^after [a-z0-9][a-z0-9_-]{0,63}$/, 'must be written as `after STEP`')),
  ),
  on_reject: v.optional(name),
  on_fail: v.optional(name),
  rounds: v.optional(whole(1, 20)),
  max_retries: v.optional(whole(0, 19)),
  attempts: v.optional(whole(1, 100)),
  retry_policy: v.optional(retryPolicy),
  human_approval: v.optional(yes),
  wall_ms: v.optional(whole(1, 86_400_000)),
  continue: v.optional(whole(0, 3)),
  grants: v.optional(v.array(pathPattern)),
  write_scope: v.optional(v.array(pathPattern)),
  reserve_microusd: v.optional(whole(0, 1_000_000_000)),
  config: v.optional(anything),
  context_scope: v.optional(oneOf(['component_only'], 'scope of context')),
  hand_over: v.optional(yes),
  inputs: v.optional(names),
  outputs: v.optional(v.pipe(v.array(text(100), 'must be a list of names'), v.maxLength(50))),
  required: v.optional(yes),
  about: v.optional(name),
  text: v.optional(text(2_000)),
  from: v.optional(oneOf(['last', 'line'], 'tree to start from')),
  degrade: v.optional(
    v.pipe(
      v.array(oneOf(LEVELS, 'level of degradation'), 'must be a list of levels'),
      v.minLength(1, 'is empty: name a level, or leave it out'),
      v.check(isFalling, 'names each level once, in the order in which the step falls back: [simplified, minimal]'),
    ),
  ),
  analyses: v.optional(
    v.pipe(
      v.array(name, 'must be a list of roles'),
      v.minLength(1, 'is empty: name a role, or leave it out'),
      v.maxLength(MOST_ANALYSES, `has more than ${MOST_ANALYSES} roles: each failure would cost as many answers`),
      v.check((roles) => new Set(roles).size === roles.length, 'names a role twice: one answer of it is enough'),
    ),
  ),
  type: word.refused(word.ofType),
  gate_type: word.refused(word.ofType),
  gate: word.refused(word.ofGate),
  terminal: word.refused(word.ofTerminal),
  auto_approve: word.refused(word.ofAutoApprove),
} as const;

const stepById = v.strictObject(FIELDS, 'must be keys and values');
const stepInList = v.strictObject({ id: name, ...FIELDS }, 'must be keys and values');
export type FileStep = v.InferOutput<typeof stepById>;

const MOST_STEPS = 1_000;
const stepList = v.pipe(v.array(stepInList), v.minLength(1, 'is empty: write a step'), v.maxLength(MOST_STEPS));
const stepMap = v.pipe(
  v.record(name, stepById),
  v.check((steps) => Object.keys(steps).length > 0, 'is empty: write a step'),
  v.check((steps) => Object.keys(steps).length <= MOST_STEPS, `has more than ${MOST_STEPS} steps`),
);
const neither = v.union([stepList, stepMap], 'must be a list of steps, or steps by their ids');
const steps = v.lazy((input) =>
  Array.isArray(input) ? stepList : input !== null && typeof input === 'object' ? stepMap : neither,
);

const settings = v.strictObject({
  parallel_reviews: v.optional(yes),
  require_tests: v.optional(yes),
  human_approval: v.optional(yes),
  security_review: v.optional(yes),
  auto_pr: v.optional(yes),
  require_changelog: v.optional(yes),
  dual_review: v.optional(yes),
  audit_trail: v.optional(yes),
});
export type WorkflowSettings = v.InferOutput<typeof settings>;

const disable = v.pipe(v.array(name, 'must be a list of steps'), v.maxLength(50, 'has more than 50 entries'));

/** One that starts with `_` is a base for others and never runs itself. */
const WORKFLOW_NAME = /^_?[a-z0-9][a-z0-9_-]{0,62}$/;
export const isWorkflowName = (text: string): boolean => WORKFLOW_NAME.test(text);
export const isBaseOnly = (name: string): boolean => name.startsWith('_');
const workflowName = v.pipe(
  v.string('must be text'),
  v.regex(WORKFLOW_NAME, 'must be lower-case letters, digits, - or _ (at most 63)'),
);

export const workflowFile = v.strictObject({
  name: v.optional(workflowName),
  version: v.optional(whole(1, 1_000_000_000)),
  description: v.optional(v.string()),
  /** The workflow it builds on. Its own name means the one of the layer below. */
  extends: v.optional(workflowName),
  /** What becomes of the task when a step has used up its attempts. */
  on_exhausted: v.optional(oneOf(['fail', 'escalate', 'block'], 'end of a task')),
  settings: v.optional(settings),
  hooks: v.optional(v.strictObject({ pre_commit: v.optional(v.pipe(v.array(gate), v.maxLength(50))) })),
  steps: v.optional(steps),
  disable: v.optional(disable),
  workflow: word.refused(word.ofWorkflow),
  initial_step: word.refused(word.ofInitialStep),
  overrides: word.refused(word.ofOverrides),
});
export type WorkflowFile = v.InferOutput<typeof workflowFile>;

/** `workflow:` of a config file: the default workflow of a run, and changes to it. */
const CHOICE = {
  template: workflowName,
  overrides: v.optional(stepMap),
  disable: v.optional(disable),
  settings: v.optional(settings),
};
export const workflowChoice = v.strictObject(CHOICE, 'must be keys and values, such as {template: standard}');
export type WorkflowChoice = v.InferOutput<typeof workflowChoice>;
