/** (o) Judging: what the rules over a diff and the verdict cost, and `judge` against its gates run by hand. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChangedFile } from '../src/mind/changes/changed-file.ts';
import { diffFindings, type RuleFinding } from '../src/mind/findings/index.ts';
import { decide } from '../src/mind/judgement/judge-decision.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const ROUNDS = 3;
const MOST_MS = 5;
/** Long enough that starting a process is a small part of it, as with the tests of a real project. */
const GATE_MS = 4_000;

export const judging: Row = {
  name: 'o',
  title: `findings and verdict (least of ${3 * ROUNDS}, processor time); \`judge\` as it is shipped, its base known (medians of ${ROUNDS})`,
  async run() {
    return [...reading(), ...(await inTemporary(byHand))];
  },
};

function reading(): Finding[] {
  const [small, large] = [changeOf(1_000), changeOf(10_000)];
  const [one, ten] = [took(() => judged(small)), took(() => judged(large))];
  return [
    {
      what: 'findings and verdict of a diff of 1,000 lines',
      measured: bench.ms(one),
      ...{ ratio: bench.times(one / MOST_MS), goal: `at most ${MOST_MS} ms` },
      ...bench.withinLimit(one, MOST_MS),
    },
    {
      what: 'the same of 10,000 lines, each 1,000 of them',
      measured: `${bench.ms(ten / 10)} against ${bench.ms(one)}`,
      ...{ ratio: bench.times(ten / 10 / one), goal: 'at most 1.5x (linear)', ok: ten / 10 / one <= 1.5 },
    },
  ];
}

/** So many added lines of real sources, over as many files as they had. */
function changeOf(lines: number): ChangedFile[] {
  const files: ChangedFile[] = [];
  let left = lines;
  for (const [n, path] of globSync('src/**/*.ts', { cwd: bench.ROOT }).sort().entries()) {
    if (left === 0) break;
    const added = readFileSync(join(bench.ROOT, path), 'utf8').split('\n').slice(0, left);
    left -= added.length;
    files.push({ path: `src/part${n}.ts`, before: 'export const first = 1;\n', after: added.join('\n') });
  }
  return files;
}

function judged(files: readonly ChangedFile[]): readonly RuleFinding[] {
  const nobody = { testPaths: [], claims: [], grants: [], recent: [] };
  const findings = diffFindings({ files, task: 'Fix the parser', ...nobody, generated: () => null });
  decide([], findings);
  return findings;
}

function took(work: () => void): number {
  const all = Array.from({ length: 3 * ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...all);
}

/** Users of sandboxes have to pass through, and nothing is measured that a disk would slow down. */
async function inTemporary(work: (dir: string) => Finding[]): Promise<Finding[]> {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-bench-'));
  chmodSync(dir, 0o711);
  try {
    return work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { add } from '../add.mjs';
await setTimeout(${GATE_MS});
test('adds', () => {
  assert.equal(add(1, 2), 3);
});
`;
const FILES = { 'add.mjs': 'export const add = (a, b) => a + b;\n', 'test/add.test.mjs': TEST };
const COMMAND = ['node', '--test', '--test-reporter=tap'] as const;

function byHand(dir: string): Finding[] {
  const [repository, state, home] = ['repository', 'state', 'home'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  execFileSync(process.execPath, [join(bench.ROOT, 'tools/build.ts'), '--out', join(dir, 'dist')], { stdio: 'pipe' });
  for (const part of ['templates', 'package.json']) symlinkSync(join(bench.ROOT, part), join(dir, part));
  const put = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
  };
  put(FILES);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-C', repository, ...args], {
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  mkdirSync(join(home, '.supervisor'), { recursive: true });
  writeFileSync(
    join(home, '.supervisor', 'config.yaml'),
    `gates:\n  - { name: tests, command: "${COMMAND.join(' ')}", ids: tap, timeout: 60s }\n`,
  );
  const env = { PATH: process.env['PATH'], HOME: home, SUPERVISOR_HOME: state, NO_COLOR: '1' };
  const timed = (command: string, args: readonly string[]): number => {
    const began = performance.now();
    const ended = spawnSync(command, args, { cwd: repository, env, encoding: 'utf8' });
    if (ended.status !== 0)
      throw new Error(`${args.join(' ')} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`);
    return performance.now() - began;
  };
  let count = 0;
  const judge = (...more: string[]): number => {
    count += 1;
    git('checkout', '-q', '-b', `change-${count}`, 'main');
    put({ 'add.mjs': `${FILES['add.mjs']}// ${count}\n` });
    git('commit', '-q', '-am', `Say what add does, ${count}`);
    return timed(process.execPath, [join(dir, 'dist/supervisor.js'), 'judge', 'HEAD', '--json', ...more]);
  };
  // The base is looked at once, with and without planted tests.
  judge();
  const rows = Array.from({ length: ROUNDS }, () => [
    timed(process.execPath, COMMAND.slice(1)),
    judge('--no-canary'),
    judge(),
  ]);
  const median = (column: number) => bench.median(rows.map((row) => row[column] ?? Number.NaN));
  const [hand, plain, proven] = [median(0), median(1), median(2)];
  return [against('without its canary', plain, hand, 1.2), against('with its canary', proven, hand, 2.2)];
}

const against = (how: string, own: number, hand: number, most: number): Finding => ({
  what: `\`judge\` ${how}, against its gate run by hand`,
  measured: `${bench.ms(own)} against ${bench.ms(hand)}`,
  ...{ ratio: bench.times(own / hand), goal: `at most ${most}x` },
  ...bench.withinLimit(own / hand, most),
});
