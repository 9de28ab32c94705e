/** Kills a whole change at times spread over all of it, and has another process complete it each time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../support/cli.ts';
import { plain, type World } from './repository.ts';

const PROGRAM = join(import.meta.dirname, 'killed-child.ts');
/** A kill that came too late is tried again, each time after half as long. */
const TRIES = 5;

/** A process group of its own: git belongs to it. */
function start(repo: string, state: string, name: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, repo, state, name], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function outputOf(child: ChildProcess): Promise<string[]> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done) => child.on('close', done));
  return Buffer.concat(chunks).toString().trim().split('\n');
}

const begun = (child: ChildProcess) => new Promise((done) => child.stdout?.once('data', done));

const names = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir) : []);

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What git leaves only when it is killed. */
const traces = (w: World) =>
  (readdirSync(join(w.repo, '.git'), { recursive: true }) as string[]).filter((name) =>
    /\.lock$|packed-refs\.new$|tmp_|\.keep$/.test(name),
  );

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

export async function killAtAnyTime(w: World, kills: number): Promise<void> {
  // The same work on a copy, undisturbed, says how long it takes and what must come out.
  const copy = join(w.root, 'copy');
  plain(w.root, 'clone', '-q', w.repo, copy);
  const copied = join(w.root, 'copy-state');
  const took: number[] = [];
  const undisturbed = async (name: string): Promise<string> => {
    const child = start(copy, copied, name);
    const output = outputOf(child);
    await begun(child);
    const from = performance.now();
    const [, commit = ''] = await output;
    took.push(performance.now() - from);
    return commit;
  };
  let [hits, left, changes] = [0, 0, 0];

  /** Whether the kill came in the middle of the work. */
  const killed = async (name: string, share: number, wholeGroup: boolean): Promise<boolean> => {
    const expected = await undisturbed(name);
    const victim = start(w.repo, w.state, name);
    const output = outputOf(victim);
    await begun(victim);
    await setTimeout(middle(took.slice(-5)) * share);
    kill(wholeGroup ? -victim.pid! : victim.pid!);
    const isHit = (await output).length === 1;
    left += traces(w).length + names(join(w.state, 'git/demo/scratch')).length;

    expect(await outputOf(start(w.repo, w.state, name))).toEqual(['begin', expected]);
    expect(w.git('rev-parse', `ai/${name}`)).toBe(expected);
    const workspaces = w.open();
    const swept = async () => {
      await workspaces.sweep(() => false, false);
      return traces(w).length === 0 && names(join(w.state, 'git/demo/notes')).length === 0;
    };
    // A git of somebody else, older than what was left, may hold it as far as anybody can tell: until that ends it stays.
    await eventually(swept, `${traces(w).join(', ')} and all notes are gone`);
    await workspaces.close();
    expect(readdirSync(join(w.state, 'git/demo/scratch'))).toEqual([]);
    changes += 1;
    return isHit;
  };

  await undisturbed('warm-up');
  for (let n = 0; n < kills; n += 1) {
    for (let nth = 0; nth < TRIES; nth += 1) {
      // Every other time git goes on without its parent.
      if (!(await killed(`run-${n}-${nth}`, (n + 0.5) / kills / 2 ** nth, n % 2 === 0))) continue;
      hits += 1;
      break;
    }
  }
  expect(w.git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n')).toHaveLength(changes + 1);
  w.git('fsck', '--strict');
  // The kills did hit (control).
  expect(hits).toBeGreaterThan(kills / 2);
  expect(left).toBeGreaterThan(0);
}
