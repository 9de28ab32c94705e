/** Kill -9 around `take` and `give`, with real git, a real sandbox and a real gate: one lease, one checkout, one attempt, nothing lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';
import { lastOfEach, passedFailpoints } from './failpoints.ts';

const SCRIPT = JSON.stringify({ steps: { implement: [{ files: { 'a.txt': 'wrong\n', 'new.txt': 'new\n' } }] } });

type Report = { status: string; commit: string; branch: string };

/** A task that has failed, for a person to take. */
class TakenWork implements Disposable {
  readonly world = new World();
  task = '';

  async begin(): Promise<void> {
    const { world } = this;
    world.userConfig('limits: {attempts: 1}\n');
    world.commit({ 'a.txt': 'one\n' });
    const script = world.file('script.yaml', SCRIPT);
    const args = ['run', 'make it right', '--script', script, '--gate', 'tests=grep -q right a.txt', '--json'];
    expect((await world.run(args)).code).toBe(1);
    this.task = (await world.tasks())[0]?.task_id ?? '';
  }

  get dir(): string {
    return join(this.world.dir, 'fix');
  }

  take(env: Readonly<Record<string, string>> = {}) {
    return this.world.run(['take', this.task, this.dir, '--json'], env);
  }

  give(env: Readonly<Record<string, string>> = {}) {
    return this.world.run(['give', this.task, '--json'], env);
  }

  /** The checkout is whole: the worker's change, staged on the base. */
  async checkTaken(): Promise<void> {
    const { world, dir } = this;
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('wrong\n');
    expect(world.git('-C', dir, 'status', '--porcelain')).toBe('M  a.txt\nA  new.txt');
    expect(await this.#count('step.taken.1')).toBe(1);
  }

  async checkGiven(report: Report): Promise<void> {
    const { world } = this;
    expect(report.status).toBe('accepted');
    const events = await world.events();
    const theirs = events.flatMap(({ type, data }) =>
      type === 'attempt.started.2' && 'given' in (data as object) ? [(data as { token: number }).token] : [],
    );
    expect(theirs).toHaveLength(1);
    const produced = events.filter(
      ({ type, data }) => type === 'attempt.produced.2' && (data as { token: number }).token === theirs[0],
    );
    expect(produced).toHaveLength(1);
    expect(doubled(events)).toEqual([]);
    const commits = world.git('rev-list', 'refs/heads/main..', '--branches', '--not', 'refs/heads/main').split('\n');
    expect(commits).toEqual([report.commit]);
    expect(world.git('show', `${report.branch}:a.txt`)).toBe('right');
    world.git('fsck', '--strict');
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect(await settled(() => leftOver(world))).toEqual([]);
    // Theirs, whatever came of it.
    expect(readFileSync(join(this.dir, 'a.txt'), 'utf8')).toBe('right\n');
  }

  async #count(type: string): Promise<number> {
    return (await this.world.events()).filter((event) => event.type === type).length;
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

test('at the last failpoint of each kind: kill -9 in `take`, take again; kill -9 in `give`, give again or resume: the same end', {
  timeout: 900_000,
}, async () => {
  const points = await faultFree();
  for (const name of ['append.inside', 'append.after', 'take.added', 'take.written'])
    expect(points.take.map((one) => one.split('#')[0])).toContain(name);
  for (const name of [
    ...['append.inside', 'append.after', 'effect.before worker.run', 'effect.after worker.run'],
    ...['capture.hashed', 'capture.pinned', 'effect.after gate.run', 'effect.after candidate.apply'],
  ])
    expect(points.give.map((one) => one.split('#')[0])).toContain(name);
  const failures: string[] = [];
  for (let n = 0; n < Math.max(points.take.length, points.give.length); n += 1) {
    const [atTake, atGive] = [points.take[n], points.give[n]];
    await strike(atTake, atGive).catch((error: Error) => failures.push(`${atTake}, ${atGive}: ${error.message}`));
  }
  console.log(`take matrix: ${points.take.join(', ')}; ${points.give.join(', ')}`);
  expect(failures).toEqual([]);
});

async function faultFree(): Promise<{ readonly take: readonly string[]; readonly give: readonly string[] }> {
  using work = new TakenWork();
  await work.begin();
  const taken = await work.take({ SUPERVISOR_FAILPOINT: '-1' });
  expect(taken.code, taken.stderr).toBe(0);
  await work.checkTaken();
  writeFileSync(join(work.dir, 'a.txt'), 'right\n');
  const given = await work.give({ SUPERVISOR_FAILPOINT: '-1' });
  expect(given.code, given.stderr).toBe(0);
  await work.checkGiven(JSON.parse(given.stdout) as Report);
  const kinds = /^(append|capture|effect|publish|lease|release|take|blob)/;
  return {
    take: lastOfEach(passedFailpoints(taken.stderr)).filter((one) => kinds.test(one)),
    give: lastOfEach(passedFailpoints(given.stderr)).filter((one) => kinds.test(one)),
  };
}

/** Killed before the command was durable, nothing was promised: the person simply types it again. */
async function strike(atTake: string | undefined, atGive: string | undefined): Promise<void> {
  using work = new TakenWork();
  await work.begin();
  if (atTake !== undefined)
    expect((await work.take({ SUPERVISOR_FAILPOINT: atTake })).signal, `take ${atTake}`).toBe('SIGKILL');
  const taken = await work.take();
  expect(taken.code, taken.stdout).toBe(0);
  await work.checkTaken();
  writeFileSync(join(work.dir, 'a.txt'), 'right\n');
  if (atGive !== undefined)
    expect((await work.give({ SUPERVISOR_FAILPOINT: atGive })).signal, `give ${atGive}`).toBe('SIGKILL');
  const before = await work.world.events();
  const again = await work.give();
  const end = again.code === 0 ? again : await work.world.run(['resume', work.task, '--json']);
  expect(end.code, again.stdout + end.stdout + end.stderr).toBe(0);
  expect((await work.world.events()).slice(0, before.length)).toEqual(before);
  await work.checkGiven(JSON.parse(end.stdout) as Report);
}
