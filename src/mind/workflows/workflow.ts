/** A workflow: a named, versioned graph of steps. A step without `needs` follows the one written before it. */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import type { StepId, WorkflowHash } from '../../kernel/ids.ts';
import { isId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { pathPattern } from '../fields/role-fields.ts';

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
type GateRule = v.InferOutput<typeof gateRule>;

const rounds = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)));

const step = v.strictObject({
  id: name,
  /**
   * `change` and `answer` are done by a worker. `gate` runs gates on the task's candidate, `join` waits for its needs and
   * weighs what they say, `human` waits for a person.
   */
  kind: v.picklist(['change', 'answer', 'gate', 'join', 'human']),
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
});

/** As people write it: `review` with the roles that review, side by side, stands for answers and a join. */
const fileStep = v.pipe(
  v.strictObject({
    ...step.entries,
    /** A step that waits for a person cannot be written yet: no command answers it. */
    kind: v.optional(v.picklist(['change', 'answer', 'gate', 'join'])),
    review: v.optional(v.pipe(v.array(name), v.minLength(1), v.maxLength(9))),
  }),
  v.check(
    ({ kind, review }) => (kind === undefined) !== (review === undefined),
    'needs exactly one of kind (change, answer, gate, join) and review (a list of roles)',
  ),
);

const head = {
  name,
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  description: v.optional(v.string()),
  /** What becomes of the task when a step has used up its attempts. */
  on_exhausted: v.optional(v.picklist(['fail', 'escalate', 'block'])),
};

/** As people write it. */
export const workflowFile = v.strictObject({ ...head, steps: v.pipe(v.array(fileStep), v.minLength(1)) });
export type WorkflowFile = v.InferOutput<typeof workflowFile>;

/** As a task pins it: every step is one that the engine knows. */
export const workflow = v.strictObject({ ...head, steps: v.pipe(v.array(step), v.minLength(1)) });
export type WorkflowDefinition = v.InferOutput<typeof workflow>;
type StepDefinition = WorkflowDefinition['steps'][number];

/** Writes out what a file says in short: `review: [a, b]` is an answer of each, side by side, and a join that weighs them. */
export function expandWorkflow(file: WorkflowFile): WorkflowDefinition {
  let before: string | undefined;
  const steps = file.steps.flatMap(({ review, kind, ...written }): StepDefinition[] => {
    const { id } = written;
    const needs = written.needs ?? (before === undefined ? [] : [before]);
    before = id;
    if (kind !== undefined) return [{ ...written, kind }];
    const roles = review ?? [];
    const [first] = roles;
    if (first !== undefined && roles.length === 1) return [{ ...written, kind: 'answer', role: first }];
    const { on_reject: _, rounds: __, ...plain } = written;
    const answers = roles.map((role, n): StepDefinition => {
      const twin = roles.indexOf(role) === n ? '' : `-${n + 1}`;
      return { ...plain, id: `${id}-${role}${twin}`, kind: 'answer', role, needs };
    });
    const { on_reject, rounds: most } = written;
    const join: StepDefinition = { id, kind: 'join', needs: answers.map((answer) => answer.id) };
    if (on_reject !== undefined) join.on_reject = on_reject;
    if (most !== undefined) join.rounds = most;
    return [...answers, join];
  });
  return { ...file, steps };
}

/** A step with every default filled in. */
export type WorkflowStep = {
  readonly id: StepId;
  readonly kind: StepDefinition['kind'];
  readonly role: string;
  readonly cli: readonly string[];
  readonly gates: readonly string[];
  /** Those of them that do not block. */
  readonly advisory: ReadonlySet<string>;
  /** Those whose failure needs a person, and those that block the task. */
  readonly escalating: ReadonlySet<string>;
  readonly stopping: ReadonlySet<string>;
  /** The stage of each gate. */
  readonly stages: ReadonlyMap<string, number>;
  /** As it was pinned, by gate. */
  readonly rules: ReadonlyMap<string, GateRule>;
  readonly needs: readonly StepId[];
  readonly attempts: number | null;
  readonly wallMs: number | null;
  readonly turns: number;
  readonly grants: readonly string[];
  readonly scope: readonly string[];
  readonly reserve: number;
  /** Where the task goes when this step says no, and how many candidates may reach it; null: nowhere. */
  readonly rework: { readonly to: StepId; readonly rounds: number } | null;
};

const ROUNDS = 3;

/** A workflow ready for use: look-ups instead of scans, so that a long workflow costs no more per step than a short one. */
export type Workflow = {
  readonly hash: WorkflowHash;
  readonly name: string;
  readonly onExhausted: 'failed' | 'escalated' | 'blocked';
  readonly steps: ReadonlyMap<string, WorkflowStep>;
  readonly dependents: ReadonlyMap<string, readonly StepId[]>;
  /** Answers that a join weighs: what they say decides nothing by itself. */
  readonly weighed: ReadonlySet<string>;
  readonly initial: readonly StepId[];
};

export function workflowHashOf(definition: WorkflowDefinition): WorkflowHash {
  return sha256(canonicalJson(definition)) as WorkflowHash;
}

/** Breakers count per role and CLI: a lane. */
export const laneOf = (step: WorkflowStep, cli: string): string => `${step.role}/${cli}`;

const CLOSED = { fail: 'failed', escalate: 'escalated', block: 'blocked' } as const;

export function compileWorkflow(definition: WorkflowDefinition, hash = workflowHashOf(definition)): Workflow {
  const steps = new Map<string, WorkflowStep>();
  const dependents = new Map<string, StepId[]>();
  let before: string | undefined;
  for (const written of definition.steps) {
    const needs = (written.needs ?? (before === undefined ? [] : [before])) as StepId[];
    const id = written.id as StepId;
    const gates = (written.gates ?? []).map((gate) => (typeof gate === 'string' ? { name: gate } : gate));
    const named = (rules: typeof gates) => new Set(rules.map((rule) => rule.name));
    steps.set(id, {
      id,
      kind: written.kind,
      role: written.role ?? written.id,
      cli: written.cli ?? ['scripted'],
      gates: gates.map((gate) => gate.name),
      advisory: named(gates.filter((gate) => gate.blocking === false || gate.on_fail === 'warn')),
      escalating: named(gates.filter((gate) => gate.on_fail === 'escalate')),
      stopping: named(gates.filter((gate) => gate.on_fail === 'block')),
      stages: new Map(gates.map((gate) => [gate.name, gate.stage ?? 1])),
      rules: new Map(gates.map((gate) => [gate.name, gate])),
      needs,
      attempts: written.attempts ?? null,
      wallMs: written.wall_ms ?? null,
      turns: written.continue ?? 0,
      grants: written.grants ?? [],
      scope: written.write_scope ?? [],
      reserve: written.reserve_microusd ?? 0,
      rework: reworkOf(written),
    });
    for (const need of needs) dependents.set(need, [...(dependents.get(need) ?? []), id]);
    before = id;
  }
  const joins = [...steps.values()].filter((one) => one.kind === 'join');
  const weighed = new Set(joins.flatMap((one) => one.needs.filter((id) => steps.get(id)?.kind === 'answer')));
  const initial = [...steps.values()].filter((one) => one.needs.length === 0).map((one) => one.id);
  return {
    hash,
    name: definition.name,
    onExhausted: CLOSED[definition.on_exhausted ?? 'fail'],
    steps,
    dependents,
    weighed,
    initial,
  };
}

function reworkOf({ on_reject, on_fail, rounds: most = ROUNDS }: StepDefinition): WorkflowStep['rework'] {
  const to = on_reject ?? on_fail;
  return to === undefined ? null : { to: to as StepId, rounds: most };
}

/** Gates that may run now: those of the first stage that has not reported whole. */
export function gatesNow(
  { stages }: Pick<WorkflowStep, 'stages'>,
  asked: readonly string[],
  reported: ReadonlySet<string>,
): readonly string[] {
  const open = asked.filter((gate) => !reported.has(gate));
  const stage = Math.min(...open.map((gate) => stages.get(gate) ?? 1));
  return open.filter((gate) => (stages.get(gate) ?? 1) === stage);
}

/** All steps that come after one, through any number of others, in the order of the workflow. */
export function stepsAfter({ steps, dependents }: Workflow, id: StepId): StepId[] {
  const after = new Set<StepId>();
  const queue = [id];
  for (const next of queue) {
    for (const dependent of dependents.get(next) ?? []) {
      if (after.has(dependent)) continue;
      after.add(dependent);
      queue.push(dependent);
    }
  }
  return [...steps.values()].flatMap((one) => (after.has(one.id) ? [one.id] : []));
}

/** All that is wrong with the graph, at once: repeated ids, unknown needs, circles, changes made side by side. */
export function checkWorkflow(definition: WorkflowDefinition, maxSteps: number): Rejection | null {
  const problems: string[] = [];
  if (definition.steps.length > maxSteps)
    problems.push(`has ${definition.steps.length} steps, at most ${maxSteps} are allowed`);
  const known = new Set<string>();
  for (const { id } of definition.steps) {
    if (known.has(id)) problems.push(`step ${id} is written twice`);
    known.add(id);
  }
  const compiled = compileWorkflow(definition);
  for (const one of compiled.steps.values()) {
    for (const need of one.needs)
      if (!known.has(need)) problems.push(`step ${one.id} needs ${need}, which is not a step`);
    if (new Set(one.needs).size !== one.needs.length) problems.push(`step ${one.id} names a need twice`);
    if (new Set(one.gates).size !== one.gates.length) problems.push(`step ${one.id} names a gate twice`);
  }
  if (problems.length === 0) problems.push(...graphProblems(compiled));
  return problems.length > 0 ? rejected('bad_workflow', `workflow ${definition.name}: ${problems.join('; ')}`) : null;
}

function graphProblems(compiled: Workflow): string[] {
  const order = runDry(compiled);
  const left = [...compiled.steps.keys()].filter((id) => !order.has(id));
  if (left.length > 0) return [`steps wait for each other in a circle: ${left.join(', ')}`];
  const misplaced = [...compiled.steps.values()].flatMap((one) => placeProblem(compiled, one, order));
  if (misplaced.length > 0) return misplaced;
  const changes = new Map<number, string>();
  for (const [id, depth] of order) {
    if (compiled.steps.get(id)?.kind !== 'change') continue;
    const beside = changes.get(depth);
    // Each change builds on the one before; of two made side by side, one would be lost.
    if (beside !== undefined)
      return [`steps ${beside} and ${id} both change the tree and neither needs the other: make one need the other`];
    changes.set(depth, id);
  }
  return [];
}

/** What a step of its kind cannot do at its place. */
function placeProblem(compiled: Workflow, one: WorkflowStep, depths: ReadonlyMap<string, number>): string[] {
  const { id, kind, needs, rework } = one;
  const at = `step ${id}`;
  if (kind === 'join' && !needs.some((need) => compiled.steps.get(need)?.kind === 'answer'))
    return [`${at} is a join and needs no answer: name the answers that it weighs in its needs`];
  if (kind === 'gate' && one.gates.length === 0) return [`${at} is of kind gate and names no gate`];
  if ((kind === 'gate' || kind === 'human') && (depths.get(id) ?? 0) === 0)
    return [`${at} is of kind ${kind} and comes before any change: there is nothing to look at yet`];
  if (rework === null) return [];
  if (kind === 'change') return [`${at} changes the tree and cannot send a change back: only what looks at one can`];
  if (!compiled.steps.has(rework.to)) return [`${at} sends the task back to ${rework.to}, which is not a step`];
  if (!stepsAfter(compiled, rework.to).includes(id))
    return [`${at} sends the task back to ${rework.to}, which does not come before it`];
  return [];
}

/**
 * Runs the graph dry (Kahn; no recursion, so long chains are fine). Gives each step that can start the largest number of
 * changes on a way to it, itself included. Two changes on one such depth are not on one way; if all changes are in a row,
 * their depths differ.
 */
function runDry(compiled: Workflow): Map<string, number> {
  const missing = new Map([...compiled.steps.values()].map((one) => [one.id as string, one.needs.length]));
  const depths = new Map<string, number>();
  const queue: StepId[] = [...compiled.initial];
  for (let next = 0; next < queue.length; next++) {
    const step = compiled.steps.get(queue[next] as StepId) as WorkflowStep;
    const before = Math.max(0, ...step.needs.map((need) => depths.get(need) ?? 0));
    depths.set(step.id, before + (step.kind === 'change' ? 1 : 0));
    for (const dependent of compiled.dependents.get(step.id) ?? []) {
      const count = (missing.get(dependent) ?? 0) - 1;
      missing.set(dependent, count);
      if (count === 0) queue.push(dependent);
    }
  }
  return depths;
}
