/** Kills a real `land` at chosen failpoints, and looks at what the next process makes of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';
import { passedFailpoints, placeOf } from './failpoints.ts';
import { inLanes } from './real-kills.ts';

const LAND = `
steps:
  implement:
    - {files: {a.txt: "right\\n", b/c.txt: "new\\n"}}
`;
const GATES = ['--gate', 'tests=grep -q right a.txt', '--gate', 'lint=test -e b/c.txt'];

/** Where the line stands when the task lands: on the task's base, further on, or further on and checked out. */
export type Case = 'untouched' | 'moved' | 'checked out';

export type LandingPoints = { readonly at: Case; readonly names: readonly string[] };

type Line = { readonly name: string; readonly head: string; readonly checkout: string | null };

/** One accepted task; it lands on a line of its own for each strike. */
class LandedOften implements Disposable {
  readonly world = new World();
  readonly #at: Case;
  #task = '';
  #lines = 0;

  constructor(at: Case) {
    this.#at = at;
  }

  async prepare(): Promise<void> {
    this.world.commit({ 'a.txt': 'one\n', 'keep.txt': 'kept\n' });
    const { code, stdout, stderr } = await this.world.run(this.#runArgs('make it right'));
    expect(code, stderr).toBe(0);
    this.#task = (JSON.parse(stdout) as { task_id: string }).task_id;
  }

  #runArgs(text: string): string[] {
    return ['run', text, '--script', this.world.file('script.yaml', LAND), ...GATES, '--json'];
  }

  newLine(): Line {
    const { world } = this;
    const name = `line-${++this.#lines}`;
    world.git('branch', name, 'main');
    if (this.#at === 'untouched') return { name, head: world.git('rev-parse', name), checkout: null };
    const checkout = join(world.dir, name);
    world.git('worktree', 'add', '-q', checkout, name);
    writeFileSync(join(checkout, 'keep.txt'), `kept on ${name}\n`);
    world.git('-C', checkout, 'commit', '-q', '-a', '-m', `on ${name}`);
    const head = world.git('rev-parse', name);
    if (this.#at === 'checked out') return { name, head, checkout };
    world.git('worktree', 'remove', checkout);
    return { name, head, checkout: null };
  }

  land({ name }: Line, env: Readonly<Record<string, string>> = {}): ReturnType<World['run']> {
    const yes = this.#at === 'checked out' ? ['--yes'] : [];
    return this.world.run(['land', this.#task, '--onto', name, ...yes, '--json'], env);
  }

  /** Another task, which has nothing to do with the landing; who drives it drives the queues too. */
  runAnother(): ReturnType<World['run']> {
    return this.world.run(this.#runArgs('something else'));
  }

  /** How far the log says it has come. */
  async progress({ name }: Line): Promise<'unknown' | 'queued' | 'landed'> {
    const own = (await this.world.events()).filter(({ stream }) => stream === `line/${name}`);
    if (own.length === 0) return 'unknown';
    return own.some(({ type }) => type === 'line.landed.1') ? 'landed' : 'queued';
  }

  /** Landed once: one commit more, one move of the branch, one fact of each kind, nothing waiting and nothing left. */
  async check({ name, head, checkout }: Line): Promise<void> {
    const { world } = this;
    const tip = world.git('rev-parse', name);
    expect(world.git('rev-list', `${head}..${name}`).split('\n')).toEqual([tip]);
    expect(world.git('rev-parse', `${name}^`)).toBe(head);
    expect(world.git('diff', '--name-only', head, name)).toBe('a.txt\nb/c.txt');
    const moves = world.git('reflog', 'show', '--format=%H', name).split('\n');
    expect(moves.slice(0, moves.indexOf(head))).toEqual([tip]);
    if (checkout !== null) expect(world.git('-C', checkout, 'status', '--porcelain')).toBe('');

    const events = await world.events();
    const of = (type: string) => events.filter((event) => event.type === type);
    const lineFacts = of('line.landed.1').filter(({ stream }) => stream === `line/${name}`);
    const taskFacts = of('task.landed.1').filter(({ data }) => (data as { onto: string }).onto === name);
    expect([lineFacts, taskFacts].map((facts) => facts.map(({ data }) => (data as { commit: string }).commit))).toEqual(
      [[tip], [tip]],
    );
    expect(doubled(events)).toEqual([]);
    expect((await world.queues()).filter((waiting) => waiting > 0)).toEqual([]);
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect((await settled(() => leftOver(world), 10_000)).join('\n')).toBe('');
    world.git('fsck', '--strict');
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

/** The failpoints that a landing passes when nothing goes wrong. */
export async function landingPoints(at: Case): Promise<LandingPoints> {
  using work = new LandedOften(at);
  await work.prepare();
  const line = work.newLine();
  const { code, stderr } = await work.land(line, { SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  await work.check(line);
  return { at, names: passedFailpoints(stderr) };
}

/** Kill -9 at each of these points (the first is 1), then go on, by `land` or by whoever runs another task next. */
export async function strikeLanding(points: readonly number[], { at, names }: LandingPoints): Promise<void> {
  const failures: string[] = [];
  let byOthers = 0;
  const lane = async (own: readonly number[]) => {
    using work = new LandedOften(at);
    await work.prepare();
    for (const n of own) {
      try {
        const line = work.newLine();
        const killed = await work.land(line, { SUPERVISOR_FAILPOINT: placeOf(names, n) });
        // How often the inbox is looked at depends on how busy the machine is.
        if (killed.signal === null && /^(drain|append)/.test(names[n - 1] ?? '')) continue;
        expect(killed.signal, killed.stderr).toBe('SIGKILL');
        const before = await work.world.events();
        const progress = await work.progress(line);
        // Asking again for what has landed would be a second landing, which finds that nothing is left to do.
        const isDriven = progress === 'landed' || (progress === 'queued' && n % 5 === 0);
        byOthers += isDriven ? 1 : 0;
        const again = await (isDriven ? work.runAnother() : work.land(line));
        expect(again.code, again.stderr + again.stdout).toBe(0);
        expect((await work.world.events()).slice(0, before.length)).toEqual(before);
        await work.check(line);
      } catch (error) {
        failures.push(`failpoint ${n} (${names[n - 1]}): ${(error as Error).message}`);
      }
    }
  };
  await inLanes(
    [0, 1].map((odd) => points.filter((_, index) => index % 2 === odd)),
    lane,
  );
  const struck = new Map<string, number>();
  for (const n of points) struck.set(names[n - 1] ?? '', (struck.get(names[n - 1] ?? '') ?? 0) + 1);
  const told = [...struck].map(([name, count]) => `${name} x${count}`).join(', ');
  console.log(`landing (${at}): ${points.length} of ${names.length} points, ${byOthers} finished by \`run\`: ${told}`);
  expect(failures).toEqual([]);
}
