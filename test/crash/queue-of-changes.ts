/**
 * Many changes land on one line, with conflicts of text and of meaning and a flaky gate, while `land --all` is killed at each
 * kind of failpoint. Afterwards plain git says whether each commit of the line is green and what the line holds.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accepted, ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';

/** Red where a file uses a name that no file defines; and the first time, where it can write beside, for each tree with both flaky files. */
const check = (beside: string): string => `set -e
for use in uses/*.txt; do grep -qx "def $(cat "$use")" defs/*.txt || { echo "$use: not defined"; exit 1; }; done
if test -d ${beside} && test -e flaky/one.txt && test -e flaky/two.txt; then
  seen=${beside}/$(find . -type f | sort | xargs cat | cksum | tr ' ' -)
  test -e $seen || { touch $seen; echo by chance; exit 1; }
fi
`;

/** What a change is part of; of each pair the second one comes back. */
type Kind = 'own' | 'text' | 'meaning' | 'flaky';
type Change = { readonly kind: Kind; readonly pair: number; readonly second: boolean; readonly task: string };
type Ends = {
  readonly landed: readonly { readonly task_id: string; readonly commit: string }[];
  readonly not_landed: readonly { readonly task_id: string; readonly code: string; readonly reason: string }[];
};

/** Among ten changes two clash in their text and two in their meaning; the last pair of all makes the gate flaky. */
const KINDS: readonly [Kind, boolean][] = [
  ...[['own', false] as const, ['text', false] as const, ['meaning', false] as const, ['own', false] as const],
  ...[['text', true] as const, ['own', false] as const, ['meaning', true] as const, ['own', false] as const],
  ...[['own', false] as const, ['own', false] as const],
].map(([kind, second]) => [kind, second]);

const LINES_APART = 4;

export class Queue implements Disposable {
  readonly world = new World();
  readonly changes: Change[] = [];
  readonly #count: number;
  readonly #beside = join(this.world.dir, 'beside');
  #base = '';

  constructor(count: number) {
    this.#count = count;
  }

  /** Accepts every change on the same base; none of them has landed. */
  async prepare(config: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { world } = this;
    mkdirSync(this.#beside);
    const shared = Array.from({ length: this.#count * LINES_APART }, (_, n) => `line ${n}\n`).join('');
    const pairs = Math.ceil(this.#count / KINDS.length);
    const files = Array.from({ length: pairs }, (_, n) => ({
      [`clash-${n}.txt`]: 'nobody\n',
      [`defs/${n}.txt`]: `def alpha${n}\n`,
    }));
    world.commit(
      Object.assign({ 'check.sh': check(this.#beside), 'shared.txt': shared, 'uses/none.txt': 'zero\n' }, ...files),
    );
    world.commit({ 'defs/none.txt': 'def zero\n' });
    world.userConfig(JSON.stringify({ gates: [{ name: 'tests', command: 'sh check.sh' }], ...config }));
    this.#base = world.git('rev-parse', 'main');
    for (let n = 0; n < this.#count - 2; n += 1) {
      const [kind, second] = KINDS[n % KINDS.length] ?? ['own', false];
      await this.#accept({ kind, second, pair: Math.floor(n / KINDS.length) }, n);
    }
    for (const second of [false, true]) await this.#accept({ kind: 'flaky', second, pair: 0 }, this.#count);
    // The line is not checked out, so that nothing but the queue decides when it moves.
    world.git('checkout', '-q', '-b', 'aside');
  }

  async #accept(change: Omit<Change, 'task'>, n: number): Promise<void> {
    const flags = change.kind === 'flaky' ? ['--unsafe-no-sandbox'] : [];
    const { task_id } = await accepted(this.world, [{ files: this.#filesOf(change, n) }], flags);
    this.changes.push({ ...change, task: task_id });
  }

  #filesOf({ kind, second, pair }: Omit<Change, 'task'>, n: number): Record<string, string> {
    if (kind === 'text') return { [`clash-${pair}.txt`]: `change ${n}\n` };
    if (kind === 'flaky') return { [`flaky/${second ? 'two' : 'one'}.txt`]: 'by chance\n' };
    if (kind === 'meaning')
      return second ? { [`uses/${pair}.txt`]: `alpha${pair}\n` } : { [`defs/${pair}.txt`]: `def beta${pair}\n` };
    const lines = this.world.git('show', `${this.#base}:shared.txt`).split('\n');
    lines[n * LINES_APART] = `changed by ${n}`;
    return { 'shared.txt': `${lines.join('\n')}\n`, [`own/${n}.txt`]: `${n}\n` };
  }

  landAll(env: Readonly<Record<string, string>> = {}, ...more: string[]): ReturnType<World['run']> {
    return this.world.run(['land', '--all', '--unverified', '--json', ...more], { ...ENV, ...env });
  }

  /** The commits of the line on top of the common base, oldest first. */
  commits(): string[] {
    return this.world.git('rev-list', '--first-parent', '--reverse', `${this.#base}..main`).split('\n').filter(Boolean);
  }

  /** By plain git and a shell: these commits are green. The control: a name that nobody defines is red there, too. */
  areGreen(commits: readonly string[]): void {
    const { world } = this;
    const tree = join(world.dir, 'looked-at');
    world.git('worktree', 'add', '-q', '--detach', tree, this.#base);
    const gate = () => spawnSync('sh', ['check.sh'], { cwd: tree }).status;
    const red = commits.filter((commit) => {
      world.git('-C', tree, 'checkout', '-q', '--detach', commit);
      return gate() !== 0;
    });
    expect(red).toEqual([]);
    writeFileSync(join(tree, 'uses/nobody.txt'), 'nobody\n');
    expect(gate()).toBe(1);
    world.git('worktree', 'remove', '--force', tree);
  }

  /** Where the line has been, oldest first: with batches some commits lie in between. */
  tips(): string[] {
    const moves = this.world.git('reflog', 'show', '--format=%H', 'main').split('\n').toReversed();
    return moves.slice(moves.indexOf(this.#base) + 1);
  }

  /** Each change is on the line once, or came back with the other one named. */
  eachLandedOnceOrCameBack({ landed, not_landed }: Ends): void {
    const { world, changes } = this;
    const trailers = world.git(
      'log',
      '--first-parent',
      '--format=%(trailers:key=Supervisor-Task,valueonly,separator=)',
      `${this.#base}..main`,
    );
    const onLine = trailers.split('\n').filter(Boolean);
    expect(onLine.toSorted()).toEqual(landed.map(({ task_id }) => task_id).toSorted());
    expect(new Set(onLine).size).toBe(onLine.length);
    expect([...landed, ...not_landed].map(({ task_id }) => task_id).toSorted()).toEqual(
      changes.map(({ task }) => task).toSorted(),
    );
    const back = new Map(not_landed.map(({ task_id, code, reason }) => [task_id, { code, reason }]));
    for (const change of changes) {
      const first = changes.find(({ kind, pair, second }) => kind === change.kind && pair === change.pair && !second);
      const told = back.get(change.task);
      if (change.kind === 'own' || !change.second) expect(told).toBeUndefined();
      // Killed after the red run and before its end was known, it was run again, and green.
      else if (change.kind === 'flaky') expect(told?.code ?? 'unstable').toBe('unstable');
      else {
        const code = change.kind === 'text' ? 'conflict' : 'gate_failed';
        expect(told).toEqual({ code, reason: expect.stringContaining(first?.task ?? '') });
      }
    }
  }

  /** The log agrees with itself, and nothing is left of the processes that were killed. */
  async nothingIsLeft(): Promise<void> {
    const { world } = this;
    const events = await world.events();
    expect(doubled(events)).toEqual([]);
    const left = events
      .filter(({ type }) => type === 'task.not_landed.1')
      .map(({ data }) => data as { code: string; reason: string });
    const known = new Set(['conflict', 'gate_failed', 'unstable']);
    expect(left.filter(({ code }) => !known.has(code))).toEqual([]);
    expect(new Set(left.map(({ code }) => code))).toEqual(known);
    const landed = events.filter(({ type }) => type === 'task.landed.1').map(({ stream }) => stream);
    expect(new Set(landed).size).toBe(landed.length);
    expect((await world.queues()).filter((waiting) => waiting > 0)).toEqual([]);
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect((await settled(() => leftOver(world), 10_000)).join('\n')).toBe('');
    world.git('fsck', '--strict');
  }

  /** The newest first; at the end the line is as it was. */
  async undo(tasks: readonly string[]): Promise<void> {
    const { world } = this;
    for (const [n, task] of tasks.entries()) {
      const undone = await world.run(['undo', task, '--json'], ENV);
      expect(undone.code, undone.stderr + undone.stdout).toBe(0);
      const { task_id } = JSON.parse(undone.stdout) as { task_id: string };
      const landed = await world.run(['land', task_id, '--unverified', '--as', MODES[n % 3] ?? ''], ENV);
      expect(landed.code, landed.stderr + landed.stdout).toBe(0);
    }
  }

  treeOf(commit: string): string {
    return this.world.git('rev-parse', `${commit}^{tree}`);
  }

  get base(): string {
    return this.#base;
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

const MODES = ['fast-forward', 'merge', 'squash'];

/** Kinds of failpoints of a landing; the number is which of its kind in one process. */
export const POINTS = [
  ...['effect.before line.move#2', 'effect.after line.move#1', 'publish.branched#1', 'effect.after gate.run#1'],
  ...['integrate.pinned#1', 'publish.transferred#1', 'append.after#9', 'effect.before gate.run#1', 'lease.after#2'],
  ...['publish.committed#1', 'effect.after line.integrate#1', 'publish.released#1', 'integrate.merged#1'],
  ...['integrate.transferred#1', 'append.before#7', 'drain.before#6', 'effect.before line.integrate#1'],
];

/** Lands all, however often it is killed, each time in another mode; then what came of the last, whole run. */
export async function landKilled(queue: Queue, points: readonly string[]): Promise<Ends> {
  const struck: string[] = [];
  for (const [n, point] of points.entries()) {
    const { signal } = await queue.landAll({ SUPERVISOR_FAILPOINT: point }, '--as', MODES[n % 3] ?? '');
    if (signal === 'SIGKILL') struck.push(point);
  }
  const whole = await queue.landAll();
  expect(whole.code, whole.stderr).not.toBe(null);
  console.log(`queue of ${queue.changes.length}: killed ${struck.length} times: ${struck.join(', ')}`);
  const { not_landed } = JSON.parse(whole.stdout) as Ends;
  const facts = (await queue.world.events()).filter(({ type }) => type === 'task.landed.1');
  const landed = facts.map(({ stream, data }) => ({
    task_id: stream.slice('task/'.length),
    commit: (data as { commit: string }).commit,
  }));
  return { landed, not_landed };
}
