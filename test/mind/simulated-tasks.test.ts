/** Playing is not doing: a simulated task uses up no budget and stops no real work. */
import { describe, expect, test } from 'vitest';
import { fact, given, type Input } from '../support/given.ts';
import { counted, create, ended, grant, limits, resume, spec, startedTasks, taskIn } from './samples.ts';

const simulated = spec({ simulated: true });
const APPLIED: Input = { type: 'apply.report', task: 't-1', token: 2, status: 'applied', commit: null } as Input;
const COST = { microusd: 900, tokens_in: 1, tokens_out: 1 };
const granted = (...past: Input[]) => {
  const { decision } = given(...past).when(grant);
  return decision.type === 'decided' ? startedTasks(decision.events) : [];
};

describe('a simulated task', () => {
  test('from a queue neither looks at a line nor keeps files until it lands, which it never does', () => {
    const queued = (id: string, more: object) =>
      create(id, { base: null, ...spec({ queued: true, files: ['a.ts'], ...more }) });
    const begun: Input[] = [queued('t-1', { simulated: true }), grant];
    expect(granted(queued('t-1', { simulated: true }))).toEqual(['t-1']);
    expect(given(...begun).project.lines.size).toBe(0);
    const played: Input[] = [...begun, ended(1, 'ok'), APPLIED];
    expect(taskIn(given(...played).project)).toMatchObject({ closed: { status: 'accepted' }, locks: [] });
    expect(granted(...played, create('t-2', spec({ files: ['a.ts'] })))).toEqual(['t-2']);
    // The control: a real one asks for the head of its line.
    expect(given(queued('t-1', {}), grant).project.lines.get('main')?.look).toEqual({ state: 'wanted', by: 't-1' });
  });

  const fragile = limits({ breaker: { failures: 1, window_ms: 60_000 }, crash_retries: 9 });

  test('opens a breaker of its own when it crashes, and real tasks go on; a real crash stops both apart', () => {
    const played = [fragile, create('t-1', simulated), grant, ended(1, 'crash')];
    expect([...given(...played).project.board.breakers.keys()]).toEqual(['build/claude (played)']);
    expect(granted(...played, create('t-2'))).toEqual(['t-2']);
    expect(granted(...played, create('t-2', simulated))).toEqual([]);
    // The control: without `simulated` the same crash stops everybody.
    expect(granted(fragile, create('t-1'), grant, ended(1, 'crash'), create('t-2'))).toEqual([]);
  });

  test('charges no budget, and a used-up budget does not keep it from playing', () => {
    const budget = limits({ budget: { project_microusd: 1_000, day_microusd: 1_000 } });
    const cost = { cost: COST };
    const { project } = given(budget, create('t-1', simulated), grant, ended(1, 'ok', cost));
    expect([project.board.spent, project.host.spent]).toEqual([0, 0]);
    expect(project.tasks.get('t-1')?.cost.microusd).toBe(900);
    const real = [budget, create('t-1'), grant, ended(1, 'ok', { cost: { ...COST, microusd: 1_000 } })];
    expect(granted(...real, create('t-2'))).toEqual([]);
    expect(granted(...real, create('t-2', simulated))).toEqual(['t-2']);
  });

  test('takes no slot of a real CLI', () => {
    const one = limits({ slots: { total: 4, per_cli: { claude: 1 } } });
    expect(granted(one, create('t-1', simulated), grant, create('t-2'))).toEqual(['t-2']);
    expect(granted(one, create('t-1'), grant, create('t-2'))).toEqual([]);
  });

  test('takes none of the slots that real tasks share, and waits for its own', () => {
    const one = limits({ slots: { total: 1, per_cli: {} } });
    expect(granted(one, create('t-1', simulated), grant, create('t-2'))).toEqual(['t-2']);
    expect(granted(one, create('t-1'), grant, create('t-2', simulated))).toEqual(['t-2']);
    expect(granted(one, create('t-1', simulated), grant, create('t-2', simulated))).toEqual([]);
    // The control: a real one does take the slot.
    expect(granted(one, create('t-1'), grant, create('t-2'))).toEqual([]);
  });

  test('holds no file that a real task wants to change, and waits for none of a real one', () => {
    const played = spec({ simulated: true, files: ['src/', 'b.ts'] });
    const real = spec({ files: ['src/a.ts', 'b.ts'] });
    expect(granted(create('t-1', played), grant, create('t-2', real))).toEqual(['t-2']);
    expect(granted(create('t-1', real), grant, create('t-2', played))).toEqual(['t-2']);
    expect(granted(create('t-1', played), grant, create('t-2', { ...real, ...played }))).toEqual([]);
    // The control: two real ones wait for each other.
    expect(granted(create('t-1', real), grant, create('t-2', real))).toEqual([]);
  });

  test('resets only breakers of its own when it is resumed', () => {
    const broken = [counted('build/claude'), counted('build/claude (played)')].map(
      (one) => ({ ...one, time: 0 }) as never,
    );
    const { decision } = given(create('t-1', simulated), grant, ended(1, 'blocked'), ...broken).when(resume());
    expect(decision.type === 'decided' && decision.events[0]).toMatchObject(
      fact('board', 'breaker.reset', { lane: 'build/claude (played)' }),
    );
    expect(decision.type === 'decided' && decision.events).toHaveLength(2);
  });
});

test('`reset CLI` lets it work again for real and for played tasks', () => {
  const fragile = limits({ breaker: { failures: 1, window_ms: 60_000 }, crash_retries: 9 });
  given(fragile, create('t-1', simulated), grant, ended(1, 'crash'))
    .when({ type: 'cli.reset', cli: 'claude' })
    .then([fact('board', 'breaker.reset', { lane: 'build/claude (played)' })]);
});
