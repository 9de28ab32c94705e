/** A stretch of schedules for the test suite: none may fail, and every kind of trouble must really have happened. */
import { expect } from 'vitest';
import { runSchedule } from './schedule.ts';
import { report, Tally } from './tally.ts';

/** What must have happened in a thousand schedules, and at least how often: a fault that never comes tests nothing. */
const TROUBLE: Readonly<Record<string, number>> = {
  'crash at any moment': 100,
  'crash at lease.after': 20,
  'crash at append.before': 20,
  'crash at append.after': 20,
  'crash at effect.before candidate.apply': 5,
  'crash at effect.after candidate.apply': 5,
  'crash at effect.after notify.send': 2,
  'crash at release.before': 2,
  'process frozen': 200,
  'take-over': 500,
  'append fenced': 50,
  'conflict: host': 20,
  'polite stop': 500,
  'store error': 50,
  'wall clock jumps': 200,
  'sent again': 500,
  'report brought again': 500,
  'report brought to a later attempt': 50,
  'event outcome.refused': 500,
  'event task.reopened': 50,
  'event task.paused': 180,
  'event task.resumed': 100,
  'event step.taken': 300,
  'event step.dropped': 100,
  'given change read': 200,
  'given change read again': 10,
  'taken task dropped at last': 5,
  'event board.halted': 100,
  'event board.resumed': 100,
  'paused task resumed': 50,
  'event step.waiting': 400,
  'question answered': 100,
  'event step.answered': 300,
  'event step.agreed': 10,
  'event step.committed': 60,
  'event step.joined': 80,
  'event task.reworked': 80,
  'event finding.dismissed': 40,
  'event change.measured': 200,
  'event task.approved': 2,
  'event proposal.decided': 20,
  'event breaker.opened': 20,
  'event step.woken': 50,
  'event cli.parked': 200,
  'event cli.unparked': 100,
  'attempt while something is parked': 300,
  'attempt by a later CLI of its chain': 100,
  'waited for a quota': 20,
  'review voided at its work': 10,
  'step goes on with less': 20,
  'analysis ended well': 20,
  'analysis ended badly': 5,
  'worker hangs': 20,
  'worker ends after it was told to stop': 10,
  'gate hangs': 10,
  'probe finds the application': 20,
  'probe finds the landing': 5,
  'event line.landed': 200,
  'event line.gating': 15,
  'event line.rechecking': 2,
  'event task.based': 200,
  'event task.given_up': 5,
  'drained without acting': 50,
  'task held up by a limit': 100,
  'flood of commands': 1,
  snapshot: 50,
};

export async function runMany(from: number, count: number): Promise<void> {
  const tally = new Tally();
  for (let seed = from; seed < from + count; seed++) tally.add(await runSchedule(seed));
  process.stdout.write(report(tally, { detailed: false }));
  expect(tally.failed.map(({ seed, problems }) => ({ seed, problems }))).toEqual([]);
  const missing = Object.entries(TROUBLE).filter(
    ([what, least]) => (tally.happened.get(what) ?? 0) < Math.floor((least * count) / 1_000),
  );
  expect(
    missing.map(
      ([what, least]) => `${what}: ${tally.happened.get(what) ?? 0} times, ${least} wanted in 1000 schedules`,
    ),
  ).toEqual([]);
}
