/** A workflow from its files: merged, joined to a graph, written out and checked. The first problem has its place. */
import { isId } from '../../kernel/ids.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { ParsedFile } from '../fields/parse-file.ts';
import type { FileProblem } from '../fields/yaml.ts';
import { graphProblems } from './check-graph.ts';
import { type ExpandedWorkflow, expandDrafted } from './expand.ts';
import { type Drafted, draftWorkflow, type WorkflowFiles, type WorkflowSource, withChoice } from './extend.ts';
import type { WorkflowChoice } from './file.ts';
import type { Roles } from './step-kind.ts';

/** What a workflow may name that is not in its files. */
export type Surroundings = {
  readonly roles: Roles;
  readonly maxSteps: number;
  readonly gateKinds: readonly string[];
  /** Names of all gates that there are; null: not looked at. */
  readonly gates: readonly string[] | null;
};

export type ReadWorkflow = ExpandedWorkflow & { readonly chain: readonly WorkflowSource[] };

/** What a config says about a workflow, with the way to a place in it. */
export type Composition = { readonly choice: WorkflowChoice; readonly problem: ParsedFile<unknown>['problem'] };

export function readWorkflow(
  source: WorkflowSource,
  files: WorkflowFiles,
  surroundings: Surroundings,
  composition: Composition | null = null,
): ReadWorkflow | FileProblem {
  const drafted = draftWorkflow(source, files);
  if (drafted.type === 'problem') return drafted;
  const whole = composition === null ? drafted : withChoice(drafted, composition.choice, composition.problem);
  if (whole.type === 'problem') return whole;
  if (whole.steps.length === 0)
    return whole.top('has no steps: write them under `steps`, or name a workflow in `extends`');
  const expanded = expandDrafted(whole, surroundings.roles);
  if (expanded.type === 'problem') return expanded;
  const problem = wrongName(expanded) ?? wrongGraph(expanded, surroundings) ?? wrongGate(expanded, whole, surroundings);
  return problem ?? { ...expanded, chain: whole.chain };
}

/** Ids that are made of others may be too long, or taken. */
function wrongName({ definition, at }: ExpandedWorkflow): FileProblem | null {
  const seen = new Set<string>();
  for (const { id } of definition.steps) {
    if (!isId(id))
      return at(id)(`is written out as ${id}, which is longer than 64 characters: shorten the name of the step`);
    if (seen.has(id)) return at(id)(`there are two steps ${id}, one of them written out of another step: rename one`);
    seen.add(id);
  }
  return null;
}

/** Gates that the project decides on are looked at when they are known. */
function wrongGraph({ definition, at }: ExpandedWorkflow, { maxSteps }: Surroundings): FileProblem | null {
  const steps = definition.steps.map((step) =>
    step.kind === 'gate' && step.gates === undefined ? { ...step, gates: ['any'] } : step,
  );
  const [problem] = graphProblems({ ...definition, steps }, maxSteps);
  return problem === undefined ? null : at(problem.step, problem.key)(problem.message);
}

function wrongGate(
  { definition, commands, at }: ExpandedWorkflow,
  { steps, preCommit }: Drafted,
  { gates, gateKinds, roles }: Surroundings,
): FileProblem | null {
  const entries = steps.flatMap((draft) =>
    (draft.says.gates ?? []).map((entry, n) => ({ entry, at: draft.at('gates'), n: [n] })),
  );
  const hooked = preCommit.map(({ entry, at: place }) => ({ entry, at: place, n: [] }));
  const brought = definition.steps.flatMap((step) =>
    step.role === undefined ? [] : (roles.find(step.role)?.gates ?? []),
  );
  const own = [...commands.map(({ name }) => name), ...brought];
  for (const { entry, at: place, n } of [...entries, ...hooked]) {
    const {
      name = undefined,
      kind = undefined,
      optional = false,
    } = typeof entry === 'string' ? { name: entry } : entry;
    if (kind !== undefined && !gateKinds.includes(kind))
      return place(`there is no kind of gate ${kind}${guess(kind, gateKinds)} (known: ${gateKinds.join(', ')})`, ...n);
    const isHook = n.length === 0;
    if (name === undefined || gates === null || optional || isHook) continue;
    const known = [...gates, ...own];
    if (known.includes(name)) continue;
    const list = gates.length > 0 ? `known: ${gates.join(', ')}` : 'none is configured';
    return place(
      `there is no gate ${name}${guess(name, known)} (${list}). Declare it under \`gates\` of the config`,
      ...n,
    );
  }
  const taken = commands.find(({ name }) => gates?.includes(name) === true);
  if (taken !== undefined)
    return at(
      taken.name,
      'command',
    )(
      `the config has a gate ${taken.name}: rename the step, or write \`gates: [${taken.name}]\` instead of the command`,
    );
  const canary = commands.find(({ name }) => name.endsWith('-canary'));
  if (canary !== undefined)
    return at(canary.name)('names that end with -canary belong to canaries of gates: rename the step');
  return null;
}

function guess(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? '' : `, did you mean ${meant}?`;
}
