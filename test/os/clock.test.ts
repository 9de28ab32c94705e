/** OF-10: the engine's clock does not follow the wall clock, and waits longer than Node's timers are not cut short. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/os/machine/clock.ts';

test('a wall clock that jumps an hour back or ten years on does not move the engine', () => {
  let wall = Date.UTC(2026, 0, 1);
  let monotonic = 1_000;
  const clock = systemClock(
    () => wall,
    () => monotonic,
  );
  const start = clock.now();
  wall -= 3_600_000;
  monotonic += 500;
  expect(clock.now() - start).toBe(500);
  wall += 10 * 365 * 86_400_000;
  monotonic += 500;
  expect(clock.now() - start).toBe(1_000);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait of sixty days fires after sixty days, not at once', () => {
  const sixtyDays = 60 * 86_400_000;
  const fired = vi.fn();
  systemClock().after(sixtyDays, fired);
  vi.advanceTimersByTime(sixtyDays - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledTimes(1);
});

test('a wait that was called off never fires, also after its first part', () => {
  const fired = vi.fn();
  const cancel = systemClock().after(60 * 86_400_000, fired);
  vi.advanceTimersByTime(30 * 86_400_000);
  cancel();
  vi.advanceTimersByTime(60 * 86_400_000);
  expect(fired).not.toHaveBeenCalled();
});

test('plain setTimeout would fire at once (positive control)', () => {
  vi.useRealTimers();
  return new Promise<void>((resolve) => {
    process.removeAllListeners('warning');
    setTimeout(resolve, 2 ** 31);
  });
});
