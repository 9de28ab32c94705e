/** Decides a batch of commands one after the other: what is to be written, and what each sender is told. */
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { decide } from '../mind/decisions/decide.ts';
import { type Actor, actorText, type Command, type Envelope } from '../mind/domain/commands.ts';
import { type NewEvent, storedType } from '../mind/domain/events/index.ts';
import type { Project } from '../mind/domain/project.ts';
import { HOST, taskOfStream } from '../mind/domain/stream-name.ts';
import type { Unplaced } from './chain.ts';
import type { AppLog } from './ports/surroundings.ts';

/** A command on its way, and how to tell its sender. */
export type Item = {
  readonly id: string;
  readonly actor: Actor;
  readonly command: Command | Rejection;
  /** Whether it leaves a receipt: its sender chose the id and may send it again. */
  readonly kept: boolean;
  /** Whether it came by the inbox. */
  readonly row: boolean;
  readonly answer: (result: Rejection | null) => void;
};

export type Batch = {
  readonly project: Project;
  readonly own: readonly Unplaced[];
  readonly host: readonly Unplaced[];
  readonly results: readonly { readonly item: Item; readonly rejection: Rejection | null }[];
  /** What is granted holds only if the host is still as it was known here: its budget of the day, the CLIs it parked. */
  readonly countsOnHost: boolean;
};

const ATTEMPT_STARTED = storedType('attempt.started');

/** `seal` adds what the mind may not fetch by itself; `grant` ends the batch by asking the scheduler. */
export function decideBatch(
  before: Project,
  items: readonly Item[],
  options: {
    readonly seal: (id: string, actor: Actor, command: Command) => Envelope;
    readonly grant: boolean;
    /** The share of the machine's memory that is in use. Null: not known. */
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

/** A defect in the mind must not stop the world: the command that met it is refused, with the error on record. */
function carefully(project: Project, envelope: Envelope, log: AppLog): ReturnType<typeof decide> {
  try {
    return decide(project, envelope);
  } catch (error) {
    log('error', 'decide failed', { command: envelope.command.type, id: envelope.id, error: (error as Error).stack });
    return rejected('internal', `${envelope.command.type} met a defect in Supervisor: ${(error as Error).message}`);
  }
}

/** An event of a task carries the task's trace: one thread through everything that was done for it. */
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
