/** A workflow: a named, versioned graph of steps. A step without `needs` follows the one written before it. */
import { sha256 } from '../../kernel/hash.ts';
import type { StepId, WorkflowHash } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import type { GateRule, LowerLevel, RetryPolicy, StepDefinition, WorkflowDefinition } from './step.ts';

/** A step with every default filled in. */
export type WorkflowStep = {
  readonly id: StepId;
  readonly kind: StepDefinition['kind'];
  readonly role: string;
  readonly cli: readonly string[];
  readonly gates: readonly string[];
  /** The advisory ones among them. */
  readonly advisory: ReadonlySet<string>;
  /** Gates whose failure needs a person, and gates that block the task. */
  readonly escalating: ReadonlySet<string>;
  readonly stopping: ReadonlySet<string>;
  /** The stage of each gate. */
  readonly stages: ReadonlyMap<string, number>;
  /** As pinned, by gate. */
  readonly rules: ReadonlyMap<string, GateRule>;
  readonly needs: readonly StepId[];
  readonly attempts: number | null;
  readonly wallMs: number | null;
  readonly turns: number;
  readonly grants: readonly string[];
  readonly scope: readonly string[];
  readonly reserve: number;
  /** Where the task goes if this step rejects, and how many candidates may reach it; null for nowhere. */
  readonly rework: { readonly to: StepId; readonly rounds: number } | null;
  /** For a join: how its answers are weighed. */
  readonly require: 'all' | 'consensus';
  /** The step's own retries; null: the limits apply. */
  readonly retry: RetryPolicy | null;
  /** When its attempts are used up, a person is asked. */
  readonly asksPerson: boolean;
  readonly inputs: readonly StepId[];
  readonly outputs: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly contextScope: string | null;
  /** Whether its answer is checked before the next step builds on it. */
  readonly handOver: boolean;
  /** For a commit: refuse it while the change has no changelog entry. */
  readonly requireChangelog: boolean;
  /** The step whose answer a person sees; null if the task's candidate is shown. */
  readonly about: StepId | null;
  readonly text: string | null;
  /** Empty if there are none. */
  readonly policies: readonly ApprovalPolicy[];
  readonly ifAsked: boolean;
  /** The tree to start from; null for the engine's default. */
  readonly from: 'last' | 'line' | null;
  readonly degrade: readonly LowerLevel[];
  /** The steps that explain why its change failed its gates. */
  readonly analysts: readonly StepId[];
  /**
   * An analysis names the step whose change it looks at. No other step needs it, and it needs none. Null for other
   * steps.
   */
  readonly analyses: StepId | null;
};

const ROUNDS = 3;

/**
 * A workflow ready for use: look-ups instead of scans, so that a long workflow costs no more per step than a short one.
 */
export type Workflow = {
  readonly hash: WorkflowHash;
  readonly name: string;
  readonly onExhausted: 'failed' | 'escalated' | 'blocked';
  /** People give a reason with each answer. */
  readonly auditTrail: boolean;
  readonly steps: ReadonlyMap<string, WorkflowStep>;
  readonly dependents: ReadonlyMap<string, readonly StepId[]>;
  /** Answers that a join weighs: alone they decide nothing. */
  readonly weighed: ReadonlySet<string>;
  readonly initial: readonly StepId[];
  /** Whether a security gate may block one of its steps. */
  readonly secured: boolean;
  /** The classes of paths that its approval policies ask about, by policy. */
  readonly pathClasses: readonly ApprovalPolicy['paths'][];
};

export function workflowHashOf(definition: WorkflowDefinition): WorkflowHash {
  return sha256(canonicalJson(definition)) as WorkflowHash;
}

/** All CLIs that its steps may use. */
export const clisIn = ({ steps }: WorkflowDefinition): string[] =>
  steps.flatMap(({ cli = [], analyses = [] }) => [...cli, ...analyses.flatMap((one) => one.cli ?? [])]);

/** Breakers count per role and CLI: a lane. */
export const laneOf = (step: WorkflowStep, cli: string): string => `${step.role}/${cli}`;

const CLOSED = { fail: 'failed', escalate: 'escalated', block: 'blocked' } as const;

export function compileWorkflow(definition: WorkflowDefinition, hash = workflowHashOf(definition)): Workflow {
  const steps = new Map<string, WorkflowStep>();
  const dependents = new Map<string, StepId[]>();
  let before: string | undefined;
  const analyses: WorkflowStep[] = [];
  for (const written of definition.steps) {
    const needs = (written.needs ?? (before === undefined ? [] : [before])) as StepId[];
    const id = written.id as StepId;
    const analysts = (written.analyses ?? []).map((one) => analysisStep(id, one));
    analyses.push(...analysts);
    steps.set(id, {
      id,
      kind: written.kind,
      role: written.role ?? written.id,
      cli: written.cli ?? ['scripted'],
      ...gateFields(written),
      needs,
      attempts: written.attempts ?? null,
      wallMs: written.wall_ms ?? null,
      turns: written.continue ?? 0,
      grants: written.grants ?? [],
      scope: written.write_scope ?? [],
      reserve: written.reserve_microusd ?? 0,
      rework: reworkOf(written),
      require: written.require ?? 'all',
      retry: written.retry ?? null,
      asksPerson: written.on_failure === 'ask_human',
      inputs: (written.inputs ?? []) as StepId[],
      outputs: written.outputs ?? [],
      config: written.config ?? {},
      contextScope: written.context_scope ?? null,
      handOver: written.hand_over ?? false,
      requireChangelog: written.require_changelog ?? false,
      about: (written.about ?? null) as StepId | null,
      text: written.text ?? null,
      policies: written.policies ?? [],
      ifAsked: written.if_asked ?? false,
      from: written.from ?? null,
      degrade: written.degrade ?? [],
      analysts: analysts.map((one) => one.id),
      analyses: null,
    });
    for (const need of needs) dependents.set(need, [...(dependents.get(need) ?? []), id]);
    before = id;
  }
  const joins = [...steps.values()].filter((one) => one.kind === 'join');
  const weighed = new Set(joins.flatMap((one) => one.needs.filter((id) => steps.get(id)?.kind === 'answer')));
  const initial = [...steps.values()].filter((one) => one.needs.length === 0).map((one) => one.id);
  for (const one of analyses) if (!steps.has(one.id)) steps.set(one.id, one);
  return {
    hash,
    name: definition.name,
    onExhausted: CLOSED[definition.on_exhausted ?? 'fail'],
    auditTrail: definition.audit_trail ?? false,
    steps,
    dependents,
    weighed,
    initial,
    secured: [...steps.values()].some(isSecured),
    pathClasses: [...steps.values()].flatMap(({ policies }) => policies.map(({ paths }) => paths)),
  };
}

/** A gate without a kind has the kind of its name. */
const isSecured = ({ rules, advisory }: WorkflowStep): boolean =>
  [...rules.values()].some(({ name, kind }) => (kind ?? name) === 'security' && !advisory.has(name));
type GateFields = Pick<WorkflowStep, 'gates' | 'advisory' | 'escalating' | 'stopping' | 'stages' | 'rules'>;

function gateFields(written: StepDefinition): GateFields {
  const gates = (written.gates ?? []).map((gate) => (typeof gate === 'string' ? { name: gate } : gate));
  const named = (rules: typeof gates) => new Set(rules.map((rule) => rule.name));
  return {
    gates: gates.map((gate) => gate.name),
    advisory: named(gates.filter((gate) => gate.blocking === false || gate.on_fail === 'warn')),
    escalating: named(gates.filter((gate) => gate.on_fail === 'escalate')),
    stopping: named(gates.filter((gate) => gate.on_fail === 'block')),
    stages: new Map(gates.map((gate) => [gate.name, gate.stage ?? 1])),
    rules: new Map(gates.map((gate) => [gate.name, gate])),
  };
}

/** An analysis helps the next attempt: it must not delay it for long. */
const ANALYSIS_MS = 5 * 60_000;

export const analysisId = (step: string, role: string): StepId => `${step}-analysis-${role}` as StepId;

function analysisStep(
  step: StepId,
  { role, cli, wall_ms }: NonNullable<StepDefinition['analyses']>[number],
): WorkflowStep {
  const id = analysisId(step, role);
  const needs: string[] = [];
  const alone = { name: id, version: 1, steps: [{ id, kind: 'answer' as const, role, needs, attempts: 1 }] };
  const plain = compileWorkflow(alone).steps.get(id) as WorkflowStep;
  const wallMs = Math.min(wall_ms ?? ANALYSIS_MS, ANALYSIS_MS);
  return { ...plain, cli: cli ?? plain.cli, wallMs, analyses: step };
}

function reworkOf({ on_reject, on_fail, rounds: most = ROUNDS }: StepDefinition): WorkflowStep['rework'] {
  const to = on_reject ?? on_fail;
  return to === undefined ? null : { to: to as StepId, rounds: most };
}

/** Gates that may run now: those of the first stage that has not reported completely. */
export function gatesNow(
  { stages }: Pick<WorkflowStep, 'stages'>,
  asked: readonly string[],
  reported: ReadonlySet<string>,
): readonly string[] {
  const open = asked.filter((gate) => !reported.has(gate));
  const stage = Math.min(...open.map((gate) => stages.get(gate) ?? 1));
  return open.filter((gate) => (stages.get(gate) ?? 1) === stage);
}

/** All steps before one, directly or indirectly, in workflow order; if there are more than `most`, the nearest. */
export function stepsBefore({ steps }: Workflow, id: StepId, most = Number.POSITIVE_INFINITY): StepId[] {
  const before = new Set<StepId>();
  const queue = [...(steps.get(id)?.needs ?? [])];
  for (const next of queue) {
    if (before.size >= most) break;
    if (before.has(next)) continue;
    before.add(next);
    queue.push(...(steps.get(next)?.needs ?? []));
  }
  return [...steps.values()].flatMap((one) => (before.has(one.id) ? [one.id] : []));
}

/** All steps after one, directly or indirectly, in workflow order. */
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

/** Changes that no blocking gate checks: neither their own nor one of a later gate step. */
export function uncheckedChanges(workflow: Workflow): StepId[] {
  const blocks = (id: StepId): boolean => {
    const { gates, advisory } = workflow.steps.get(id) as WorkflowStep;
    return gates.some((gate) => !advisory.has(gate));
  };
  const changes = [...workflow.steps.values()].filter((step) => step.kind === 'change');
  const isGate = (id: StepId) => workflow.steps.get(id)?.kind === 'gate';
  return changes.flatMap(({ id }) =>
    blocks(id) || stepsAfter(workflow, id).some((after) => isGate(after) && blocks(after)) ? [] : [id],
  );
}
