/**
 * The steps that stand for one step of a file: a review becomes answers and a join, an approval becomes a separate
 * step.
 */
import type { StepDraft } from './extend.ts';
import type { FileStep, GateEntry, WorkflowSettings } from './file.ts';
import { retryFields } from './retry-policies.ts';
import type { GateRule, StepDefinition } from './step.ts';
import type { FileKind, RoleLookup } from './step-kind.ts';

export type PlacedStep = { readonly draft: StepDraft; readonly kind: FileKind; readonly needs: readonly string[] };

export type MergedWorkflow = {
  readonly all: ReadonlyMap<string, PlacedStep>;
  readonly settings: WorkflowSettings;
  readonly roles: RoleLookup;
};

const APPROVAL = '-approval';

/** In the order in which they run. */
export function stepsOf(placed: PlacedStep, whole: MergedWorkflow): StepDefinition[] {
  const { draft, kind } = placed;
  // A join weighs answers, and also waits for the person who approves one.
  const needs = [
    ...new Set(placed.needs.flatMap((need) => (kind === 'join' ? [need] : []).concat(tailOf(need, whole)))),
  ];
  if (kind !== 'commit') {
    const steps = plainSteps(placed, whole, needs);
    return approves(placed, whole) ? [...steps, approvalOf(placed, whole, [draft.id])] : steps;
  }
  if (!approves(placed, whole)) return [{ ...idOf(draft, needs), kind }];
  const person = approvalOf(placed, whole, needs);
  return [person, { ...idOf(draft, [person.id]), kind }];
}

const approves = ({ draft, kind }: PlacedStep, { settings }: MergedWorkflow): boolean =>
  draft.says.human_approval ?? (kind === 'commit' && settings.human_approval === true);

/** Steps that wait for a step also wait for the person who approves it. */
function tailOf(id: string, whole: MergedWorkflow): string {
  const placed = whole.all.get(id) as PlacedStep;
  return placed.kind !== 'commit' && approves(placed, whole) ? `${id}${APPROVAL}` : id;
}

function idOf({ id, says }: StepDraft, needs: string[]): Pick<StepDefinition, 'id' | 'needs' | 'outputs'> {
  return says.outputs === undefined ? { id, needs } : { id, needs, outputs: says.outputs };
}

function plainSteps(placed: PlacedStep, whole: MergedWorkflow, needs: string[]): StepDefinition[] {
  const { draft, kind } = placed;
  const { id, says } = draft;
  const common = { ...idOf(draft, needs), ...wayBack(says) };
  switch (kind) {
    case 'change':
    case 'answer': {
      const role = says.role === undefined ? {} : { role: says.role };
      return [{ ...common, kind, ...role, ...workFields(placed, whole), ...gatesField(says.gates) }];
    }
    case 'review':
      return reviewSteps(placed, whole, needs);
    case 'gate':
      return [{ ...common, kind, ...gatesField(says.command === undefined ? says.gates : [id]) }];
    case 'join':
      return [says.require === undefined ? { ...common, kind } : { ...common, kind, require: says.require }];
    case 'human':
      return [{ ...common, kind, ...shown(says.about ?? aboutOf(placed, whole), says.text ?? says.description) }];
    case 'pull_request':
      return [{ ...common, kind, ...shown(null, says.text ?? says.description) }];
    case 'commit':
      return [{ ...common, kind }];
  }
}

function shown(about: string | null, text: string | undefined): Pick<StepDefinition, 'about' | 'text'> {
  const fields: Pick<StepDefinition, 'about' | 'text'> = {};
  if (about !== null) fields.about = about;
  if (text !== undefined) fields.text = text;
  return fields;
}

type WayBack = Pick<StepDefinition, 'on_reject' | 'on_fail' | 'rounds'>;

function wayBack({ on_reject, on_fail, rounds, max_retries }: FileStep): WayBack {
  const fields: WayBack = {};
  if (on_reject !== undefined) fields.on_reject = on_reject;
  if (on_fail !== undefined) fields.on_fail = on_fail;
  const most = rounds ?? (max_retries === undefined ? undefined : max_retries + 1);
  if (most !== undefined) fields.rounds = most;
  return fields;
}

/** Gates that the project decides on are filled in later. */
function gatesField(gates: FileStep['gates']): Pick<StepDefinition, 'gates'> {
  if (gates === undefined || gates.some(isOpen)) return {};
  return { gates: gates.map((gate) => (typeof gate === 'string' ? gate : ruleOf(gate))) };
}

/** Whether the project decides which gates these are. */
export const isOpen = (gate: string | GateEntry): boolean =>
  typeof gate !== 'string' && (gate.name === undefined || gate.optional === true);

function ruleOf({ optional: _, name = '', ...rule }: GateEntry): GateRule {
  return { name, ...rule } as GateRule;
}

const COPIED = [
  ...(['cli', 'wall_ms', 'continue', 'grants', 'write_scope', 'reserve_microusd'] as const),
  ...(['config', 'context_scope', 'hand_over', 'from', 'degrade'] as const),
];

function workFields({ draft: { says }, needs }: PlacedStep, whole: MergedWorkflow): Partial<StepDefinition> {
  const copied = Object.fromEntries(COPIED.flatMap((key) => (says[key] === undefined ? [] : [[key, says[key]]])));
  const fields: Partial<StepDefinition> = { ...copied, ...retryFields(says) };
  if (says.analyses !== undefined) fields.analyses = says.analyses.map((role) => ({ role }));
  const named = (says.inputs ?? []).flatMap((id) => answersOf(id, whole));
  // The answer that a person approved comes through the approval, which has none of its own.
  const approved = needs.flatMap((need) => (tailOf(need, whole) === need ? [] : answersOf(need, whole)));
  const inputs = [...new Set([...named, ...approved])];
  if (inputs.length > 0) fields.inputs = inputs;
  return fields;
}

/** The steps whose answers a step of the file stands for. */
function answersOf(id: string, { all }: MergedWorkflow): string[] {
  const placed = all.get(id);
  if (placed === undefined) return [];
  if (placed.kind === 'answer' || placed.kind === 'change') return [id];
  return placed.kind === 'review' ? reviewersOf(placed.draft).map((one) => one.id) : [];
}

function reviewersOf({ id, says }: StepDraft): { readonly id: string; readonly role: string }[] {
  const roles = says.review ?? says.roles ?? [];
  if (roles.length === 1) return roles.map((role) => ({ id, role }));
  return roles.map((role, n) => ({ id: `${id}-${role}${roles.indexOf(role) === n ? '' : `-${n + 1}`}`, role }));
}

/** An answer of each role, side by side or one after the other, and a join that weighs them. */
function reviewSteps(placed: PlacedStep, whole: MergedWorkflow, needs: string[]): StepDefinition[] {
  const { draft } = placed;
  const { says } = draft;
  const work = workFields(placed, whole);
  const reviewers = reviewersOf(draft);
  const [only] = reviewers;
  if (only !== undefined && reviewers.length === 1)
    return [{ ...idOf(draft, needs), ...wayBack(says), kind: 'answer', role: only.role, ...work }];
  const isParallel = says.parallel ?? whole.settings.parallel_reviews ?? true;
  const answers = reviewers.map(({ id, role }, n): StepDefinition => {
    const before = isParallel || n === 0 ? needs : [(reviewers[n - 1] as { id: string }).id];
    return { id, needs: before, kind: 'answer', role, ...work };
  });
  const join: StepDefinition = {
    ...idOf(
      draft,
      answers.map((one) => one.id),
    ),
    ...wayBack(says),
    kind: 'join',
  };
  if (says.require !== undefined) join.require = says.require;
  return [...answers, join];
}

/** A person's approval of a step: of its answer, or of the candidate once there is one. */
function approvalOf(placed: PlacedStep, whole: MergedWorkflow, needs: string[]): StepDefinition {
  const { draft } = placed;
  const about = aboutOf(placed, whole);
  const { on_reject = about ?? undefined, rounds } = wayBack(draft.says);
  const what = about === null ? `the change, after step ${draft.id}` : `the answer of step ${about}`;
  const text = `Approve ${placed.kind === 'commit' ? 'the commit of this change' : what}`;
  const step: StepDefinition = { id: `${draft.id}${APPROVAL}`, needs, kind: 'human', ...shown(about, text) };
  if (on_reject !== undefined) step.on_reject = on_reject;
  if (on_reject !== undefined && rounds !== undefined) step.rounds = rounds;
  return step;
}

/** Before there is a change, a person is asked about an answer: the reviewed one, or else the step's own. */
function aboutOf(placed: PlacedStep, whole: MergedWorkflow): string | null {
  const before = stepsBefore(placed, whole);
  if (placed.kind === 'change' || before.some((one) => one.kind === 'change')) return null;
  const judges = placed.kind === 'review' || placed.kind === 'join' || isReviewer(placed, whole);
  if (!judges && placed.kind === 'answer') return placed.draft.id;
  const seen = before.find((one) => one.kind === 'answer' && !isReviewer(one, whole));
  return seen?.draft.id ?? (placed.kind === 'answer' ? placed.draft.id : null);
}

const isReviewer = ({ draft: { says } }: PlacedStep, { roles }: MergedWorkflow): boolean =>
  JUDGING.has(says.role === undefined ? '' : (roles.find(says.role)?.answer ?? ''));
const JUDGING: ReadonlySet<string> = new Set(['review', 'security']);

/** All steps of the file before one, nearest first. */
function stepsBefore(placed: PlacedStep, { all }: Pick<MergedWorkflow, 'all'>): PlacedStep[] {
  const queue = [...placed.needs];
  const found = new Map<string, PlacedStep>();
  for (const id of queue) {
    const one = all.get(id);
    if (one === undefined || found.has(id)) continue;
    found.set(id, one);
    queue.push(...one.needs);
  }
  return [...found.values()];
}
