/** All that must hold, whatever goes wrong: each a function with its sentence, which returns what it found or null. */
import * as v from 'valibot';
import { viewTask } from '../../src/app/task-view.ts';
import { checkStretch } from '../../src/engine/chain.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { LeaseLost } from '../../src/engine/lease-lost.ts';
import { loadProject, loadStream } from '../../src/engine/loading.ts';
import { StoreError, THIS_HOST } from '../../src/engine/ports/store.ts';
import { streamRow } from '../../src/engine/stream-row.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import type { BlobHash, StepId } from '../../src/kernel/ids.ts';
import type { Json } from '../../src/kernel/json.ts';
import { branchOf } from '../../src/mind/decisions/decide-close.ts';
import { EVENTS } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { streamKind, taskStream } from '../../src/mind/domain/stream-name.ts';
import { isLive, type Task, untold } from '../../src/mind/domain/task.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { laneOf } from '../../src/mind/workflows/workflow.ts';
import { allRows } from '../support/stores.ts';
import { budgetsAreNotOverdrawn, chargesAddUp, costsAreChargedOnce } from './budget-invariants.ts';
import type { Beginning, End, Finding, SeenAppend, SeenEvent } from './check.ts';
import { applicationKey, attemptKey, commitOf } from './hands.ts';
import type { Site } from './history.ts';
import { PEOPLE_INVARIANTS } from './people-invariants.ts';
import { asksPerson } from './plan.ts';
import type { SimProcess } from './process.ts';
import { parkedCLIsTakeNoWork, quotasPark } from './quota-invariants.ts';
import { bookedAs, counted, isSimulated, openTasks, overlap, recount } from './recount.ts';
import { analysesOnlyHelp, lessOnlyWhereAllowed, noReviewIsAskedTwice } from './review-invariants.ts';
import { differenceOf, isTold, same } from './same.ts';
import { TAKE_INVARIANTS } from './take-invariants.ts';

/** Every event passes the schema it was declared with, on the kind of stream it was declared for. */
function everyEventPassesItsSchema({ event }: SeenEvent): Finding {
  const declared = EVENTS.find((one) => one.type === event.type);
  if (declared === undefined || declared.stream !== streamKind(event.stream))
    return `${event.type} on ${event.stream} is not declared`;
  const parsed = v.safeParse(declared.schema as v.GenericSchema, event.data);
  return parsed.success ? null : `${event.type}: ${v.getDotPath(parsed.issues[0])} ${parsed.issues[0].message}`;
}

/** Sequence numbers and versions have no gaps, and time in the log never runs backwards. */
function placesHaveNoGaps({ site, stored }: SeenEvent): Finding {
  const last = site.events.at(-1);
  if (stored.seq !== (last?.seq ?? 0) + 1) return `event ${stored.seq} follows ${last?.seq}`;
  if (stored.version !== (site.versions.get(stored.stream) ?? 0) + 1)
    return `version ${stored.version} of ${stored.stream} is out of order`;
  return last !== undefined && stored.time < last.time ? `event ${stored.seq} is older than the one before it` : null;
}

/** A gate reports only after all gates of earlier stages have passed, but for those that only warn or that a person cleared. */
function stagesComeInOrder({ event, before }: SeenEvent): Finding {
  if (event.type !== 'gate.reported') return null;
  const { step, gate } = event.data;
  const task = before.tasks.get(taskIdOf(event.stream));
  const definition = task === undefined ? undefined : before.workflows.get(task.workflow)?.steps.get(step);
  const place = task?.steps.get(step)?.place;
  if (definition === undefined || place?.at !== 'checking') return `${gate} reports for ${step}, which is not checked`;
  const stageOf = (name: string) => definition.stages.get(name) ?? 1;
  const early = place.product.gates.find((other) => {
    if (stageOf(other) >= stageOf(gate)) return false;
    const found = place.evidence.find((one) => one.gate === other);
    const cleared = found?.blocked_by?.every(({ id }) =>
      task?.dismissed?.some((one) => one.gate === other && one.id === id),
    );
    return found === undefined || (found.status !== 'pass' && !definition.advisory.has(other) && cleared !== true);
  });
  return early === undefined ? null : `${gate} of stage ${stageOf(gate)} reports before ${early} has passed`;
}

/** A task is created once, and when it is closed only a reopening or the message about its end changes it. */
function closedTasksStayAsTheyAre({ event, before }: SeenEvent): Finding {
  if (streamKind(event.stream) !== 'task') return null;
  const task = before.tasks.get(taskIdOf(event.stream));
  if (event.type === 'task.created') return task === undefined ? null : `${task.id} is created a second time`;
  if (task === undefined) return `${event.type} on ${event.stream} before the task was created`;
  if (event.type === 'step.taken' || event.type === 'step.dropped') return null;
  const told = 'kind' in event.data && /^(notify\.send|line\.move)$/.test(event.data.kind);
  const lands = /^(task\.(landing|landed|not_landed|given_up|approved)|incident\.resolved)$/.test(event.type);
  // What refused its change, or a review left open, may be taken back before it is reopened.
  const dismissed = event.type === 'finding.dismissed';
  const message = /^notice\.(held|due|dropped)$/.test(event.type);
  const allowed =
    message || lands || dismissed || event.type === 'task.reopened' || event.type === 'outcome.refused' || told;
  return task.closed === null || allowed ? null : `${event.type} on ${task.id}, which is ${task.closed.status}`;
}

/** Only the attempt under way, by its token, can bring a step forward: a late outcome of an old one changes nothing. */
function oldOutcomesChangeNothing({ event, before, after }: SeenEvent): Finding {
  const task = before.tasks.get(taskIdOf(event.stream));
  if (task === undefined) return null;
  const tokenAt = (step: StepId | null, ...places: string[]): number | null => {
    const place = step === null ? undefined : task.steps.get(step)?.place;
    return (place?.at === 'working' || place?.at === 'checking') && places.includes(place.at)
      ? place.attempt.token
      : null;
  };
  switch (event.type) {
    case 'attempt.produced':
      return tokenAt(event.data.step, 'working') === event.data.token
        ? null
        : `${task.id}: a product of an old attempt`;
    case 'gate.reported':
      return tokenAt(event.data.step, 'checking') === event.data.token
        ? null
        : `${task.id}: evidence of an old attempt`;
    case 'attempt.settled':
      return tokenAt(event.data.step, 'working', 'checking') === event.data.token
        ? null
        : `${task.id}: an old attempt is settled`;
    case 'outcome.refused': {
      const { kind, step, token } = event.data;
      const current =
        kind === 'candidate.apply'
          ? task.applying?.token
          : tokenAt(step, kind === 'worker.run' ? 'working' : 'checking');
      if (task.closed === null && current === token) return `${task.id}: token ${token} is under way and was refused`;
      const [was, is] = [task, after.tasks.get(task.id) as Task].map((one) => ({ ...one, refused: 0, updated: 0 }));
      return same(was, is) ? null : `${task.id}: a refused outcome changed it`;
    }
    default:
      return null;
  }
}

/** An application or a message begins once, and is settled by its own token only. */
function effectsBeginAndEndOnce({ event, before }: SeenEvent): Finding {
  if (event.type !== 'effect.started' && event.type !== 'effect.settled') return null;
  const task = before.tasks.get(taskIdOf(event.stream)) as Task;
  const { kind, token, key } = event.data;
  if (event.type === 'effect.started' && task.started.includes(key)) return `${task.id}: ${kind} begins twice`;
  const queue = task.landing === undefined ? undefined : before.lines.get(task.landing.onto)?.queue;
  const wanted =
    kind === 'line.move'
      ? queue?.find((landing) => landing.task === task.id)?.token
      : kind === 'notify.send'
        ? key.endsWith('/notify.quiet')
          ? task.digest?.token
          : key.endsWith('/notify.ask')
            ? untold(task)
            : task.notify && task.token
        : task.applying?.token;
  return wanted === token ? null : `${task.id}: ${event.type} for ${kind} under token ${token}, wanted is ${wanted}`;
}

/** A candidate or a verdict is recorded only for the attempt that it was really made in or said about. */
function outcomesBelongToTheirAttempt({ history: { outside }, event, before }: SeenEvent): Finding {
  const task = taskIdOf(event.stream);
  if (event.type === 'gate.reported') {
    const key = `${attemptKey(task, event.data.step, event.data.token)}/${event.data.gate}`;
    return outside.verdicts.get(key)?.has(event.data.status) ? null : `gate ${key} never said ${event.data.status}`;
  }
  if (event.type !== 'attempt.produced' && event.type !== 'attempt.settled') return null;
  const { candidate, step, token } = event.data;
  // A gate step looks at what an earlier one made.
  const place = before.tasks.get(task)?.steps.get(step)?.place;
  if ((place?.at === 'working' || place?.at === 'checking') && place.attempt.kind === 'gate') return null;
  const maker = candidate === null ? null : outside.made.get(candidate.tree);
  return candidate === null || maker === attemptKey(task, step, token)
    ? null
    : `${candidate.tree} made by ${maker} is recorded for ${attemptKey(task, step, token)}`;
}

/** What keeps a worker from starting. What a person makes needs no slot and no CLI. */
function withoutSlot(before: Project, task: Task, { step, cli }: { step: StepId; cli: string }): Finding {
  const { slots } = before.board.limits;
  const held = recount(before);
  const busy = isSimulated(task) ? held.busyPlayed : held.busy;
  if (busy >= slots.total) return `${busy} of ${slots.total} slots were busy`;
  if ((held.busyCli[bookedAs(task, cli)] ?? 0) >= (slots.per_cli[cli] ?? slots.total))
    return `no slot of ${cli} was free`;
  if (!held.ready.includes(`${task.id}/${step}`)) return 'it was not ready';
  const definition = before.workflows.get(task.workflow)?.steps.get(step);
  const isOpen = definition !== undefined && before.board.breakers.get(bookedAs(task, laneOf(definition, cli)))?.open;
  return isOpen === true ? 'the breaker was open' : null;
}

/** An attempt starts only where slots, breakers, locks and fencing allow it. */
function grantsStayInsideTheLimits({ event, before, after }: SeenEvent): Finding {
  if (event.type !== 'attempt.started' || event.data.kind === 'gate') return null;
  const id = taskIdOf(event.stream);
  const { step, token, given } = event.data;
  const task = before.tasks.get(id) as Task;
  if (token <= task.token) return `${id}: token ${token} after ${task.token}`;
  const problem = given === undefined ? withoutSlot(before, task, event.data) : null;
  if (problem !== null) return `${id}/${step}: ${problem}`;
  const mine = after.tasks.get(id)?.locks ?? [];
  const clash = openTasks(before).find(
    (other) =>
      other.id !== id &&
      isSimulated(other) === isSimulated(task) &&
      other.locks.some((theirs) => mine.some((lock) => overlap(lock, theirs))),
  );
  return clash === undefined ? null : `${id} and ${clash.id} hold overlapping locks`;
}

/** A paused task is left alone until it is resumed: nothing of it begins, and no outcome closes it but its own apply. */
function pausedTasksGetNothing({ event, before }: SeenEvent): Finding {
  const task = before.tasks.get(taskIdOf(event.stream));
  if (task?.paused !== true) return null;
  return event.type === 'attempt.started' || event.type === 'step.woken'
    ? `${event.type} on ${task.id}, which is paused`
    : null;
}

/** In a halted project no worker starts. What was under way may be checked, joined and committed. */
function haltedProjectsStartNothing({ event, before }: SeenEvent): Finding {
  if (before.board.halted === undefined || event.type !== 'attempt.started' || event.data.kind === 'gate') return null;
  return `${event.stream} begins attempt ${event.data.attempt}, and the project is halted`;
}

/** A simulated failure counts against no real lane. */
function playedFailuresStayPlayed({ event, before }: SeenEvent): Finding {
  if (event.type !== 'breaker.counted') return null;
  const played = event.data.lane.endsWith(' (played)');
  const real = [...before.tasks.values()].some((task) => !isSimulated(task));
  return played || real ? null : `${event.data.lane} counts a failure, and all tasks are simulated`;
}

/** Slots, locks, reservations and the queue are exactly what the tasks say: nothing leaks. */
function whatIsHeldIsWhatTasksHave({ before, after }: SeenEvent): Finding {
  if (after.tasks === before.tasks && after.holds === before.holds) return null;
  return same(counted(after.holds), recount(after))
    ? null
    : `counted ${JSON.stringify(counted(after.holds))}, tasks have ${JSON.stringify(recount(after))}`;
}

type Dismissable = {
  readonly gate: string;
  readonly token?: number;
  readonly finding?: string;
  readonly blocked_by?: readonly { readonly id: string }[];
};

/** What is applied is what passed: all gates of the step that made it, on that very attempt. */
function onlyPassedCandidatesAreApplied({ history, site, event, before }: SeenEvent): Finding {
  if (event.type !== 'task.applying') return null;
  const task = before.tasks.get(taskIdOf(event.stream)) as Task;
  const maker = history.outside.made.get(event.data.candidate.tree) ?? '';
  const [, step = '', token = ''] = maker.split('/');
  const definition = before.workflows.get(task.workflow)?.steps.get(step);
  const gates = definition?.gates.filter((gate) => !definition.advisory.has(gate)) ?? [];
  const passed = (gate: string) =>
    site.events.some(
      ({ stream, type, data }) =>
        stream === event.stream &&
        type === 'gate.reported.2' &&
        same(data, { ...(data as object), step, token: Number(token), gate, status: 'pass' }),
    );
  const logged = (name: string) =>
    site.events
      .filter(({ stream, type }) => stream === event.stream && type === name)
      .map(({ data }) => data as Dismissable);
  // A person took back every finding that failed it.
  const dismissed = (gate: string) =>
    logged('gate.reported.2').some(
      (one) =>
        one.token === Number(token) &&
        one.gate === gate &&
        one.blocked_by?.every(({ id }) =>
          logged('finding.dismissed.1').some((gone) => gone.gate === gate && gone.finding === id),
        ),
    );
  const missing = gates.filter((gate) => !passed(gate) && !dismissed(gate));
  return missing.length === 0 ? null : `${event.stream} applies ${maker} without ${missing.join(', ')}`;
}

/** No accepted change is lost on the way: what is applied was built on all that was accepted before. */
function nothingAcceptedIsLeftOut({ history: { outside }, event, before }: SeenEvent): Finding {
  if (event.type !== 'task.applying') return null;
  const ancestors = new Set<string>();
  for (let tree: string | null | undefined = event.data.candidate.tree; tree != null; tree = outside.inputs.get(tree))
    ancestors.add(tree);
  const steps = before.tasks.get(taskIdOf(event.stream))?.steps ?? [];
  const lost = [...steps].filter(
    ([, { place }]) => place.at === 'done' && place.candidate !== null && !ancestors.has(place.candidate.tree),
  );
  return lost.length === 0
    ? null
    : `${event.stream} applies a tree without the changes of ${lost.map(([id]) => id).join(', ')}`;
}

/** A process that lost the lease can append nothing; its holder always knows where its log ends. */
function fencedProcessesAreRefused({ batch, lease, result }: SeenAppend): Finding {
  const current = lease.token === batch.token && lease.owner !== null;
  if (!current)
    return result.type === 'fenced'
      ? null
      : `an append under token ${batch.token} was ${result.type} while ${lease.token} is current`;
  return result.type === 'conflict' && result.what !== THIS_HOST
    ? `the holder of the lease does not know its own log: ${result.what}`
    : null;
}

/** A command is decided once, however often and by whichever way it was sent. */
function commandsAreDecidedOnce({ history, site, batch, result }: SeenAppend): Finding {
  if (result.type !== 'appended') return null;
  const events = [...batch.own.events, ...(batch.host?.events ?? [])];
  const causes = new Set(events.map((event) => event.cause).filter((cause) => /^(say|late)-/.test(cause)));
  const again = [...causes].find((cause) => site.decidedIn.has(cause));
  for (const cause of causes) site.decidedIn.set(cause, history.appends + 1);
  return again === undefined ? null : `${again} was decided in append ${site.decidedIn.get(again)} before`;
}

/** Nothing is done before the intent to do it is in the log, nor what is no longer wanted, nor by an engine that has ended. */
function handsBeginWhatTheLogWants({ history, process, effect, signal }: Beginning): Finding {
  // Tokens of a line are counted apart from those of a task.
  const at = effect.work.kind === 'gate.run' && effect.step === null ? ` of ${effect.stream}` : '';
  const intent = `${taskStream(effect.task)} ${effect.work.kind} ${effect.token}${at}`;
  if (![...history.sites.values()].some((site) => site.intents.has(intent)))
    return `${effect.key} begins and the log does not say so`;
  if (signal.aborted) return `${effect.key} begins although it was told to stop`;
  return process.ended ? `${effect.key} is begun by ${process.name}, which has ended` : null;
}

/** The worker of an attempt is started at most once, by whoever: another try is another attempt. What a person made may be read again. */
function attemptsRunOnce({ history, effect }: Beginning): Finding {
  return effect.work.kind === 'worker.run' && effect.work.given === undefined && history.outside.runs.has(effect.key)
    ? `${effect.key} is started again`
    : null;
}

/** An engine ends only because it was stopped, lost its lease, or its store failed. */
export function enginesFailOnlyForAReason(error: unknown): Finding {
  return error instanceof LeaseLost || error instanceof StoreError
    ? null
    : String(error instanceof Error ? error.stack : error);
}

/** Each command handed to an engine gets an answer, also when the engine ends; only a dead process stays silent. */
export function everySenderIsAnswered(site: Site, process: SimProcess): Finding {
  const silent = site.submissions
    .filter((one) => one.process === process && one.answer === 'unknown')
    .map((one) => one.id);
  return silent.length === 0 ? null : `${process.name} ended and never answered ${silent.join(', ')}`;
}

/** Nothing acknowledged is lost: what the inbox took is there or answered, and what was answered with yes is in the log. */
async function nothingAcknowledgedIsLost({ site, store }: End): Promise<Finding> {
  const waiting = new Set((await store.inbox(site.project, 100_000)).map((row) => row.id));
  for (const { id, answer, command } of site.submissions) {
    const receipt = await store.receipt(site.project, id);
    if (answer === 'kept' && receipt === null && !waiting.has(id)) return `${id} was taken by the inbox and is gone`;
    const yes = answer === 'done' || (answer === 'kept' && receipt !== null && receipt.rejection === null);
    const { type } = (command ?? {}) as { type?: string };
    // Some commands may find that nothing is left to do, and leave no event.
    if (
      yes &&
      type !== 'board.configure' &&
      type !== 'task.resume' &&
      type !== 'board.halt' &&
      type !== 'board.resume' &&
      type !== 'task.pause' &&
      type !== 'task.land' &&
      type !== 'step.take' &&
      !site.decidedIn.has(id)
    )
      return `${id} (${type}) was answered with yes and is not in the log`;
  }
  return null;
}

/** A refused command leaves nothing behind, and whoever sends the same id gets the same answer. */
async function refusedCommandsLeaveNothing({ site, store }: End): Promise<Finding> {
  for (const { id, answer } of site.submissions) {
    const receipt = await store.receipt(site.project, id);
    if (receipt !== null && receipt.rejection !== null && site.decidedIn.has(id))
      return `${id} was refused (${receipt.rejection.code}) and is in the log`;
    if (receipt === null || typeof answer === 'string' || answer.code === 'stopped') continue;
    if (receipt.rejection?.code !== answer.code)
      return `${id} was answered with ${answer.code}, then with ${receipt.rejection?.code ?? 'yes'}`;
  }
  return null;
}

/** Every text that an event names is kept beside the log. */
async function namedTextsAreKept({ site, store }: End): Promise<Finding> {
  for (const { seq, data } of site.events) {
    const { answer, evidence } = data as Record<string, unknown>;
    for (const hash of [answer, evidence]) {
      if (typeof hash === 'string' && (await store.blob(hash as BlobHash)).type !== 'content')
        return `event ${seq} names blob ${hash}, which is not there`;
    }
  }
  return null;
}

/** An accepted candidate was applied exactly once; nothing else was but by commit steps, unless its application began and ended unknown. */
function appliedExactlyOnce({ history: { outside }, site }: End): Finding {
  for (const task of site.model.tasks.values()) {
    const applied = [...outside.applications].filter(([key]) => key.startsWith(applicationKey(task.id, '')));
    const twice = applied.find(([, times]) => times > 1);
    if (twice !== undefined) return `${twice[0]} was applied ${twice[1]} times`;
    const log = site.events.filter((event) => event.stream === taskStream(task.id));
    const of = (type: string) => log.filter((event) => event.type === type).map(({ data }) => data as Json & object);
    const began = of('effect.started.2').some((data) => same(data, { ...data, kind: 'candidate.apply' }));
    const failed = of('effect.settled.2').some((data) => !same(data, { ...data, result: 'applied' }));
    const isAccepted = task.closed?.status === 'accepted' && task.candidate !== null;
    if (isAccepted && task.candidate !== null) {
      const commit = commitOf(task.candidate);
      if (!outside.applications.has(applicationKey(task.id, commit))) return `${task.id} is accepted and not applied`;
      if (outside.branches.get(branchOf(task)) !== commit) return `${task.id}: its branch holds another candidate`;
    }
    const known = new Set(of('step.committed.1').map((data) => (data as { commit: string }).commit));
    const unknown = applied.filter(([key]) => !known.has(key.slice(applicationKey(task.id, '').length)));
    if (!isAccepted && unknown.length > 0 && (!began || (task.closed?.status === 'cancelled' && !failed)))
      return `${task.id} is ${task.closed?.status ?? 'open'} and was applied`;
  }
  return null;
}

/** What lands is there once: a commit is put onto a line by a landing at most once, and what the log calls landed is there. */
function landsOnce({ history: { outside }, site }: End): Finding {
  const twice = [...outside.landings].find(([, times]) => times > 1);
  if (twice !== undefined) return `${twice[0]} landed ${twice[1]} times`;
  for (const task of site.model.tasks.values())
    if (task.landed !== null && !outside.line(task.landed.onto).includes(task.landed.commit))
      return `${task.id} is said to be on ${task.landed.onto}, which does not hold ${task.landed.commit}`;
  return null;
}

/** The branch moves to an integrated change only after every gate of that very tree has passed, one landing at a time. */
function onlyCheckedChangesLand({ event, before }: SeenEvent): Finding {
  if (!event.type.startsWith('line.') || !('task' in event.data) || event.type === 'line.queued') return null;
  if (event.type === 'line.wanted' || event.type === 'line.used') return null;
  const line = before.lines.get(event.stream.slice('line/'.length));
  const id = event.data.task;
  const place = line?.queue.find(({ task }) => task === id)?.place;
  if (line === undefined || place === undefined) return `${event.type}: ${event.data.task} is not in the queue`;
  if (event.type !== 'line.left' && event.type !== 'line.started' && line.queue[0]?.task !== event.data.task)
    return `${event.type}: ${event.data.task} is not the first of ${line.name}`;
  const others = [...before.lines.values()].filter((one) => one !== line && one.queue.some(({ task }) => task === id));
  if (others.length > 0) return `${event.data.task} is in two queues`;
  if (event.type !== 'line.moving') return null;
  if (place.at === 'integrating') return null;
  // A second look counts only where a person said that an unstable gate will do, and never one without the change.
  const isAllowed = before.tasks.get(id)?.landing?.unstable === true;
  if (place.at === 'rechecking' && (place.on === 'tip' || !isAllowed)) return `${line.name} moves in spite of red`;
  if (place.at !== 'gating' && place.at !== 'rechecking') return `${line.name} moves, and nothing was checked`;
  const { candidate, stack } = event.data;
  // A batch's last tree was checked, and every change in it lands.
  const checked = stack === undefined ? candidate.tree : stack.at(-1)?.tree;
  if (
    place.candidate.tree !== checked ||
    !same(place.stack ?? null, stack ?? null) ||
    place.candidate.base !== candidate.base
  )
    return `${line.name}: another tree was checked`;
  const passed = [...place.passed, ...place.evidence].filter(({ status }) => status === 'pass').map(({ gate }) => gate);
  return place.gates.every((gate) => passed.includes(gate))
    ? null
    : `${line.name} moves to what its gates did not pass`;
}

/** A person is told about one end of a task at most once. */
function notifiedAtMostOnce({ history: { outside } }: End): Finding {
  const twice = [...outside.sends].find(([, times]) => times > 1);
  return twice === undefined ? null : `${twice[0]} was sent ${twice[1]} times`;
}

/** The hash chain holds from the first event to the head. */
async function logsVerify({ site, store }: End): Promise<Finding> {
  for (const boundary of [site.project, THIS_HOST]) {
    const end = checkStretch({ seq: 0, hash: GENESIS, time: 0 }, await store.readLog(boundary, 0, 1_000_000));
    if ('problem' in end) return `${boundary}: ${end.problem}`;
    if (!same(end, await store.head(boundary))) return `${boundary}: the head is not the last event`;
  }
  return null;
}

/** Loading from snapshots gives the same state as folding the whole log, for live streams and for forgotten ones. */
async function loadingGivesTheFold({ site, store }: End): Promise<Finding> {
  const { project } = await loadProject(store, site.project);
  const differs = differenceOf(project, site.model, { withHost: true });
  if (differs !== null) return differs;
  for (const task of site.model.tasks.values()) {
    const { project: alone } = await loadStream(store, site.project, taskStream(task.id), EMPTY_PROJECT);
    if (!same(alone.tasks.get(task.id), task)) return `task ${task.id} loads as another than it folds`;
  }
  for (const row of await allRows(store, site.project)) {
    if (!same(row, streamRow(site.model, row.stream, site.versions.get(row.stream) ?? 0)))
      return `the projection row of ${row.stream} is not what the log says`;
  }
  return null;
}

/** The engine's state is the fold of the log, whenever it is up to date with it. */
export function engineHasTheFold({ history, site, engine }: Omit<End, 'store'>): Finding {
  if (engine === null || engine.head.seq !== site.events.length) return null;
  const { host } = engine.project;
  if (!history.hostStates.has(JSON.stringify(host))) return `the host never was ${JSON.stringify(host)}`;
  return differenceOf(engine.project, site.model, { withHost: history.sites.size === 1 });
}

/** At rest an engine remembers no task that is over: memory depends on what is live, not on history. */
export function closedTasksAreForgotten(engine: Engine): Finding {
  const kept = [...engine.project.tasks.values()].filter((task) => !isLive(task)).map((task) => task.id);
  return kept.length === 0 ? null : `the engine still remembers ${kept.join(', ')}`;
}

/** Every open task says in words what each of its steps waits for; `show`, which loads few streams, says the same. */
async function openTasksSayWhatTheyWaitFor({ site, store }: End): Promise<Finding> {
  const now = site.events.at(-1)?.time ?? 0;
  for (const task of openTasks(site.model)) {
    const view = await viewTask(store, site.project, task.id);
    if (!same(waitsFor(view.project, view.task, now), waitsFor(site.model, task, now)))
      return `${task.id} waits for ${waitsFor(site.model, task, now)}, and is shown to wait for ${waitsFor(view.project, view.task, now)}`;
  }
  const mute = openTasks(site.model).find((task) => {
    const words = waitsFor(site.model, task, now);
    return words.length === 0 || words.some((text) => text.trim() === '' || /: (nothing.*)?$/.test(text));
  });
  return mute === undefined ? null : `${mute.id} waits for ${JSON.stringify(waitsFor(site.model, mute, now))}`;
}

/** When faults stop, what still waits does so for a person, a budget, a breaker, a quota, a closed CLI, or for somebody who does. */
export function onlyLimitsHoldTasksUp(engine: Engine, now: number): Finding {
  const working = openTasks(engine.project).filter((task) => !asksPerson(task));
  const odd = working.flatMap((task) =>
    waitsFor(engine.project, task, now)
      .filter((text) => !/budget|breaker|quota|free slot for|held by task|the answers of/.test(text))
      .map((text) => `${task.id} ${text}`),
  );
  return odd.length === 0 ? null : odd.join('; ');
}

/** When faults stop and the limits allow it, every task closes, is told, gives back what it held, and the inbox is empty. */
export async function everythingComesToRest({ site, store }: End): Promise<Finding> {
  const left = [...site.model.tasks.values()]
    .filter((task) => task.closed === null || !isTold(task))
    .map((task) => `${task.id} ${waitsFor(site.model, task, 0).join(', ')}`);
  if (left.length > 0) return `still open or untold: ${left.join('; ')}`;
  const rows = await store.inbox(site.project, 10);
  if (rows.length > 0) return `still in the inbox: ${rows.map((row) => row.id).join(', ')}`;
  return same(counted(site.model.holds), {
    ready: [],
    busy: 0,
    busyPlayed: 0,
    busyCli: {},
    locks: {},
    reserved: 0,
    reservedTokens: 0,
  })
    ? null
    : 'closed tasks still hold something';
}

const taskIdOf = (stream: string): string => stream.slice('task/'.length);

export const EVENT_INVARIANTS = [
  everyEventPassesItsSchema,
  placesHaveNoGaps,
  closedTasksStayAsTheyAre,
  stagesComeInOrder,
  onlyCheckedChangesLand,
  oldOutcomesChangeNothing,
  effectsBeginAndEndOnce,
  outcomesBelongToTheirAttempt,
  ...PEOPLE_INVARIANTS,
  ...TAKE_INVARIANTS,
  grantsStayInsideTheLimits,
  pausedTasksGetNothing,
  haltedProjectsStartNothing,
  playedFailuresStayPlayed,
  budgetsAreNotOverdrawn,
  parkedCLIsTakeNoWork,
  quotasPark,
  noReviewIsAskedTwice,
  lessOnlyWhereAllowed,
  analysesOnlyHelp,
  costsAreChargedOnce,
  whatIsHeldIsWhatTasksHave,
  onlyPassedCandidatesAreApplied,
  nothingAcceptedIsLeftOut,
];
export const BEGINNING_INVARIANTS = [handsBeginWhatTheLogWants, attemptsRunOnce];
export const APPEND_INVARIANTS = [fencedProcessesAreRefused, commandsAreDecidedOnce];
export const END_INVARIANTS = [
  nothingAcknowledgedIsLost,
  refusedCommandsLeaveNothing,
  namedTextsAreKept,
  appliedExactlyOnce,
  notifiedAtMostOnce,
  landsOnce,
  logsVerify,
  chargesAddUp,
  loadingGivesTheFold,
  engineHasTheFold,
  openTasksSayWhatTheyWaitFor,
];
