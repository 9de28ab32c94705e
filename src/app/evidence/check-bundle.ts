/** Checks the evidence that `supervisor export` wrote: on any machine, without the log, the repository or the network. */
import { revive } from '../../engine/loading.ts';
import { hashOf } from '../../engine/ports/event-hash.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { checkFiles, type FileChange } from '../../mind/bundle/file-change.ts';
import type { Bundle } from '../../mind/bundle/format.ts';
import { changeId } from '../../mind/candidates/raw-diff.ts';
import { EMPTY_PROJECT } from '../../mind/domain/project.ts';
import { streamKind, taskStream } from '../../mind/domain/stream-name.ts';
import { evolve } from '../../mind/domain/streams.ts';
import type { Task } from '../../mind/domain/task.ts';
import { redTestsIn } from '../../mind/gates/evidence.ts';
import { type RunReport, runReport } from '../../mind/protocol/run-report.ts';
import type { WorkflowDefinition } from '../../mind/workflows/step.ts';
import { compileWorkflow, workflowHashOf } from '../../mind/workflows/workflow.ts';
import { checkLandings } from './check-landing.ts';
import { type ChainedEvent, packetsIn, textNames } from './export.ts';
import { isAbout } from './export-landing.ts';

type BundleCheck = {
  /** Empty if everything fits together. */
  readonly problems: readonly string[];
  readonly report: RunReport | null;
  /** What the evidence proves, and what it does not. */
  readonly proves: readonly string[];
  readonly unproven: readonly string[];
};

/** A hostile bundle may hold anything in the place of a member: what cannot be read is refused. */
export function checkBundle(bundle: Bundle): BundleCheck {
  try {
    return checked(bundle);
  } catch (error) {
    const problems = [`a member is not what \`supervisor export\` writes: ${(error as Error).message}`];
    return { problems, report: null, proves: [], unproven: [] };
  }
}

function checked({ head, members }: Bundle): BundleCheck {
  const problems: string[] = [];
  const unproven: string[] = [];
  const chained = chainedIn(members.get('events') ?? '');
  if (chained === null) return { problems: ['its events cannot be read'], report: null, proves: [], unproven };
  const queue = members.has('landing/events') ? chainedIn(members.get('landing/events') ?? '') : [];
  if (queue === null)
    return { problems: ['the events of its landing cannot be read'], report: null, proves: [], unproven };
  problems.push(
    ...chainProblems(chained, head.task),
    ...queueProblems(queue, head.task),
    ...orderProblems(chained, queue),
  );
  const definition = jsonIn<WorkflowDefinition>(members.get('workflow'));
  const task = problems.length > 0 ? null : foldedTask(chained, head.task);
  if (task === null || definition === null) {
    if (problems.length === 0) problems.push('its events do not fold to the task that it names');
    return { problems, report: null, proves: [], unproven };
  }
  if (workflowHashOf(definition) !== task.workflow) problems.push('the workflow is not the one that the task pinned');
  if (task.title !== head.title) problems.push('the title is not that of the task');
  problems.push(...textProblems(members, [...chained, ...queue]));
  const change = changeCheck(members, task);
  const landed = landingCheck({ members, task, definition, chained: [...chained, ...queue] });
  problems.push(...change.problems, ...landed.problems);
  unproven.push(...change.unproven, ...landed.unproven, ...absentTexts(members));
  const report = problems.length > 0 ? null : recomputed(members, chained, task, definition);
  if (problems.length === 0 && canonicalJson(report) !== members.get('report'))
    problems.push('the report does not follow from the events');
  const proves = problems.length > 0 ? [] : [...PROVES, ...change.proves, ...landed.proves];
  return { problems, report: problems.length > 0 ? null : report, proves, unproven: [...unproven, ...NEVER_PROVEN] };
}

const PROVES = [
  'each event has the hash that the log gave it, and none of the task is missing between the first and the last',
  'status, steps, verdict and cost follow from these events',
  'every text is the one that its event names',
] as const;

const NEVER_PROVEN = [
  'who wrote it, unless it is signed by a key that you trust',
  'that gates and reviewers did what the record says: only the Supervisor that ran them says so',
  'that the task has no later events, and that its project has no other tasks',
] as const;

function chainedIn(text: string): ChainedEvent[] | null {
  try {
    return text.split('\n').map((line) => {
      const one = JSON.parse(line) as ChainedEvent;
      if (typeof one.before !== 'string' || typeof one.event?.hash !== 'string') throw new Error('no event');
      return one;
    });
  } catch {
    return null;
  }
}

function jsonIn<T>(text: string | undefined): T | null {
  try {
    return text === undefined ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

function chainProblems(chained: readonly ChainedEvent[], task: string): string[] {
  let last: ChainedEvent['event'] | null = null;
  for (const { before, event } of chained) {
    const name = `event ${event.seq} (${event.type})`;
    if (event.stream !== taskStream(task as never)) return [`${name} belongs to ${event.stream}, not to task ${task}`];
    if (hashOf(before, event) !== event.hash) return [`${name} does not match its hash: it was edited`];
    if (event.version !== (last?.version ?? 0) + 1)
      return [`event number ${(last?.version ?? 0) + 1} of the task is missing`];
    if (last !== null && event.seq <= last.seq) return [`${name} does not come after the one before it`];
    if (last !== null && event.seq === last.seq + 1 && before !== last.hash)
      return [`${name} does not build on the event before it`];
    last = event;
  }
  return [];
}

/** Events of other tasks lie between them, so versions may skip but must grow. */
function queueProblems(queue: readonly ChainedEvent[], task: string): string[] {
  const versions = new Map<string, number>();
  for (const { before, event } of queue) {
    const name = `event ${event.seq} (${event.type})`;
    if (streamKind(event.stream) !== 'line' || !isAbout(event.data, task as TaskId))
      return [`${name} is not about a landing of task ${task}`];
    if (hashOf(before, event) !== event.hash) return [`${name} does not match its hash: it was edited`];
    if (event.version <= (versions.get(event.stream) ?? 0)) return [`${name} does not come after the one before it`];
    versions.set(event.stream, event.version);
  }
  return [];
}

/** Events that are adjacent in the log chain to each other, across streams. */
function orderProblems(chained: readonly ChainedEvent[], queue: readonly ChainedEvent[]): string[] {
  const all = [...chained, ...queue].sort((a, b) => a.event.seq - b.event.seq);
  return all.flatMap(({ before, event: { seq, type } }, n) => {
    const last = all[n - 1]?.event;
    if (last === undefined || last.seq + 1 < seq || (last.seq + 1 === seq && last.hash === before)) return [];
    return [`event ${seq} (${type}) does not build on the event before it`];
  });
}

function foldedTask(chained: readonly ChainedEvent[], id: string): Task | null {
  try {
    const project = chained.map(({ event }) => revive(event)).reduce(evolve, EMPTY_PROJECT);
    return project.tasks.get(id) ?? null;
  } catch {
    return null;
  }
}

/** Every text hashes to its name; every named text is present or listed as absent; there are no others. */
function textProblems(members: ReadonlyMap<string, string>, chained: readonly ChainedEvent[]): string[] {
  const problems: string[] = [];
  const named = new Set(chained.flatMap(({ event }) => textNames(event.data)));
  const absent = new Set((jsonIn<{ hash: string }[]>(members.get('absent')) ?? []).map(({ hash }) => hash));
  for (const hash of named) {
    const text = members.get(`text/${hash}`);
    if (text === undefined) {
      if (!absent.has(hash)) problems.push(`text ${hash.slice(0, 16)}… is named by an event and is not here`);
      continue;
    }
    if (sha256(text) !== hash) problems.push(`text ${hash.slice(0, 16)}… is not what an event names`);
    for (const packet of packetsIn(text)) named.add(packet);
  }
  for (const name of members.keys()) {
    if (name.startsWith('text/') ? named.has(name.slice(5)) : KNOWN.has(name) || name.startsWith('git/')) continue;
    problems.push(`member ${name.slice(0, 100)} belongs to nothing in this task`);
  }
  return problems;
}

const KNOWN = new Set([
  ...['events', 'landing/events', 'workflow', 'report', 'absent'],
  ...['change/raw', 'change/files', 'change/diff'],
]);

const absentTexts = (members: ReadonlyMap<string, string>): string[] =>
  (jsonIn<{ hash: string; state: string }[]>(members.get('absent')) ?? []).map(
    ({ hash, state }) => `text ${hash.slice(0, 16)}…, which is not in the bundle (${state})`,
  );

type ChangeCheck = Pick<BundleCheck, 'problems' | 'proves' | 'unproven'>;

function changeCheck(members: ReadonlyMap<string, string>, { candidate }: Task): ChangeCheck {
  const raw = members.get('change/raw');
  if (candidate === null) {
    const problems = raw === undefined ? [] : ['it shows a change, and the task has none'];
    return { problems, proves: [], unproven: [] };
  }
  const files = jsonIn<FileChange[]>(members.get('change/files'));
  if (raw === undefined || !Array.isArray(files))
    return { problems: [], proves: [], unproven: ['the change itself: its objects were not kept'] };
  if (changeId(raw) !== candidate.change_id)
    return { problems: ['the change is not the one that was judged'], proves: [], unproven: [] };
  const found = checkFiles(raw, files);
  return {
    problems: found.problems,
    proves: [`the files shown are change ${candidate.change_id.slice(0, 16)}…, which gates and reviews looked at`],
    unproven: [...found.unproven, 'the diff text: it is only for reading; the files before and after were checked'],
  };
}

type OfLanding = {
  readonly members: ReadonlyMap<string, string>;
  readonly task: Task;
  readonly definition: WorkflowDefinition;
  readonly chained: readonly ChainedEvent[];
};

function landingCheck({ members, task, definition, chained }: OfLanding): ChangeCheck {
  const objects = new Map(
    [...members].flatMap(([name, content]) => (name.startsWith('git/') ? [[name.slice(4), content]] : [])),
  );
  const events = chained.map(({ event }) => event);
  return checkLandings({ task, workflow: compileWorkflow(definition), events, objects });
}

function recomputed(
  members: ReadonlyMap<string, string>,
  chained: readonly ChainedEvent[],
  task: Task,
  definition: WorkflowDefinition,
): RunReport {
  const events = chained.map(({ event }) => revive(event));
  const evidence = new Map<string, string>();
  for (const event of events)
    if (event.type === 'gate.reported' && (event.data.excused ?? 0) > 0)
      evidence.set(event.data.gate, members.get(`text/${event.data.evidence ?? ''}`) ?? '');
  const tests = (task.red ?? []).flatMap(({ gate }) => redTestsIn(evidence.get(gate) ?? ''));
  return runReport(task, compileWorkflow(definition), events, tests);
}
