/**
 * Merges a chain of `extends`. A step of the same id is changed in its place: the child's keys replace the parent's,
 * but `config` is merged deeply. Each value keeps the place where it was written.
 */
import { nearest } from '../../kernel/nearest.ts';
import type { Layer } from '../fields/layers.ts';
import { type ParsedFile, parseFile } from '../fields/parse-file.ts';
import type { FieldPath, FileProblem } from '../fields/yaml.ts';
import { type FileStep, type WorkflowChoice, type WorkflowFile, type WorkflowSettings, workflowFile } from './file.ts';

export type WorkflowSource = {
  readonly name: string;
  readonly layer: Layer;
  /** For messages. */
  readonly file: string;
  readonly text: string;
};

/** Where workflow files are found. */
export type WorkflowFiles = {
  /** The nearest file of a name, or the nearest one below a layer. */
  find(name: string, below: Layer | null): WorkflowSource | null;
  /** For messages. */
  names(): readonly string[];
};

/** Makes a problem from a message, at the place where a value was written. */
export type At = (message: string, ...below: FieldPath) => FileProblem;

/** A step of the whole chain. */
export type StepDraft = {
  readonly id: string;
  readonly says: FileStep;
  /** Where the step was first written, and where its value of a key comes from. */
  readonly at: (key?: keyof FileStep) => At;
  /** What a parent said of it before a child made another kind of step of it. Absent: nothing. */
  readonly inherited?: ReadonlySet<keyof FileStep>;
};

export type Disabled = { readonly id: string; readonly at: At };
type GateEntries = NonNullable<NonNullable<WorkflowFile['hooks']>['pre_commit']>;

/** Everything in a chain of files, before its steps are joined to a graph. */
export type Drafted = {
  readonly type: 'drafted';
  readonly name: string;
  readonly version: number;
  readonly description: string | undefined;
  readonly onExhausted: WorkflowFile['on_exhausted'];
  /** The file's own name first, its root last. */
  readonly chain: readonly WorkflowSource[];
  readonly settings: WorkflowSettings;
  readonly settingAt: (key: keyof WorkflowSettings) => At;
  readonly preCommit: readonly { readonly entry: GateEntries[number]; readonly at: At }[];
  readonly steps: readonly StepDraft[];
  readonly disabled: readonly Disabled[];
  /** The place of the file as a whole. */
  readonly top: At;
};

/** Such a long chain is not written on purpose. */
const MAX_DEPTH = 16;

/** A file, or the `workflow:` of a config, as one layer. */
type Layered = {
  readonly steps: readonly { readonly id: string; readonly says: FileStep; readonly path: FieldPath }[];
  readonly settings: WorkflowSettings;
  readonly preCommit: GateEntries;
  readonly disable: readonly string[];
  /** The path of the keys above in their file. */
  readonly under: FieldPath;
  readonly problem: ParsedFile<unknown>['problem'];
};

export function draftWorkflow(source: WorkflowSource, files: WorkflowFiles): Drafted | FileProblem {
  const chain: { readonly source: WorkflowSource; readonly parsed: ParsedFile<WorkflowFile> }[] = [];
  for (let next = source; ; ) {
    const parsed = parseFile(workflowFile, next.text, next.file);
    if (parsed.type === 'problem') return parsed;
    chain.push({ source: next, parsed });
    const parent = parentOf(
      parsed,
      next,
      chain.map((link) => link.source),
      files,
    );
    if (parent === null) break;
    if (parent.type === 'problem') return parent;
    next = parent.source;
  }
  const [leaf] = chain as [(typeof chain)[number]];
  const root = chain.at(-1) as (typeof chain)[number];
  const first: Drafted = {
    type: 'drafted',
    name: leaf.parsed.value.name ?? source.name,
    version: leaf.parsed.value.version ?? 1,
    description: leaf.parsed.value.description,
    onExhausted: chain.map(({ parsed }) => parsed.value.on_exhausted).find((end) => end !== undefined),
    chain: chain.map((link) => link.source),
    settings: {},
    settingAt: () => atOf(root.parsed.problem, []),
    preCommit: [],
    steps: [],
    disabled: [],
    top: atOf(leaf.parsed.problem, []),
  };
  let whole: Drafted | FileProblem = first;
  for (const { parsed } of chain.toReversed()) {
    whole = withLayer(whole, layerOf(parsed));
    if (whole.type === 'problem') return whole;
  }
  return whole;
}

/** The same with a config's changes. */
export function withChoice(
  drafted: Drafted,
  { overrides = {}, disable = [], settings = {} }: WorkflowChoice,
  problem: ParsedFile<unknown>['problem'],
): Drafted | FileProblem {
  const steps = Object.entries(overrides).map(([id, says]) => ({ id, says, path: ['workflow', 'overrides', id] }));
  return withLayer(drafted, { steps, settings, preCommit: [], disable, under: ['workflow'], problem });
}

type Parent = { readonly type: 'parent'; readonly source: WorkflowSource };

function parentOf(
  parsed: ParsedFile<WorkflowFile>,
  source: WorkflowSource,
  chain: readonly WorkflowSource[],
  files: WorkflowFiles,
): Parent | FileProblem | null {
  const wanted = parsed.value.extends;
  if (wanted === undefined) return null;
  const parent = files.find(wanted, wanted === source.name ? source.layer : null);
  if (parent === null && wanted === source.name)
    return parsed.problem(['extends'], `there is no other workflow ${wanted} that this one could build on`);
  if (parent === null) {
    const names = files.names();
    const meant = nearest(wanted, names);
    const guess = meant === null ? '' : `, did you mean ${meant}?`;
    return parsed.problem(['extends'], `there is no workflow ${wanted}${guess} (known: ${names.join(', ')})`);
  }
  const shown = [...chain.map((one) => one.name), wanted].join(' > ');
  if (chain.some((one) => one.file === parent.file))
    return parsed.problem(['extends'], `the workflows extend each other in a circle: ${shown}. Remove one \`extends\``);
  if (chain.length >= MAX_DEPTH)
    return parsed.problem(['extends'], `the chain is more than ${MAX_DEPTH} workflows deep`);
  return { type: 'parent', source: parent };
}

function layerOf({ value, problem }: ParsedFile<WorkflowFile>): Layered {
  const { steps = [], settings = {}, hooks = {}, disable = [] } = value;
  const listed = Array.isArray(steps)
    ? steps.map(({ id, ...says }, n) => ({ id, says, path: ['steps', n] }))
    : Object.entries(steps).map(([id, says]) => ({ id, says, path: ['steps', id] }));
  return { steps: listed, settings, preCommit: hooks.pre_commit ?? [], disable, under: [], problem };
}

function withLayer(below: Drafted, layer: Layered): Drafted | FileProblem {
  const steps = [...below.steps];
  let before: string | null = null;
  for (const { id, says, path } of layer.steps) {
    const own = draftOf(id, says, path, layer.problem);
    const index = steps.findIndex((one) => one.id === id);
    const known = steps[index];
    if (known === undefined) {
      const place = placeOf(own, steps, before, below.steps.length > 0);
      if (typeof place !== 'number') return place;
      steps.splice(place, 0, own);
    } else if (!below.steps.some((one) => one.id === id)) return own.at()(`step ${id} is written twice`, 'id');
    else if (says.position !== undefined)
      return own.at('position')(`step ${id} has its place already: \`position\` is for a step that is new here`);
    else steps[index] = mergeSteps(known, own);
    before = id;
  }
  const at = (...path: FieldPath) => atOf(layer.problem, [...layer.under, ...path]);
  const settingAt = (key: keyof WorkflowSettings) =>
    layer.settings[key] === undefined ? below.settingAt(key) : at('settings', key);
  const hooked = layer.preCommit.map((entry, n) => ({ entry, at: at('hooks', 'pre_commit', n) }));
  const said = new Set(below.preCommit.map(({ entry }) => JSON.stringify(entry)));
  return {
    ...below,
    settings: { ...below.settings, ...layer.settings },
    settingAt,
    preCommit: [...below.preCommit, ...hooked.filter(({ entry }) => !said.has(JSON.stringify(entry)))],
    steps,
    disabled: [...below.disabled, ...layer.disable.map((id, n) => ({ id, at: at('disable', n) }))],
  };
}

const atOf =
  (problem: ParsedFile<unknown>['problem'], path: FieldPath): At =>
  (message, ...below) =>
    problem([...path, ...below], message);

function draftOf(id: string, says: FileStep, path: FieldPath, problem: ParsedFile<unknown>['problem']): StepDraft {
  return { id, says, at: (key) => atOf(problem, key === undefined ? path : [...path, key]) };
}

/**
 * After the step that it names; else after the previous one in its file; the first step of a file that extends nothing
 * is first.
 */
function placeOf(
  own: StepDraft,
  steps: readonly StepDraft[],
  before: string | null,
  isExtension: boolean,
): number | FileProblem {
  const anchor = own.says.position?.slice('after '.length);
  if (anchor !== undefined) {
    const index = steps.findIndex((one) => one.id === anchor);
    if (index >= 0) return index + 1;
    const known = steps.map((one) => one.id);
    return own.at('position')(noSuchStep(anchor, known));
  }
  if (before === null && isExtension) return own.at()(newHere(own.id, steps));
  return steps.findIndex((one) => one.id === before) + 1;
}

function newHere(id: string, steps: readonly StepDraft[]): string {
  const known = steps.map((one) => one.id);
  const meant = nearest(id, known);
  const guess = meant === null ? '' : `; did you mean ${meant}?`;
  return `step ${id} is new here: say where it goes, with \`position: after STEP\`${guess}`;
}

export function noSuchStep(id: string, known: readonly string[]): string {
  const meant = nearest(id, known);
  return `there is no step ${id}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${known.slice(0, 20).join(', ')})`;
}

/** Each of these says who does a step, or what it does. A child that sets one drops the parent's others. */
const WHO = ['role', 'review', 'roles', 'command'] as const;
const OF_WHO = ['kind', 'parallel', 'require', ...WHO] as const;
/** Two words for one thing: a child that writes one drops the parent's other. */
const EITHER = [
  ['rounds', 'max_retries'],
  ['command', 'gates'],
] as const;

function mergeSteps(parent: StepDraft, child: StepDraft): StepDraft {
  const says = (key: keyof FileStep) => child.says[key] !== undefined;
  const isOther = WHO.some(says);
  const dropped: ReadonlySet<string> = new Set([
    ...(isOther ? OF_WHO : says('kind') ? ['review', 'roles'] : []),
    ...EITHER.flatMap(([one, other]) => [...(says(one) ? [other] : []), ...(says(other) ? [one] : [])]),
    ...(maxAttemptsOf(child) === undefined ? [] : ['attempts']),
  ]);
  const kept = Object.fromEntries(Object.entries(parent.says).filter(([key]) => !dropped.has(key))) as FileStep;
  if (says('attempts') && maxAttemptsOf(parent) !== undefined) kept.retry_policy = withoutAttempts(kept.retry_policy);
  const config = mergeDeep(kept.config, child.says.config);
  const merged = { ...kept, ...child.says } as FileStep;
  const before = isOther || says('kind') ? (Object.keys(kept) as (keyof FileStep)[]) : (parent.inherited ?? []);
  const inherited = new Set([...before].filter((key) => !says(key)));
  return {
    id: parent.id,
    says: config === undefined ? merged : { ...merged, config },
    at: (key) => (key === undefined || !says(key) ? parent.at(key) : child.at(key)),
    ...(inherited.size === 0 ? {} : { inherited }),
  };
}

const maxAttemptsOf = ({ says: { retry_policy: policy } }: StepDraft): number | undefined =>
  typeof policy === 'object' ? policy.max_attempts : undefined;

function withoutAttempts(policy: FileStep['retry_policy']): FileStep['retry_policy'] {
  if (typeof policy !== 'object') return policy;
  const { max_attempts: _, ...rest } = policy;
  return rest;
}

type Values = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Values => value !== null && typeof value === 'object' && !Array.isArray(value);

function mergeDeep(parent: Values | undefined, child: Values | undefined): Record<string, unknown> | undefined {
  if (parent === undefined || child === undefined) return child ?? parent;
  const merged: Record<string, unknown> = { ...parent };
  for (const [key, value] of Object.entries(child)) {
    const above = merged[key];
    merged[key] = isMap(above) && isMap(value) ? mergeDeep(above, value) : value;
  }
  return merged;
}
