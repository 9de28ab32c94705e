/** Expands a file's shorthand: the engine knows every step of the result. */
import { HANDED_OVER, isHandedOver } from '../answers/hand-over.ts';
import type { FileProblem } from '../fields/yaml.ts';
import { edgesOf } from './edges.ts';
import type { At, Drafted, StepDraft } from './extend.ts';
import type { FileStep, GateEntry, WorkflowSettings } from './file.ts';
import { settingProblem } from './settings.ts';
import type { StepDefinition, WorkflowDefinition } from './step.ts';
import { type FileKind, fittedTo, keyProblem, kindOf, type RoleLookup } from './step-kind.ts';
import { HOOK, type WrittenStep, withChangelog, withHook, withPullRequest } from './steps-added.ts';
import { isOpen, type MergedWorkflow, type PlacedStep, stepsOf } from './write-steps.ts';

/** A gate by its name or its kind. */
export type GateChoice = string | GateEntry;

/** A workflow whose gates may still be named by kind, or be missing in the project. */
export type ExpandedWorkflow = {
  readonly type: 'workflow';
  readonly definition: WorkflowDefinition;
  /** The gates that a step may mean, if that depends on the project. */
  readonly choices: ReadonlyMap<string, readonly GateChoice[]>;
  /** Gates of the task that only their own step runs. */
  readonly commands: readonly { readonly name: string; readonly command: NonNullable<FileStep['command']> }[];
  /** Steps that must not be left out for lack of gates. */
  readonly required: ReadonlySet<string>;
  readonly settings: WorkflowSettings;
  /** Makes a problem at the place where a step, or the one that it stands for, was written. */
  readonly at: (step: string | null, key?: string) => At;
};

export function expandDrafted(drafted: Drafted, roles: RoleLookup): ExpandedWorkflow | FileProblem {
  const edges = edgesOf(drafted.steps, drafted.disabled);
  if (edges.type === 'problem') return edges;
  const placed: PlacedStep[] = [];
  for (const draft of edges.steps) {
    const kind = kindOf(draft, roles);
    if (typeof kind !== 'string') return kind;
    const fitted = fittedTo(draft, kind);
    const problem = keyProblem(fitted, kind) ?? handOverProblem(fitted, roles);
    if (problem !== null) return problem;
    placed.push({ draft: fitted, kind, needs: edges.needs.get(draft.id) ?? [] });
  }
  const all = new Map(placed.map((one) => [one.draft.id, one]));
  const wrongInput = inputProblem(placed, all);
  if (wrongInput !== null) return wrongInput;
  const whole: MergedWorkflow = { all, settings: drafted.settings, roles };
  const written = placed.flatMap((one) => stepsOf(one, whole).map((step): WrittenStep => ({ step, draft: one.draft })));
  const hooked = drafted.preCommit.length === 0 ? written : withHook(written);
  const entered = drafted.settings.require_changelog === true ? withChangelog(hooked) : hooked;
  const steps = drafted.settings.auto_pr === true ? withPullRequest(entered) : entered;
  return settingProblem(drafted, placed) ?? result(drafted, placed, steps);
}

/** Steps with answers: a review has the answers of its roles. */
const ANSWERING: ReadonlySet<FileKind> = new Set(['answer', 'change', 'review']);

function inputProblem(placed: readonly PlacedStep[], all: ReadonlyMap<string, PlacedStep>): FileProblem | null {
  for (const { draft } of placed) {
    for (const [n, id] of (draft.says.inputs ?? []).entries()) {
      const kind = all.get(id)?.kind;
      if (kind === undefined || ANSWERING.has(kind)) continue;
      const message = `step ${draft.id} names ${id} in inputs, which is of kind ${kind} and answers nothing`;
      return draft.at('inputs')(message, n);
    }
  }
  return null;
}

function handOverProblem({ says, at }: StepDraft, roles: RoleLookup): FileProblem | null {
  const { hand_over, role } = says;
  const answer = role === undefined ? undefined : roles.find(role)?.answer;
  if (hand_over !== true || answer === undefined || isHandedOver(answer)) return null;
  return at('hand_over')(
    `nothing is checked of an answer of the form ${answer}, which role ${role} gives (checked are ${HANDED_OVER.join(', ')}): leave it out`,
  );
}

function result(drafted: Drafted, placed: readonly PlacedStep[], written: readonly WrittenStep[]): ExpandedWorkflow {
  const { name, version, description, onExhausted } = drafted;
  const definition: WorkflowDefinition = {
    name,
    version,
    steps: written.map((one, n) => plainNeeds(one, written[n - 1])),
  };
  if (description !== undefined) definition.description = description;
  if (onExhausted !== undefined) definition.on_exhausted = onExhausted;
  if (drafted.settings.audit_trail === true) definition.audit_trail = true;
  const from = new Map(written.map(({ step, draft }) => [step.id, draft]));
  const dependent = placed.flatMap(({ draft }): [string, readonly GateChoice[]][] =>
    draft.says.gates?.some(isOpen) === true ? [[draft.id, draft.says.gates]] : [],
  );
  const hook: [string, readonly GateChoice[]][] =
    drafted.preCommit.length === 0 ? [] : [[HOOK, drafted.preCommit.map(({ entry }) => optional(entry))]];
  return {
    type: 'workflow',
    definition,
    choices: new Map([...dependent, ...hook]),
    commands: placed.flatMap(({ draft: { id, says } }) =>
      says.command === undefined ? [] : [{ name: id, command: says.command }],
    ),
    required: new Set(placed.flatMap(({ draft: { id, says } }) => (says.required === true ? [id] : []))),
    settings: drafted.settings,
    at: (id, key) => {
      const draft = id === null ? null : from.get(id);
      if (draft === null || draft === undefined)
        return id === HOOK ? (drafted.preCommit[0]?.at ?? drafted.top) : drafted.top;
      const isSaid = key !== undefined && Object.hasOwn(draft.says, key);
      return isSaid ? draft.at(key as keyof FileStep) : draft.at();
    },
  };
}

/** A step that simply follows the previous one lists no needs, as in its file. */
function plainNeeds({ step, draft }: WrittenStep, before: WrittenStep | undefined): StepDefinition {
  const { needs, ...rest } = step;
  const usual = before === undefined ? [] : [before.step.id];
  const isUsual = needs?.length === usual.length && usual.every((id) => needs.includes(id));
  return isUsual && step.id === draft?.id && step.kind !== 'join' ? rest : step;
}

/** A hook of a base workflow must not keep a project without such a gate from committing. */
const optional = (gate: GateChoice): GateChoice => ({
  ...(typeof gate === 'string' ? { name: gate } : gate),
  optional: true,
});
