/** Finds the problems of a workflow's graph, and their steps. */
import { isId, type StepId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { WorkflowDefinition } from './step.ts';
import { analysisId, compileWorkflow, stepsAfter, type Workflow, type WorkflowStep } from './workflow.ts';

/** A problem and its step; null for the workflow as a whole. */
type GraphProblem = {
  readonly step: string | null;
  /** The key of the step with the problem; absent for the step as a whole. */
  readonly key?: string;
  readonly message: string;
};

/** All problems of the graph in one refusal. */
export function checkWorkflow(definition: WorkflowDefinition, maxSteps: number): Rejection | null {
  const problems = graphProblems(definition, maxSteps).map((problem) => problem.message);
  return problems.length > 0 ? rejected('bad_workflow', `workflow ${definition.name}: ${problems.join('; ')}`) : null;
}

/** Repeated ids, unknown steps, cycles, parallel changes, steps at a place where they cannot work. */
export function graphProblems(definition: WorkflowDefinition, maxSteps: number): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const say = (step: string | null, message: string, key?: string) =>
    problems.push(key === undefined ? { step, message } : { step, message, key });
  if (definition.steps.length > maxSteps)
    say(null, `has ${definition.steps.length} steps, at most ${maxSteps} are allowed (limits.max_steps)`);
  const known = new Set<string>();
  for (const { id } of definition.steps) {
    if (known.has(id)) say(id, `step ${id} is written twice`);
    known.add(id);
  }
  for (const { id, analyses = [], kind } of definition.steps) {
    if (analyses.length > 0 && kind !== 'change')
      say(id, `step ${id} is of kind ${kind}: only a change is analysed when gates send it back`, 'analyses');
    for (const { role } of analyses) {
      const other = analysisId(id, role);
      if (known.has(other)) say(id, `step ${other} has the name of an analysis of step ${id}`, 'analyses');
      if (!isId(other)) say(id, `the analysis ${other} has too long a name: give step ${id} a shorter one`, 'analyses');
    }
  }
  const compiled = compileWorkflow(definition);
  for (const { id, needs, gates } of compiled.steps.values()) {
    for (const need of needs) if (!known.has(need)) say(id, `step ${id} needs ${need}, which is not a step`, 'needs');
    if (new Set(needs).size !== needs.length) say(id, `step ${id} names a need twice`, 'needs');
    if (new Set(gates).size !== gates.length) say(id, `step ${id} names a gate twice`, 'gates');
  }
  return problems.length > 0 ? problems : orderProblems(compiled);
}

function orderProblems(compiled: Workflow): GraphProblem[] {
  const order = runDry(compiled);
  const left = [...compiled.steps.values()].flatMap(({ id, analyses }) =>
    order.has(id) || analyses !== null ? [] : [id],
  );
  const [first] = left;
  if (first !== undefined)
    return [{ step: first, key: 'needs', message: `steps wait for each other in a circle: ${left.join(', ')}` }];
  const misplaced = [...compiled.steps.values()].flatMap((one) => placeProblem(compiled, one, order));
  if (misplaced.length > 0) return misplaced;
  const changes = new Map<number, string>();
  for (const [id, depth] of order) {
    if (compiled.steps.get(id)?.kind !== 'change') continue;
    const beside = changes.get(depth);
    // Each change builds on the one before; of two parallel ones, one would be lost.
    if (beside !== undefined) {
      const message = `steps ${beside} and ${id} both change the tree and neither needs the other: make one need the other`;
      return [{ step: id, message }];
    }
    changes.set(depth, id);
  }
  return [];
}

/** What a step of its kind cannot do at its place. */
function placeProblem(compiled: Workflow, one: WorkflowStep, depths: ReadonlyMap<string, number>): GraphProblem[] {
  const { id, kind, needs, about } = one;
  const at = `step ${id}`;
  const isBeforeChange = (depths.get(id) ?? 0) === 0;
  const is = (message: string, key?: string) => [
    key === undefined ? { step: id, message } : { step: id, message, key },
  ];
  if (kind === 'join' && !needs.some((need) => compiled.steps.get(need)?.kind === 'answer'))
    return is(`${at} is a join and needs no answer: name the answers that it weighs in its needs`, 'needs');
  if (kind !== 'join' && one.require === 'consensus')
    return is(`${at} requires a consensus: only a join weighs answers`, 'require');
  if (kind === 'gate' && one.gates.length === 0) return is(`${at} is of kind gate and names no gate`, 'gates');
  if ((kind === 'gate' || kind === 'commit') && isBeforeChange)
    return is(`${at} is of kind ${kind} and comes before any change: there is nothing to look at yet`);
  if (kind === 'human' && about === null && isBeforeChange)
    return is(`${at} asks a person and comes before any change: name in about the answer that the person is shown`);
  if (kind === 'pull_request' && !comesAfter(compiled, id, (step) => step.kind === 'commit'))
    return is(`${at} is of kind pull_request: a step of kind commit has to come before it`);
  if (one.asksPerson && !FAILING.has(kind))
    return is(`${at} is of kind ${kind}, which has no attempts: on_failure has no effect there`, 'retry_policy');
  if (one.asksPerson && kind === 'join' && one.rework === null)
    return is(`${at} asks a person when its rounds are used up, and has none: write on_reject`, 'retry_policy');
  return [...pointerProblems(compiled, one), ...reworkProblems(compiled, one)];
}

const FAILING: ReadonlySet<WorkflowStep['kind']> = new Set(['change', 'answer', 'gate', 'join']);

const comesAfter = (compiled: Workflow, id: StepId, fits: (step: WorkflowStep) => boolean): boolean =>
  [...compiled.steps.values()].some((step) => fits(step) && stepsAfter(compiled, step.id).includes(id));

/** References to other steps: their answers exist only if those steps come before. */
function pointerProblems(compiled: Workflow, { id, kind, about, inputs }: WorkflowStep): GraphProblem[] {
  const named = [
    ...inputs.map((step) => ({ step, key: 'inputs' })),
    ...(about === null ? [] : [{ step: about, key: 'about' }]),
  ];
  if (about !== null && kind !== 'human')
    return [{ step: id, key: 'about', message: `step ${id} is of kind ${kind}: only a human step is about something` }];
  return named.flatMap(({ step, key }): GraphProblem[] => {
    const target = compiled.steps.get(step);
    const names = `step ${id} names ${step} in ${key}, which`;
    if (target === undefined) return [{ step: id, key, message: `${names} is not a step` }];
    if (target.kind !== 'answer' && target.kind !== 'change')
      return [{ step: id, key, message: `${names} is of kind ${target.kind} and answers nothing` }];
    if (!stepsAfter(compiled, step).includes(id))
      return [{ step: id, key, message: `${names} does not come before it` }];
    return [];
  });
}

function reworkProblems(compiled: Workflow, { id, kind, rework, requireChangelog }: WorkflowStep): GraphProblem[] {
  const at = `step ${id}`;
  if (rework === null) return [];
  const key = kind === 'gate' ? 'on_fail' : 'on_reject';
  const is = (message: string) => [{ step: id, key, message }];
  if (kind === 'change') return is(`${at} changes the tree and cannot send a change back: only what looks at one can`);
  if (kind === 'commit' && !requireChangelog)
    return is(`${at} is of kind commit, which neither approves nor rejects: it cannot send a change back`);
  if (!compiled.steps.has(rework.to)) return is(`${at} sends the task back to ${rework.to}, which is not a step`);
  if (!stepsAfter(compiled, rework.to).includes(id))
    return is(`${at} sends the task back to ${rework.to}, which does not come before it`);
  return [];
}

/**
 * Runs the graph dry (Kahn's algorithm; no recursion, so long chains are fine). Returns, for each step that can start,
 * the largest number of changes on a path to it, including itself. Two changes of equal depth are not on one path; if
 * all changes are in a row, their depths differ.
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
