/**
 * Reads a workflow from its files: merged, joined to a graph, expanded and checked. The first problem has its place.
 */
import { isId } from '../../kernel/ids.ts';
import { nearest } from '../../kernel/nearest.ts';
import { type ParsedFile, parseFile } from '../fields/parse-file.ts';
import type { FileProblem } from '../fields/yaml.ts';
import { graphProblems } from './check-graph.ts';
import { type ExpandedWorkflow, expandDrafted } from './expand.ts';
import { type Drafted, draftWorkflow, type WorkflowFiles, type WorkflowSource, withChoice } from './extend.ts';
import { type WorkflowChoice, workflowFile } from './file.ts';
import type { RoleLookup } from './step-kind.ts';

/** What a workflow may name outside its files. */
export type KnownNames = {
  readonly roles: RoleLookup;
  readonly maxSteps: number;
  readonly gateKinds: readonly string[];
  /** Names of all existing gates; null if they are not checked. */
  readonly gates: readonly string[] | null;
};

export type ReadWorkflow = ExpandedWorkflow & { readonly chain: readonly WorkflowSource[] };

/** What a config says about a workflow, with the way to a place in it. */
export type Composition = { readonly choice: WorkflowChoice; readonly problem: Placing };

export function readWorkflow(
  source: WorkflowSource,
  files: WorkflowFiles,
  surroundings: KnownNames,
  composition: Composition | null = null,
): ReadWorkflow | FileProblem {
  const read = readWhole(source, files, surroundings, composition);
  if (read.type === 'workflow') return read;
  if (composition !== null) {
    const alone = readWorkflow(source, files, surroundings);
    if (alone.type === 'problem') return alone;
    return hasPlaceIn(composition.problem, read) ? read : blamed(read, composition.problem, ['workflow', 'template']);
  }
  const own = parseFile(workflowFile, source.text, source.file);
  if (own.type === 'problem' || own.value.extends === undefined || read.file === source.file) return read;
  const parent = files.find(own.value.extends, own.value.extends === source.name ? source.layer : null);
  const isParents = parent === null || readWhole(parent, files, surroundings, null).type === 'problem';
  return isParents ? read : blamed(read, own.problem, ['extends']);
}

type Placing = ParsedFile<unknown>['problem'];

const hasPlaceIn = (place: Placing, { file }: FileProblem): boolean => place([], '').file === file;

/** The parent is right by itself, so the problem is shown where the child changes it. */
function blamed({ file, line, column, message }: FileProblem, place: Placing, path: readonly string[]): FileProblem {
  return place(path, `it does not fit together with the changes made here: ${message} (${file}:${line}:${column})`);
}

function readWhole(
  source: WorkflowSource,
  files: WorkflowFiles,
  surroundings: KnownNames,
  composition: Composition | null,
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

/** Generated ids may be too long, or taken. */
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

/** Gates that the project decides on are checked when they are known. */
function wrongGraph({ definition, at }: ExpandedWorkflow, { maxSteps }: KnownNames): FileProblem | null {
  const steps = definition.steps.map((step) =>
    step.kind === 'gate' && step.gates === undefined ? { ...step, gates: ['any'] } : step,
  );
  const [problem] = graphProblems({ ...definition, steps }, maxSteps);
  return problem === undefined ? null : at(problem.step, problem.key)(problem.message);
}

function wrongGate(
  { definition, commands, at }: ExpandedWorkflow,
  { steps, preCommit }: Drafted,
  { gates, gateKinds, roles }: KnownNames,
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
