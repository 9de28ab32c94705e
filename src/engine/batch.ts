/** Decides a batch of commands one after the other: the events to write, and the answer to each sender. */
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { decide } from '../mind/decisions/decide.ts';
import { type Actor, actorText, type Command, type Envelope } from '../mind/domain/commands.ts';
import { type NewEvent, storedType } from '../mind/domain/events/index.ts';
import type { Project } from '../mind/domain/project.ts';
import { HOST, taskOfStream } from '../mind/domain/stream-name.ts';
import type { Unplaced } from './chain.ts';
import type { AppLog } from './ports/surroundings.ts';

/** A command under way, and how to answer its sender. */
export type BatchItem = {
  readonly id: string;
  readonly actor: Actor;
  readonly command: Command | Rejection;
  /** Whether it gets a receipt: its sender chose the id and may send it again. */
  readonly kept: boolean;
  /** Whether it came through the inbox. */
  readonly row: boolean;
  readonly answer: (result: Rejection | null) => void;
};

export type Batch = {
  readonly project: Project;
  readonly own: readonly Unplaced[];
  readonly host: readonly Unplaced[];
  readonly results: readonly { readonly item: BatchItem; readonly rejection: Rejection | null }[];
  /** True if the grant depends on the host as it was read: its daily budget and parked CLIs. */
  readonly countsOnHost: boolean;
};

const ATTEMPT_STARTED = storedType('attempt.started');

/** `seal` adds what the mind may not fetch itself; `grant` ends the batch by asking the scheduler. */
export function decideBatch(
  before: Project,
  items: readonly BatchItem[],
  options: {
    readonly seal: (id: string, actor: Actor, command: Command) => Envelope;
    readonly grant: boolean;
    /** The share of the machine's memory in use; null if unknown. */
    readonly memory: number | null;
    readonly log: AppLog;
  },
): Batch {
  let project = before;
  const own: Unplaced[] = [];
  const host: Unplaced[] = [];
  const perform = (envelope: Envelope): Rejection | null => {
    const decision = carefully(project, envelope, options.log);
    if (decision.type === 'rejected') return decision;
    project = decision.project;
    for (const event of decision.events) {
      (event.stream === HOST ? host : own).push(unplaced(project, envelope, event));
    }
    return null;
  };
  const results = items.map((item) => ({
    item,
    rejection:
      item.command.type === 'rejected' ? item.command : perform(options.seal(item.id, item.actor, item.command)),
  }));
  if (options.grant)
    perform(
      options.seal(
        'grant',
        { kind: 'engine', name: '' },
        { type: 'board.grant', ...(options.memory === null ? {} : { memory: options.memory }) },
      ),
    );
  const countsOnHost = own.some((event) => event.type === ATTEMPT_STARTED);
  return { project, own, host, results, countsOnHost };
}

/** A bug in the mind must not stop the engine: the command that hits it is refused, and the error is recorded. */
function carefully(project: Project, envelope: Envelope, log: AppLog): ReturnType<typeof decide> {
  try {
    return decide(project, envelope);
  } catch (error) {
    log('error', 'decide failed', { command: envelope.command.type, id: envelope.id, error: (error as Error).stack });
    return rejected('internal', `${envelope.command.type} hit a bug in Supervisor: ${(error as Error).message}`);
  }
}

/** Task events carry the task's trace id, which links everything done for the task. */
function unplaced(project: Project, envelope: Envelope, event: NewEvent): Unplaced {
  const task = taskOfStream(event.stream) ?? ('task' in event.data ? event.data.task : null);
  const trace = (task === null ? undefined : project.tasks.get(task)?.trace) ?? envelope.id;
  const { stream, time } = event;
  return {
    stream,
    type: storedType(event.type),
    data: event.data as Json,
    actor: actorText(envelope.actor),
    cause: envelope.id,
    trace,
    time,
  };
}
