/** Programs that are kept for the next question answer as a fresh one would, and are never in the way. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AnswerForm, Answering } from '../../src/os/process/answering.ts';
import { type RunOptions, run } from '../../src/os/process/run.ts';
import { eventually } from '../support/cli.ts';

const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
const usual = { env, timeoutMs: 60_000 };
/** Says who answers, so that it can be seen whether it is the same. */
const WHO = ['-c', 'while read -r line; do echo "$$ $line"; done'];

let answering: Answering;
let dir: string;
beforeEach(() => {
  answering = new Answering();
  dir = mkdtempSync(join(tmpdir(), 'answering-'));
});
afterEach(() => {
  answering.end();
  rmSync(dir, { recursive: true });
});

const ask = (command: string, args: readonly string[], options: RunOptions & { answers: AnswerForm }) =>
  answering.ask(command, args, options, () => run(command, args, options));

async function who(question = 'a', options: Partial<RunOptions> = {}): Promise<number> {
  const { stdout } = await ask('sh', WHO, { ...usual, answers: 'lines', input: `${question}\n`, ...options });
  expect(stdout.split(' ').slice(1).join(' ')).toBe(`${question}\n`);
  return Number(stdout.split(' ')[0]);
}
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

test('one that is asked again and again is started once', async () => {
  const all = [await who(), await who(), await who('b'), await who('c'), await who('d')];
  expect(new Set(all).size).toBe(3);
  expect(all[3]).toBe(all[2]);
  expect(all[4]).toBe(all[2]);
});

test('one that is kept at once is started once', async () => {
  answering = new Answering(60_000, 0);
  const all = [await who(), await who('b'), await who('c')];
  expect(new Set(all).size).toBe(1);
  expect(all[0]).not.toBe(process.pid);
});

test('who asks in the middle of another question gets his own answer', async () => {
  for (let n = 0; n < 3; n += 1) await who();
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => who(`question ${n}`)));
  expect(new Set(all).size).toBe(1);
});

test('with other variables it is another one, and few are kept', async () => {
  const pids: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    const options = { env: { ...env, N: `${n}` } };
    for (let times = 0; times < 2; times += 1) await who('a', options);
    pids.push(await who('a', options));
  }
  expect(new Set(pids).size).toBe(8);
  await eventually(() => !isAlive(pids[0] as number) && !isAlive(pids[1] as number), 'the first two have ended');
  expect(pids.slice(2).filter(isAlive)).toHaveLength(6);
});

test('it goes after a while', async () => {
  answering.end();
  answering = new Answering(100);
  const pid = [await who(), await who(), await who()][2] as number;
  await eventually(() => !isAlive(pid), 'it has ended');
  expect(await who()).not.toBe(pid);
});

test('one that was killed is not missed', async () => {
  const pid = [await who(), await who(), await who()][2] as number;
  process.kill(pid, 'SIGKILL');
  const next = await who();
  expect(next).not.toBe(pid);
});

test('one that does not answer is ended in time, and the question is asked in the ordinary way', async () => {
  const file = join(dir, 'times');
  // Fresh ones answer; the one that is kept for a second question hangs there.
  const program = ['-c', `read -r line; echo "$line"; read -r line || exit 0; echo $$ >"${file}"; exec sleep 1000`];
  const hung = () => ask('sh', program, { ...usual, answers: 'lines', timeoutMs: 3000, input: 'a\n' });
  for (let n = 0; n < 4; n += 1) expect(await hung()).toMatchObject({ stdout: 'a\n', ended: 'exit' });
  const pid = Number(execFileSync('cat', [file], { encoding: 'utf8' }));
  await eventually(() => !isAlive(pid), 'it has ended');
});

describe('of git', () => {
  const git = (...args: string[]): string => execFileSync('git', ['-C', dir, ...args], { env, encoding: 'utf8' });
  const ids = (): string[] => git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n');
  const write = (text: string): string => {
    writeFileSync(join(dir, 'file'), text, 'latin1');
    return git('hash-object', '-w', 'file').trim();
  };
  const asked = (args: readonly string[], names: readonly string[]) => {
    const options = { ...usual, input: `${names.join('\n')}\n`, encoding: 'latin1', maxBytes: 8 << 20 } as const;
    const words = ['-C', dir, 'cat-file', ...args];
    const answers = args[0] === '--batch' ? 'objects' : 'lines';
    return { kept: ask('git', words, { ...options, answers }), fresh: run('git', words, options) };
  };
  const isSame = async (args: readonly string[], names: readonly string[]) => {
    const { kept, fresh } = asked(args, names);
    const told = await fresh;
    expect(await kept).toEqual(told);
    return told.stdout;
  };

  beforeEach(() => {
    git('init', '-q', '-b', 'main', '.');
    for (const text of ['', '\n', 'one\n', 'no end', '\0\xff missing\n12 blob 3\n', 'large '.repeat(400_000)])
      write(text);
  });

  test('contents and heads are those a fresh git gives, byte for byte', async () => {
    for (let times = 0; times < 4; times += 1) {
      await isSame(['--batch'], ids());
      await isSame(['--batch-check'], ids());
      await isSame(['--batch-check=%(objectname) %(objectsize)'], ids());
      for (const id of ids()) await isSame(['--batch'], [id]);
    }
  });

  test('an object that came later is found, loose or in a pack', async () => {
    for (let times = 0; times < 3; times += 1) await isSame(['--batch'], ids());
    expect(await isSame(['--batch'], [write('later\n')])).toContain('later');
    const packed = write('packed later\n');
    git('config', 'user.name', 'a');
    git('config', 'user.email', 'a@localhost');
    git('add', 'file');
    git('commit', '-q', '-m', 'first');
    git('gc', '-q', '--prune=now');
    expect(await isSame(['--batch'], [packed])).toContain('packed later');
    expect(await isSame(['--batch-check'], ['main^{commit}', 'main^{tree}'])).toMatch(/commit \d+\n.* tree/);
  });

  test('one that is missing is told as a fresh git tells it', async () => {
    for (let times = 0; times < 4; times += 1) {
      expect(await isSame(['--batch'], ['f'.repeat(40)])).toContain('missing');
      expect(await isSame(['--batch-check'], [...ids(), 'no such name'])).toContain('missing');
    }
  });

  test('what one question leaves behind is no answer to another', async () => {
    const [right, missing] = [write('right\n'), 'f'.repeat(40)];
    const all = ids();
    const others = Array.from({ length: 5000 }, (_, n) => all[n % all.length] as string);
    for (let times = 0; times < 15; times += 1) {
      const [wrong, own] = [asked(['--batch-check'], [missing, ...others]), asked(['--batch-check'], [right])];
      expect((await own.kept).stdout).toBe(`${right} blob 6\n`);
      expect((await wrong.kept).stdout).toContain('missing');
      await Promise.all([wrong.fresh, own.fresh]);
    }
  });

  test('many answers are whole however they come', async () => {
    const many = Array.from({ length: 60 }, (_, n) => write(`${n}\n`.repeat(n * 35)));
    for (let times = 0; times < 4; times += 1) await isSame(['--batch'], [...many, ...many]);
  });

  test('more than is to be held is told as such', async () => {
    const id = write('x'.repeat(9 << 20));
    for (let times = 0; times < 4; times += 1) {
      const { kept } = asked(['--batch'], [id]);
      expect((await kept).ended).toBe('output');
    }
  });
});
