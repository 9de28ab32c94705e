/** The runner tells hands to stop: which ones, and why. */
import { expect, test } from 'vitest';
import type { Hands } from '../../src/engine/ports/hands.ts';
import { Runner } from '../../src/engine/runner.ts';
import type { TaskId } from '../../src/kernel/ids.ts';
import type { Effect, Work } from '../../src/mind/domain/work.ts';

const STREAM = 'task/t-1';
const effectOf = (key: string, work: object): Effect => ({
  key,
  stream: STREAM,
  task: 't-1' as TaskId,
  step: null,
  token: 1,
  started: false,
  work: work as Work,
});
const WORKER = effectOf('worker', { kind: 'worker.run' });
const MESSAGE = effectOf('message', { kind: 'notify.send', digest: [] });

/** Both hands work until the test lets them go; `told` has what each was told when it ended. */
function running() {
  const told: Record<string, unknown> = {};
  const begun: string[] = [];
  const { promise: end, resolve: letGo } = Promise.withResolvers<void>();
  const until = async (name: string, signal: AbortSignal) => {
    begun.push(name);
    await end;
    told[name] = signal.reason ?? null;
  };
  const hands = {
    worker: { run: async (_: Effect, __: unknown, { signal }: { signal: AbortSignal }) => until('worker', signal) },
    notifier: { run: async (_: Effect, __: unknown, { signal }: { signal: AbortSignal }) => until('message', signal) },
  };
  const runner = new Runner({
    hands: hands as unknown as Hands,
    log: () => {},
    failpoint: async () => {},
    keep: () => Promise.reject(new Error('nothing is kept')),
    read: async () => null,
    around: async () => ({ goal: null, queue: [], history: [] }),
    send: async () => true,
    parallel: 2,
  });
  return { runner, told, begun, letGo };
}

test('a pause interrupts the worker of a task, and lets a message that is on its way be sent', async () => {
  const { runner, told, begun, letGo } = running();
  // The worker's own effect belongs to a step.
  const worker = { ...WORKER, step: 's1' as Effect['step'] };
  runner.replace(STREAM, { effects: [worker, MESSAGE] });
  await expect.poll(() => begun).toHaveLength(2);
  runner.replace(STREAM, { effects: [worker, { ...MESSAGE, started: true }], interrupt: 'paused' });
  letGo();
  await runner.idle();
  expect(told).toEqual({ worker: 'paused', message: null });
});

test('the hand of a message that is no longer wanted hears of it: control', async () => {
  const { runner, told, begun, letGo } = running();
  runner.replace(STREAM, { effects: [MESSAGE] });
  await expect.poll(() => begun).toEqual(['message']);
  runner.replace(STREAM, { effects: [] });
  letGo();
  await runner.idle();
  expect(told).toEqual({ message: 'unwanted' });
});
