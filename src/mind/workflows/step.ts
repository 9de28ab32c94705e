/** A workflow as a task pins it: every step is one that the engine knows. A new field is optional, so a pinned workflow keeps its hash. */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { isId } from '../../kernel/ids.ts';
import { pathPattern } from '../fields/role-fields.ts';
import { approvalPolicy } from './approval-policy.ts';

const name = v.pipe(v.string(), v.check(isId, 'must be lower-case letters, digits, - or _ (at most 64)'));

const gateRule = v.strictObject({
  name,
  /** False: what it finds is recorded and told, and blocks nothing. */
  blocking: v.optional(v.boolean()),
  /** What follows when it fails: another attempt, a person, or the task is blocked. `warn` is `blocking: false`. */
  on_fail: v.optional(v.picklist(['retry', 'escalate', 'block', 'warn'])),
  /** Gates of a stage run side by side, and only when all of the stages before passed. Absent: 1. */
  stage: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
  /** Whether it is proven that the gate can fail: by its canary, not at the operator's word, or nobody can tell. */
  canary: v.optional(v.picklist(['on', 'off', 'unknown'])),
  /** What it looks at, such as `tests`, and what it weighs in the verdict. Absent: as its name tells. */
  kind: v.optional(name),
  weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
});
export type GateRule = v.InferOutput<typeof gateRule>;

const rounds = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)));
const ms = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_DURATION_MS));

const retry = v.strictObject({
  tries: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)),
  first_ms: ms,
  factor: v.pipe(v.number(), v.minValue(1), v.maxValue(10)),
  max_ms: ms,
});
export type RetryPolicy = v.InferOutput<typeof retry>;

/** Levels of work below the first: only the core of what was asked, then stubs that satisfy the interfaces. */
export const lowerLevel = v.picklist(['simplified', 'minimal']);
export type LowerLevel = v.InferOutput<typeof lowerLevel>;

const step = v.strictObject({
  id: name,
  /**
   * A worker does `change` and `answer`. `gate` runs gates on the task's candidate, `join` waits for its needs and
   * weighs what they say, `human` waits for a person. `commit` puts the candidate on the task's branch. `pull_request`
   * waits until a person has opened one.
   */
  kind: v.picklist(['change', 'answer', 'gate', 'join', 'human', 'commit', 'pull_request']),
  role: v.optional(name),
  /** First choice and fail-overs. */
  cli: v.optional(v.pipe(v.array(name), v.minLength(1))),
  /** Absent: all gates of the project. By name, or with what its failure means for this step. */
  gates: v.optional(v.array(v.union([name, gateRule]))),
  needs: v.optional(v.array(name)),
  attempts: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  /** At most so long, in milliseconds, for one attempt; the operator's limit stays. */
  wall_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** How often a worker is asked again in the same session, when its answer can not be read; absent: always afresh. */
  continue: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
  /** Protected paths, such as tests, that this step may change all the same; absent: those of its role. */
  grants: v.optional(v.array(pathPattern)),
  /** The only paths it may change; absent: those of its role. */
  write_scope: v.optional(v.array(pathPattern)),
  /** A review, a join or a person that says no sends the task back to this step, which then begins a new round. */
  on_reject: v.optional(name),
  /** A gate step that fails sends the task back to this step. */
  on_fail: v.optional(name),
  /** How many candidates may reach this step, the first included; then as `on_exhausted` says. Absent: 3. */
  rounds,
  /** Money set aside while an attempt runs, in millionths of a dollar. */
  reserve_microusd: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Of a join: every answer has to approve, or enough of them, weighed. Absent: all. */
  require: v.optional(v.picklist(['all', 'consensus'])),
  /** How often, and how long apart, a transient failure is tried again. Absent: as the limits say. */
  retry: v.optional(retry),
  /** When its attempts are used up, the step asks a person whether to try again. Absent: the task ends as `on_exhausted` says. */
  on_failure: v.optional(v.picklist(['ask_human'])),
  /** The worker is told what these steps answered, besides the answers of its needs. */
  inputs: v.optional(v.array(name)),
  /** What the step hands over, in words; shown to people, and nothing follows from it. */
  outputs: v.optional(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200)))),
  /** Laid over the `config` of the role and told to the worker. */
  config: v.optional(v.record(v.string(), v.unknown())),
  /** `component_only`: of the code, the worker is shown the component of the task and interfaces alone. */
  context_scope: v.optional(name),
  /** Of a commit: refused while the change has no changelog entry. */
  require_changelog: v.optional(v.boolean()),
  /** What its answer says is checked before the next step builds on it. Absent: it is not. */
  hand_over: v.optional(v.boolean()),
  /** A person is shown the answer of this step, and approves it by its hash. Absent: the task's candidate. */
  about: v.optional(name),
  /** What a person is asked, in one sentence. */
  text: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(500))),
  /** Of a human step: what these policies ask for the change is asked for here. Absent: anybody may answer. */
  policies: v.optional(v.pipe(v.array(approvalPolicy), v.minLength(1))),
  /** The step asks only what its policies ask; a change that needs nobody passes. */
  if_asked: v.optional(v.boolean()),
  /** The tree that the next attempt starts from after its gates failed: the rejected one, or the line's. Absent: last. */
  from: v.optional(v.picklist(['last', 'line'])),
  /** The lower levels of work that the step may fall back to, when the attempts of the level above are used up. Absent: none. */
  degrade: v.optional(v.array(lowerLevel)),
});

const head = {
  name,
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  description: v.optional(v.string()),
  /** What becomes of the task when a step has used up its attempts. */
  on_exhausted: v.optional(v.picklist(['fail', 'escalate', 'block'])),
  /** People give a reason with each answer, and checks cannot be left out. */
  audit_trail: v.optional(v.boolean()),
};

/** As a task pins it. */
export const workflow = v.strictObject({ ...head, steps: v.pipe(v.array(step), v.minLength(1)) });
export type WorkflowDefinition = v.InferOutput<typeof workflow>;
export type StepDefinition = WorkflowDefinition['steps'][number];
