/** The table of what each actor may do. The repository, a model or a remote client never gets more than its row. */
import type { ActorKind, Command } from '../domain/commands.ts';
import type { Mode } from '../domain/values.ts';

/** Do it, store it as a proposal, have the face ask the person first, or refuse. */
export type Ruling = 'do' | 'propose' | 'ask' | 'refuse';

type CommandGroup = 'tasks' | 'stop' | 'steer' | 'answer' | 'facts';

/**
 * Commands grouped by what is at stake. Only Supervisor's own hands and clock report facts, never a face or a model.
 */
const GROUP: Readonly<Record<Command['type'], CommandGroup>> = {
  'task.create': 'tasks',
  'task.resume': 'tasks',
  'task.cancel': 'stop',
  'task.pause': 'stop',
  'task.answer_base': 'answer',
  'task.land': 'answer',
  'task.unland': 'answer',
  'task.resolve': 'answer',
  'step.answer': 'answer',
  'step.take': 'answer',
  'step.give': 'answer',
  'step.drop': 'answer',
  'goal.set': 'steer',
  'mode.set': 'steer',
  'board.configure': 'steer',
  'board.halt': 'stop',
  'board.resume': 'answer',
  'breaker.reset': 'steer',
  'cli.reset': 'steer',
  'proposal.accept': 'answer',
  'proposal.reject': 'answer',
  'board.grant': 'facts',
  'attempt.report': 'facts',
  'gate.report': 'facts',
  'apply.report': 'facts',
  'line.report': 'facts',
  'notify.report': 'facts',
  'effect.start': 'facts',
  'timer.fire': 'facts',
};

type RulingRow = Readonly<Record<CommandGroup, Ruling | Readonly<Record<Mode, Ruling>>>>;

const AUTO_ONLY = { MANUAL: 'propose', AUTO: 'do' } as const;
const INSIDE: RulingRow = { tasks: 'refuse', stop: 'refuse', steer: 'refuse', answer: 'refuse', facts: 'do' };
const MODEL: RulingRow = { tasks: AUTO_ONLY, stop: 'propose', steer: 'propose', answer: 'refuse', facts: 'refuse' };

const TABLE: Readonly<Record<ActorKind, RulingRow>> = {
  operator: { tasks: 'do', stop: 'do', steer: 'do', answer: 'do', facts: 'refuse' },
  planner: MODEL,
  supervisor: MODEL,
  mcp: { ...MODEL, stop: 'ask' },
  watcher: { ...MODEL, stop: 'refuse', steer: 'refuse' },
  /** Recovery settles attempts in the engine's name; start-up records the limits in force. */
  engine: { ...INSIDE, steer: 'do' },
  hand: INSIDE,
  clock: INSIDE,
};

export function authority(actor: ActorKind, command: Command['type'], mode: Mode): Ruling {
  const ruling = TABLE[actor][GROUP[command]];
  return typeof ruling === 'string' ? ruling : ruling[mode];
}
