/** Completes a workflow before a task pins it: who does each step in which role, and which gates check each change. */
import { nearest } from '../../kernel/nearest.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { GateConfig } from '../gates/gate-config.ts';
import { canaryOf, canaryState, gateKind, gateStage, gateWeight } from '../gates/kinds.ts';
import type { GateRule, StepDefinition, WorkflowDefinition } from '../workflows/step.ts';
import { compileWorkflow, uncheckedChanges } from '../workflows/workflow.ts';
import type { Role } from './role.ts';

export type FillOptions = {
  /** The gates of the project and of the task, in order. */
  readonly gates: readonly GateConfig[];
  /** Gates that run only at the gate step that names them. */
  readonly stepOnly?: ReadonlySet<string>;
  /** Only these among them, and those that roles bring or name; null for all. */
  readonly chosen: readonly string[] | null;
  /** Gates that roles bring: choosing among the project's gates never leaves them out. */
  readonly ofRoles?: ReadonlySet<string>;
  /** True if the operator allows a change that nothing checks. */
  readonly noGates: boolean;
  /** First choice and fail-overs of a step that names none, given its role. */
  clis(role: Role): readonly string[];
  /** The most attempts of a step: a role may only lower it. */
  readonly attempts: number;
  /** Throws if there is no such role. */
  role(name: string): Role;
  readonly roles: ReadonlySet<string>;
  /** The operator's choice, for the steps of its kind. */
  readonly chosenRole: Role | null;
};

/** A step for a worker: it has a role and CLIs. */
type WorkStep = StepDefinition & { readonly kind: 'change' | 'answer' };
export const isWork = (step: StepDefinition): step is WorkStep => step.kind === 'change' || step.kind === 'answer';

/** The default for a step without a role, if no role has its name. */
const USUAL = { change: 'implementer', answer: 'investigator' } as const;

/** The role of a step, before any workflow is filled: its gates and CLIs have to be known first. */
export function roleNameOf(step: WorkStep, { chosenRole, roles }: Pick<FillOptions, 'chosenRole' | 'roles'>): string {
  if (chosenRole?.kind === step.kind) return chosenRole.name;
  return step.role ?? (roles.has(step.id) ? step.id : USUAL[step.kind]);
}

export function fillWorkflow(definition: WorkflowDefinition, filling: FillOptions): WorkflowDefinition | Rejection {
  const { chosenRole } = filling;
  if (chosenRole !== null && !definition.steps.some(({ kind }) => kind === chosenRole.kind))
    return rejected('bad_role', noPlaceFor(chosenRole, definition));
  const cast = definition.steps.filter(isWork).map((step) => ({ step, role: filling.role(roleNameOf(step, filling)) }));
  const others = definition.steps.filter((step) => !isWork(step));
  const misfit = cast.find(({ step, role }) => step.kind !== role.kind);
  if (misfit !== undefined) return rejected('bad_role', misfitText(misfit.step, misfit.role));
  const known = new Map(filling.gates.map((gate) => [gate.name as string, gate]));
  const asked = [
    ...(filling.chosen ?? []),
    ...cast.flatMap(({ step, role }) => [...(step.gates ?? []), ...ofRole(step, role)].map(nameOf)),
    ...others.flatMap((step) => (step.gates ?? []).map(nameOf)),
  ];
  const unknown = asked.find((name) => !known.has(name));
  if (unknown !== undefined && !filling.noGates) return unknownGate(unknown, [...known.keys()]);
  const isUsed = (name: string) =>
    filling.chosen === null || filling.chosen.includes(name) || filling.ofRoles?.has(name) === true;
  const all = [...known.keys()].filter((name) => isUsed(name) && filling.stepOnly?.has(name) !== true);
  const ruled = (written: readonly (string | GateRule)[]): GateRule[] => {
    if (filling.noGates) return [];
    const rule = (gate: string | GateRule): GateRule => {
      const said = typeof gate === 'string' ? { name: gate } : gate;
      const config = known.get(said.name);
      if (config === undefined) return { blocking: true, on_fail: 'retry', ...said };
      const { blocking, on_fail } = config;
      const pinned = { stage: gateStage(config), kind: gateKind(config), weight: gateWeight(config) };
      return { blocking, on_fail, ...pinned, canary: canaryState(config), ...said };
    };
    // The role's settings of a gate override the project's.
    const rules = [...new Map(written.map((gate) => [nameOf(gate), rule(gate)])).values()];
    return [...rules, ...rules.flatMap(canaryRule)];
  };
  const rules = (step: WorkStep, role: Role): GateRule[] =>
    ruled(step.gates ?? (step.kind === 'change' ? [...all, ...ofRole(step, role)] : []));
  const worked = cast.map(({ step, role }) => ({
    ...step,
    role: role.name,
    gates: rules(step, role),
    cli: step.cli ?? [...filling.clis(role)],
    ...given('attempts', step.attempts ?? atMost(filling.attempts, role.config['max_retries'])),
    ...given('wall_ms', step.wall_ms ?? milliseconds(role.config['timeout'])),
    ...given('continue', step.continue ?? (role.continue > 0 ? role.continue : undefined)),
    ...given('grants', step.grants ?? some(role.grants)),
    ...given('write_scope', step.write_scope ?? some(role.write_scope)),
    ...given('analyses', analysesOf(step, filling)),
  }));
  const filled = new Map<string, StepDefinition>([
    ...worked.map((step) => [step.id, step] as const),
    // A gate step without names runs all gates of the project.
    ...others.map(
      (step) => [step.id, step.kind === 'gate' ? { ...step, gates: ruled(step.gates ?? all) } : step] as const,
    ),
  ]);
  const whole = { ...definition, steps: definition.steps.map((step) => filled.get(step.id) ?? step) };
  const unchecked = uncheckedChange(whole);
  if (unchecked !== null && !filling.noGates) return rejected('no_gate', uncheckedText(unchecked, known.size > 0));
  return whole;
}

/** `hasGates`: the project has some, and the step runs none of them that can block. */
function uncheckedText(step: string, hasGates: boolean): string {
  const how = hasGates
    ? 'its `gates` are empty or only advise, and no gate step comes after it. Let it run a gate that blocks, write a step `kind: gate` behind it'
    : 'name a gate in .supervisor/config.yaml (`supervisor init` suggests one) or with --gate NAME=COMMAND';
  return `nothing would check step ${step}: ${how}, or say --no-gates`;
}

const analysesOf = ({ analyses }: StepDefinition, { role: roleOf, clis }: FillOptions): StepDefinition['analyses'] =>
  analyses?.map(({ role: name }) => {
    const role = roleOf(name);
    return { role: name, cli: [...clis(role)], ...given('wall_ms', milliseconds(role.config['timeout'])) };
  });

/** The first change that no blocking gate checks: neither its own nor one of a later gate step. */
function uncheckedChange(definition: WorkflowDefinition): string | null {
  const unchecked = uncheckedChanges(compileWorkflow(definition));
  return unchecked[0] ?? null;
}

/**
 * A separate gate, which runs when the one that it proves and all others of its stage have passed. It has no weight.
 */
function canaryRule({ name, stage = 1, canary, ...rule }: GateRule): GateRule[] {
  return canary === 'on' ? [{ ...rule, name: canaryOf(name), stage: stage + 1, weight: 0 }] : [];
}

/** The role's own checks are added to the project's, and only changes are checked. */
function ofRole(step: WorkStep, role: Role): GateRule[] {
  if (step.kind !== 'change' || step.gates !== undefined) return [];
  return role.gates.map((gate) => {
    if (typeof gate === 'string') return { name: gate };
    const { name, blocking, on_fail } = gate;
    return { name, ...given('blocking', blocking), ...given('on_fail', on_fail) };
  });
}

const nameOf = (gate: string | GateRule): string => (typeof gate === 'string' ? gate : gate.name);
const some = (items: readonly string[]): string[] | undefined => (items.length === 0 ? undefined : [...items]);
const milliseconds = (value: unknown): number | undefined => (typeof value === 'number' ? value * 1_000 : undefined);
const atMost = (most: number, value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(most, value) : undefined;

function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: T });
}

function unknownGate(name: string, known: readonly string[]): Rejection {
  const meant = nearest(name, known);
  const list = known.length > 0 ? `known: ${known.join(', ')}` : 'none is configured';
  return rejected(
    'unknown_gate',
    `there is no gate ${name}${meant === null ? '' : `, did you mean ${meant}?`} (${list})`,
  );
}

const DOES = { change: 'changes files', answer: 'only answers' } as const;

const misfitText = (step: WorkStep, role: Role): string =>
  `step ${step.id} is of kind ${step.kind}, but role ${role.name} ${DOES[role.kind]}: give the step another role, or the kind ${role.kind}`;

const noPlaceFor = (role: Role, definition: WorkflowDefinition): string =>
  `role ${role.name} ${DOES[role.kind]}, and workflow ${definition.name} has no step of kind ${role.kind}: choose another workflow with --workflow${role.kind === 'answer' ? ' (`ask` is for answers)' : ''}, or another role`;
