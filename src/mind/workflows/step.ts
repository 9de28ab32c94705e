/**
 * A workflow as a task pins it: the engine knows every step. A new field is optional, so a pinned workflow keeps its
 * hash.
 */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { isId } from '../../kernel/ids.ts';
import { pathPattern } from '../fields/role-fields.ts';
import { approvalPolicy } from './approval-policy.ts';

const name = v.pipe(v.string(), v.check(isId, 'must be lower-case letters, digits, - or _ (at most 64)'));

const gateRule = v.strictObject({
  name,
  /** False: its findings are recorded and reported, and block nothing. */
  blocking: v.optional(v.boolean()),
  /** What follows when it fails: another attempt, a person, or the task is blocked. `warn` is `blocking: false`. */
  on_fail: v.optional(v.picklist(['retry', 'escalate', 'block', 'warn'])),
  /** Gates of a stage run side by side, after all earlier stages passed. Default: 1. */
  stage: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
  /** Whether a canary proves that the gate can fail: on, switched off by the operator, or unknown. */
  canary: v.optional(v.picklist(['on', 'off', 'unknown'])),
  /** What it checks, such as `tests`, and its weight in the verdict. Default: by its name. */
  kind: v.optional(name),
  weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
});
export type GateRule = v.InferOutput<typeof gateRule>;

/** Root cause, suggested fix, architecture: no more are needed. */
export const MOST_ANALYSES = 3;

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

/**
 * A role that explains why a change failed its gates. Its CLIs and its time are filled in when a task pins the
 * workflow.
 */
const analysis = v.strictObject({
  role: name,
  cli: v.optional(v.pipe(v.array(name), v.minLength(1))),
  wall_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

const step = v.strictObject({
  id: name,
  /**
   * A worker does `change` and `answer`. `gate` runs gates on the task's candidate, `join` waits for its needs and
   * weighs their answers, `human` waits for a person. `commit` puts the candidate on the task's branch. `pull_request`
   * waits until a person has opened one.
   */
  kind: v.picklist(['change', 'answer', 'gate', 'join', 'human', 'commit', 'pull_request']),
  role: v.optional(name),
  /** First choice and fail-overs. */
  cli: v.optional(v.pipe(v.array(name), v.minLength(1))),
  /** Default: all gates of the project. By name, or with what its failure means for this step. */
  gates: v.optional(v.array(v.union([name, gateRule]))),
  needs: v.optional(v.array(name)),
  attempts: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  /** The limit of one attempt, in milliseconds; the operator's limit stays in force. */
  wall_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** How often a worker is asked again in the same session if its answer does not parse; absent: always afresh. */
  continue: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3))),
  /** Protected paths, such as tests, that this step may change all the same; default: those of its role. */
  grants: v.optional(v.array(pathPattern)),
  /** The only paths it may change; default: those of its role. */
  write_scope: v.optional(v.array(pathPattern)),
  /** If a review, a join or a person rejects, the task goes back to this step, which then starts a new round. */
  on_reject: v.optional(name),
  /** A gate step that fails sends the task back to this step. */
  on_fail: v.optional(name),
  /** How many candidates may reach this step, including the first; then `on_exhausted` decides. Default: 3. */
  rounds,
  /** Money reserved while an attempt runs, in millionths of a dollar. */
  reserve_microusd: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** For a join: all answers must approve, or enough of them, weighed. Default: all. */
  require: v.optional(v.picklist(['all', 'consensus'])),
  /** How often, and with what delay, a transient failure is tried again. Default: the limits. */
  retry: v.optional(retry),
  /**
   * When its attempts are used up, the step asks a person whether to try again. Absent: the task ends as `on_exhausted`
   * says.
   */
  on_failure: v.optional(v.picklist(['ask_human'])),
  /** The worker gets the answers of these steps, besides those of its needs. */
  inputs: v.optional(v.array(name)),
  /** What the step hands over, in words; shown to people, without any effect. */
  outputs: v.optional(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200)))),
  /** Overrides the role's `config`, and is shown to the worker. */
  config: v.optional(v.record(v.string(), v.unknown())),
  /** `component_only`: of the code, the worker sees only the task's component, and interfaces. */
  context_scope: v.optional(name),
  /** For a commit: refuse it while the change has no changelog entry. */
  require_changelog: v.optional(v.boolean()),
  /** Its answer is checked before the next step builds on it. Default: no. */
  hand_over: v.optional(v.boolean()),
  /** A person sees the answer of this step, and approves it by its hash. Default: the task's candidate. */
  about: v.optional(name),
  /** The question for a person, in one sentence. */
  text: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(500))),
  /** For a human step: it asks what these policies require for the change. Absent: anybody may answer. */
  policies: v.optional(v.pipe(v.array(approvalPolicy), v.minLength(1))),
  /** The step asks only what its policies require; a change that needs no approval passes. */
  if_asked: v.optional(v.boolean()),
  /**
   * The tree that the next attempt starts from after its gates failed: the rejected one, or the line's. Default: last.
   */
  from: v.optional(v.picklist(['last', 'line'])),
  /**
   * The lower levels of work that the step may fall back to, when the attempts of the level above are used up. Default:
   * none.
   */
  degrade: v.optional(v.array(lowerLevel)),
  /** If failed gates send a change back, these roles say why before its next attempt starts. Default: none. */
  analyses: v.optional(v.pipe(v.array(analysis), v.minLength(1), v.maxLength(MOST_ANALYSES))),
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
