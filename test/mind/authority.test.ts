/** The table of who may do what: total, and without a hole through which a model could tell facts. */
import { describe, expect, test } from 'vitest';
import { authority, type Ruling } from '../../src/mind/approvals/authority.ts';
import {
  type ActorKind,
  actorKind,
  actorText,
  type Command,
  command as commandSchema,
} from '../../src/mind/domain/commands.ts';
import { type Mode, mode } from '../../src/mind/domain/values.ts';

const ACTORS = actorKind.options;
const MODES = mode.options;
const COMMANDS = commandSchema.options.map((option) => option.entries.type.literal);
const MODELS = ['planner', 'supervisor', 'mcp', 'watcher'] as const satisfies ActorKind[];
const INSIDE = ['engine', 'hand', 'clock'] as const satisfies ActorKind[];

/** A command without an entry here does not compile. */
const IS_FACT: Readonly<Record<Command['type'], boolean>> = {
  ...{
    'task.create': false,
    'task.resume': false,
    'task.cancel': false,
    'task.pause': false,
    'task.answer_base': false,
    'task.land': false,
    'task.unland': false,
    'task.resolve': false,
    'step.answer': false,
    'goal.set': false,
    'mode.set': false,
  },
  ...{
    'board.configure': false,
    'board.halt': false,
    'board.resume': false,
    'breaker.reset': false,
    'cli.reset': false,
    'proposal.accept': false,
    'proposal.reject': false,
  },
  ...{
    'board.grant': true,
    'attempt.report': true,
    'gate.report': true,
    'apply.report': true,
    'line.report': true,
    'notify.report': true,
  },
  'step.take': false,
  'step.give': false,
  'step.drop': false,
  ...{ 'effect.start': true, 'timer.fire': true },
};

describe('the table of authority', () => {
  test('rules on every actor, command and mode', () => {
    expect(COMMANDS.toSorted()).toEqual(Object.keys(IS_FACT).sort());
    const rulings = new Set<Ruling>();
    for (const actor of ACTORS)
      for (const command of COMMANDS) for (const now of MODES) rulings.add(authority(actor, command, now));
    expect([...rulings].sort()).toEqual(['ask', 'do', 'propose', 'refuse']);
  });

  test.each(COMMANDS.filter((command) => IS_FACT[command]))('lets only Supervisor’s own insides tell %s', (command) => {
    const mayTell = (actor: ActorKind) => MODES.map((now) => authority(actor, command, now));
    for (const actor of INSIDE) expect(mayTell(actor)).toEqual(['do', 'do']);
    for (const actor of ['operator', ...MODELS] as const) expect(mayTell(actor)).toEqual(['refuse', 'refuse']);
  });

  test.each(COMMANDS.filter((command) => !IS_FACT[command]))(
    'lets hands and the clock do nothing but tell facts: not %s',
    (command) => {
      for (const actor of ['hand', 'clock'] as const)
        for (const now of MODES) expect(authority(actor, command, now)).toBe('refuse');
    },
  );

  test('lets the operator do everything but tell facts', () => {
    for (const command of COMMANDS)
      for (const now of MODES) expect(authority('operator', command, now)).toBe(IS_FACT[command] ? 'refuse' : 'do');
  });

  test.each(MODELS)(
    'never lets %s do by itself more than create and resume tasks, and that in AUTO mode only',
    (model) => {
      const free = (now: Mode) => COMMANDS.filter((command) => authority(model, command, now) === 'do');
      expect(free('MANUAL')).toEqual([]);
      expect(free('AUTO').toSorted()).toEqual(['task.create', 'task.resume']);
    },
  );

  test.each(MODELS)('never lets %s answer a proposal', (model) => {
    for (const command of ['proposal.accept', 'proposal.reject'] as const) {
      for (const now of MODES) expect(authority(model, command, now)).toBe('refuse');
    }
  });

  test('lets the engine write the limits in force, and create nothing', () => {
    expect(authority('engine', 'board.configure', 'MANUAL')).toBe('do');
    expect(authority('engine', 'task.create', 'AUTO')).toBe('refuse');
  });
});

test('an actor is shown by kind, and by name where it has one', () => {
  expect(actorText({ kind: 'operator', name: '' })).toBe('operator');
  expect(actorText({ kind: 'mcp', name: 'editor' })).toBe('mcp:editor');
});
