/** (u) A landing queue against the same gates and git by hand, and the gates that a landing does not run again. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateProject } from '../src/app/open-store.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const CHANGES = 5;
const GATE_S = 3;
const ROUNDS = 3;
const GOAL = 1.1;
const GATE = `sleep ${GATE_S} && test -s file-0`;

export const landing: Row = {
  name: 'u',
  title: `${CHANGES} changes land on a branch that has gone on, a gate of ${GATE_S} s each, against gates and git by hand (medians of ${ROUNDS}, in turns)`,
  run: () =>
    bench.inDirectory(async (dir) => {
      for (const at of [dir, join(dir, '..')]) chmodSync(at, 0o711);
      const place = prepare(dir);
      const [own, byHand]: [number[], number[]] = [[], []];
      let tasks: readonly Accepted[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        tasks = accept(place, round);
        branch(place, `own-${round}`);
        own.push(await bench.timed(() => place.supervisor('land', '--all', '--onto', `own-${round}`)));
        branch(place, `hand-${round}`);
        byHand.push(await bench.timed(() => landByHand(place, tasks, `hand-${round}`)));
      }
      const [took, bare] = [bench.median(own), bench.median(byHand)];
      return [
        {
          what: `${CHANGES} changes, one after the other`,
          measured: `${bench.ms(took)} against ${bench.ms(bare)}`,
          ratio: bench.times(took / bare),
          goal: `at most ${GOAL}x`,
          ...bench.withinLimit(took / bare, GOAL),
        },
        await again(place, tasks),
      ];
    }),
};

type Accepted = { readonly task_id: string; readonly commit: string };

type Place = {
  readonly dir: string;
  readonly repository: string;
  /** What is configured; quick while tasks are made. */
  readonly gate: (command: string) => void;
  readonly git: (...args: string[]) => string;
  readonly supervisor: (...args: string[]) => string;
  readonly state: string;
};

function prepare(dir: string): Place {
  const [repository, state, home] = [join(dir, 'repository'), join(dir, 'state'), join(dir, 'home')];
  execFileSync(process.execPath, [join(bench.ROOT, 'tools/build.ts'), '--out', join(dir, 'dist')], { stdio: 'pipe' });
  for (const part of ['templates', 'package.json']) symlinkSync(join(bench.ROOT, part), join(dir, part));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-C', repository, ...args], {
      encoding: 'utf8',
    }).trim();
  mkdirSync(repository);
  git('init', '-q', '-b', 'main');
  for (let n = 0; n < CHANGES; n += 1) writeFileSync(join(repository, `file-${n}`), 'before\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  mkdirSync(join(home, '.supervisor'), { recursive: true });
  const gate = (command: string) =>
    writeFileSync(join(home, '.supervisor/config.yaml'), JSON.stringify({ gates: [{ name: 'tests', command }] }));
  const env = { PATH: process.env['PATH'], HOME: home, SUPERVISOR_HOME: state, NO_COLOR: '1' };
  const supervisor = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(dir, 'dist/supervisor.js'), ...args, '--json'],
      {
        cwd: repository,
        env,
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };
  return { dir, repository, gate, git, supervisor, state };
}

function accept({ dir, gate, supervisor }: Place, round: number): readonly Accepted[] {
  gate('test -s file-0');
  const tasks = Array.from({ length: CHANGES }, (_, n) => {
    const script = join(dir, `script-${round}-${n}.json`);
    const files = { [`file-${n}`]: `after ${round} ${n}\n` };
    writeFileSync(script, JSON.stringify({ steps: { implement: [{ files }] } }));
    return JSON.parse(supervisor('run', `change ${n}`, '--script', script)) as Accepted;
  });
  gate(GATE);
  return tasks;
}

/** A branch that has gone on since the changes were made, and is nowhere checked out. */
function branch({ git, repository }: Place, name: string): void {
  git('checkout', '-q', '-b', name, 'main');
  writeFileSync(join(repository, 'elsewhere'), `${name}\n`);
  git('add', '-A');
  git('commit', '-q', '-m', `only on ${name}`);
  git('checkout', '-q', 'main');
}

/** What a careful person types: merge, check what came of it in a fresh tree, move the branch. */
function landByHand({ git, repository }: Place, tasks: readonly Accepted[], name: string): void {
  for (const { commit } of tasks) {
    const tip = git('rev-parse', name);
    const tree = git('merge-tree', '--write-tree', tip, commit);
    const merged = git('commit-tree', tree, '-p', tip, '-m', 'landed by hand');
    const dir = join(repository, '..', `gated-${merged}`);
    git('worktree', 'add', '-q', '--detach', dir, merged);
    execFileSync('sh', ['-c', GATE], { cwd: dir });
    git('worktree', 'remove', '--force', dir);
    git('update-ref', `refs/heads/${name}`, merged, tip);
  }
}

/** The same tip, gates and environment: no gate runs. */
async function again(place: Place, tasks: readonly Accepted[]): Promise<Finding> {
  const { git, supervisor } = place;
  const newest = git('rev-parse', `own-${ROUNDS - 1}`);
  git('branch', 'again', `${newest}~${CHANGES}`);
  for (const { task_id } of tasks) supervisor('land', task_id, '--onto', 'again');
  const store = await bench.openStore(join(place.state, 'log.db'));
  try {
    const events = await store.readLog(locateProject(place.repository).id, 0, 100_000);
    const gated = events.filter(({ type, stream }) => type.startsWith('line.gated.') && stream === 'line/again');
    const ran = gated.filter(({ data }) => (data as { cached: boolean }).cached === false).length;
    return {
      what: 'gates that run when integrated tree, gate and environment are as before',
      measured: `${ran} of ${gated.length}`,
      ratio: '–',
      goal: 'none',
      ok: ran === 0 && gated.length === CHANGES,
    };
  } finally {
    await store.close();
  }
}
