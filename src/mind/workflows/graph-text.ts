/** The graph of a workflow for people: as lines of text, and as a Mermaid flowchart. */
import type { StepId } from '../../kernel/ids.ts';
import type { ExpandedWorkflow, GateChoice } from './expand.ts';
import { compileWorkflow, type Workflow, type WorkflowStep } from './workflow.ts';

type DrawnWorkflow = Pick<ExpandedWorkflow, 'definition' | 'choices'>;

/** A step as it is drawn. */
type GraphStep = {
  readonly id: string;
  readonly kind: WorkflowStep['kind'];
  /** 1 for steps that need no other; steps of equal place run side by side. */
  readonly place: number;
  /** The role or the work of the step. */
  readonly does: string;
  readonly needs: readonly string[];
  /** The lower levels it falls back to when its attempts are used up. */
  readonly lower: readonly string[];
  /** When nothing is left to try, a person is asked. */
  readonly asks_person: boolean;
  /** Roles that explain why its change failed, if gates send it back. */
  readonly analyses: readonly string[];
  /** Where a rejection leads, and how many candidates may reach the step. */
  readonly back: { readonly to: string; readonly rounds: number } | null;
};

/** In the order of their places. */
export function graphSteps({ definition, choices }: DrawnWorkflow): GraphStep[] {
  const compiled = compileWorkflow(definition);
  const places = placesOf(compiled);
  const open = new Set(definition.steps.filter((step) => step.gates === undefined).map((step) => step.id));
  const way = [...compiled.steps.values()].filter((step) => step.analyses === null);
  const steps = way.map((step) => ({
    id: step.id,
    kind: step.kind,
    place: places.get(step.id) ?? 1,
    does: doesText(step, gatesText(step, open.has(step.id), choices.get(step.id)), definition),
    needs: step.needs,
    lower: step.degrade,
    asks_person: step.asksPerson,
    analyses: step.analysts.map((id) => compiled.steps.get(id)?.role ?? id),
    back: step.rework,
  }));
  return steps.toSorted((a, b) => a.place - b.place);
}

/** One line per step: its place, its name, what it does, where it goes back to. */
export function graphText(drawn: DrawnWorkflow): string[] {
  const steps = graphSteps(drawn);
  const rows = steps.map((step, n) => {
    const isFirst = steps[n - 1]?.place !== step.place;
    const before = steps.filter((one) => one.place === step.place - 1).map((one) => one.id);
    // Usually a step waits for all steps of the previous place.
    const isUsual = step.needs.length === before.length && step.needs.every((id) => before.includes(id));
    const usedUp = [...step.lower, ...(step.asks_person ? ['a person is asked'] : [])];
    const notes = [
      ...(isUsual || step.place === 1 ? [] : [`after ${step.needs.join(', ')}`]),
      ...(step.analyses.length === 0 ? [] : [`red: analysed by ${step.analyses.join(', ')}`]),
      ...(usedUp.length === 0 ? [] : [`used up: ${usedUp.join(', then ')}`]),
      ...(step.back === null ? [] : [`${NO[step.kind]}: back to ${step.back.to}, ${roundsText(step.back.rounds)}`]),
    ];
    return { place: isFirst ? `${step.place}` : '', id: step.id, does: step.does, notes: notes.join('; ') };
  });
  const width = (key: 'place' | 'id' | 'does') => Math.max(...rows.map((row) => row[key].length));
  const [place, id, does] = [width('place'), width('id'), width('does')];
  return rows.map((row) =>
    `${row.place.padStart(place)}  ${row.id.padEnd(id)}  ${row.does.padEnd(does)}  ${row.notes}`.trimEnd(),
  );
}

/** Ids of steps may be Mermaid keywords, such as `end`, so nodes have other names. */
export function graphMermaid(drawn: DrawnWorkflow): string[] {
  const steps = graphSteps(drawn);
  const node = new Map(steps.map(({ id }, n) => [id, `s${n + 1}`]));
  const nodes = steps.map(({ id, kind, does }) => {
    const [open, close] = SHAPES[kind];
    return `  ${node.get(id)}${open}"${escaped(id)}<br/>${escaped(does)}"${close}`;
  });
  const edges = steps.flatMap(({ id, needs }) => needs.map((need) => `  ${node.get(need)} --> ${node.get(id)}`));
  const back = steps.flatMap((step) =>
    step.back === null
      ? []
      : [`  ${node.get(step.id)} -. "${NO[step.kind]}, ${roundsText(step.back.rounds)}" .-> ${node.get(step.back.to)}`],
  );
  return ['flowchart TD', ...nodes, ...edges, ...back];
}

const NO: Readonly<Record<WorkflowStep['kind'], string>> = {
  change: 'no',
  answer: 'no',
  gate: 'red',
  join: 'no',
  human: 'no',
  commit: 'no changelog entry',
  pull_request: 'no',
};

const SHAPES: Readonly<Record<WorkflowStep['kind'], readonly [string, string]>> = {
  change: ['[', ']'],
  answer: ['(', ')'],
  gate: ['{{', '}}'],
  join: ['{', '}'],
  human: ['[/', '/]'],
  commit: ['([', '])'],
  pull_request: ['[/', '/]'],
};

const escaped = (text: string): string =>
  text.replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;');
const roundsText = (rounds: number): string => `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;

function doesText(step: WorkflowStep, gates: string, { steps }: DrawnWorkflow['definition']): string {
  const role = steps.find(({ id }) => id === step.id)?.role;
  switch (step.kind) {
    case 'change':
      return `${role ?? 'the default role'} changes files${gates === '' ? '' : `, then ${gates}`}`;
    case 'answer':
      return `${role ?? 'the default role'} answers`;
    case 'gate':
      return gates;
    case 'join':
      return step.require === 'consensus' ? 'weighs the answers before it' : 'all answers before it have to approve';
    case 'human':
      return `a person approves ${step.about === null ? 'the change' : `the answer of ${step.about}`}`;
    case 'commit':
      return 'commits on the branch of the task';
    case 'pull_request':
      return 'waits until a person has opened a pull request';
  }
}

function gatesText(step: WorkflowStep, isOpen: boolean, chosen: readonly GateChoice[] | undefined): string {
  const names = chosen?.map(choiceText) ?? step.gates;
  if (names.length > 0) return `${names.length === 1 ? 'gate' : 'gates'} ${names.join(', ')}`;
  return isOpen && (step.kind === 'gate' || step.kind === 'change') ? 'all gates' : '';
}

function choiceText(choice: GateChoice): string {
  if (typeof choice === 'string') return choice;
  const { name, kind, optional } = choice;
  const text = name ?? `kind:${kind}`;
  return optional === true ? `${text} (if there is one)` : text;
}

/** The length of the longest path to each step. Drawn workflows have no cycles. */
function placesOf({ steps, initial, dependents }: Workflow): Map<string, number> {
  const places = new Map<string, number>();
  const missing = new Map([...steps.values()].map((step) => [step.id as string, step.needs.length]));
  const queue: StepId[] = [...initial];
  for (const id of queue) {
    const needs = steps.get(id)?.needs ?? [];
    places.set(id, 1 + Math.max(0, ...needs.map((need) => places.get(need) ?? 0)));
    for (const next of dependents.get(id) ?? []) {
      const count = (missing.get(next) ?? 0) - 1;
      missing.set(next, count);
      if (count === 0) queue.push(next);
    }
  }
  return places;
}
