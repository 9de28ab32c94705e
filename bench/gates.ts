/** (n) Gates: what a canary adds, what gates of one stage cost beside each other, and how long reports take to read. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { locateProject } from '../src/app/open-store.ts';
import { type ReportFormat, readReport } from '../src/mind/gates/reports/index.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const ROUNDS = 3;
/** Long enough that starting a sandbox is a small part of it. */
const SLOWEST_MS = 3_000;
/** Longer than the look at the base, which goes on beside the worker. */
const WORKER_S = 12;
/** Below this a report fits into the processor's caches, and reading is quicker than it is on the whole. */
const SMALL = 8 << 20;
const LARGE = 32 << 20;
/** A report lists at most 200,000 tests. */
const LONG = 'NUMBER, one of many tests whose names are sentences that people write, '.repeat(2);

const TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { add } from '../add.mjs';
await setTimeout(${SLOWEST_MS});
test('adds', () => {
  assert.equal(add(1, 2), 3);
});
`;
const FILES = { 'add.mjs': 'export const add = (a, b) => a + b;\n', 'test/add.test.mjs': TEST };
const tests = (canary: string) =>
  `{ name: tests, command: "node --test --test-reporter=tap", ids: tap, timeout: 60s${canary} }`;
const waits = (name: string, kind: string, ms: number) =>
  `{ name: ${name}, kind: ${kind}, command: "sleep ${ms / 1000}" }`;
const STAGE = ['a', 'b', 'c', 'd'].map((name, n) => waits(name, 'lint', SLOWEST_MS - n * 500));
/** In the stage of the canary, and shorter than it. */
const BESIDE = waits('beside', 'command, stage: 3', SLOWEST_MS - 1_000);

export const gates: Row = {
  name: 'n',
  title: `gates of a task, from the candidate to its last report (medians of ${ROUNDS}, in turns); reading reports`,
  async run() {
    return [...(await inTemporary(tasks)), ...Object.keys(CASES).map((format) => reading(format as ReportFormat))];
  },
};

/** Users of sandboxes have to pass through, and nothing is measured that a disk would slow down. */
async function inTemporary(work: (dir: string) => Promise<Finding[]>): Promise<Finding[]> {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-bench-'));
  chmodSync(dir, 0o711);
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tasks(dir: string): Promise<Finding[]> {
  const run = project(dir);
  const rows: [alone: number, together: number, plain: number, proven: number][] = [];
  for (let n = 0; n < ROUNDS; n += 1)
    rows.push([
      await run(STAGE.slice(0, 1)),
      await run(STAGE),
      await run([tests(', canary: off'), BESIDE]),
      await run([tests(''), BESIDE]),
    ]);
  const median = (column: 0 | 1 | 2 | 3) => bench.median(rows.map((row) => row[column]));
  const [alone, together, plain, proven] = [median(0), median(1), median(2), median(3)];
  const own = plain - (SLOWEST_MS - 1_000);
  // Without a canary the stage takes as long as the gate that stands in it.
  const added = proven - own;
  return [
    {
      what: `four gates of one stage, against the slowest of them alone (${SLOWEST_MS} ms)`,
      measured: `${bench.ms(together)} against ${bench.ms(alone)}`,
      ...{ ratio: bench.times(together / alone), goal: 'at most 1.15x', ok: together / alone <= 1.15 },
    },
    {
      what: 'a canary, beside another gate of its stage, against one run of its gate',
      measured: `${bench.ms(added)} against ${bench.ms(own)}`,
      ...{ ratio: bench.times(added / own), goal: 'at most 1.15x', ok: added / own <= 1.15 },
    },
  ];
}

/** Runs tasks with the product as it is shipped; how long the gates of one took by its log. */
function project(dir: string): (gates: readonly string[]) => Promise<number> {
  const [repository, state, home] = ['repository', 'state', 'home'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  execFileSync(process.execPath, [join(bench.ROOT, 'tools/build.ts'), '--out', join(dir, 'dist')], { stdio: 'pipe' });
  for (const part of ['templates', 'package.json']) symlinkSync(join(bench.ROOT, part), join(dir, part));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-C', repository, ...args]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  mkdirSync(join(home, '.supervisor'), { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home, SUPERVISOR_HOME: state, NO_COLOR: '1' };
  let count = 0;
  return async (gates) => {
    count += 1;
    writeFileSync(join(home, '.supervisor', 'config.yaml'), `gates:\n${gates.map((one) => `  - ${one}\n`).join('')}`);
    const script = join(dir, 'script.json');
    const play = { files: { 'add.mjs': `${FILES['add.mjs']}// ${count}\n` }, run: `sleep ${WORKER_S}` };
    writeFileSync(script, JSON.stringify({ steps: { implement: [play] } }));
    const args = ['run', `number ${count}`, '--script', script, '--json'];
    const ended = spawnSync(process.execPath, [join(dir, 'dist/supervisor.js'), ...args], {
      ...{ cwd: repository, env, encoding: 'utf8' },
    });
    if (ended.status !== 0)
      throw new Error(`${args.join(' ')} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`);
    return gateTime(join(state, 'log.db'), repository);
  };
}

async function gateTime(file: string, repository: string): Promise<number> {
  const store = await bench.openStore(file);
  try {
    const events = await store.readLog(locateProject(repository).id, 0, 100_000);
    const last = (type: RegExp) => events.findLast((event) => type.test(event.type))?.time ?? Number.NaN;
    return last(/^gate\.reported\./) - last(/^attempt\.produced\./);
  } finally {
    await store.close();
  }
}

/** What comes before, what is repeated for each test, and what comes behind so many. */
const CASES: Readonly<Record<ReportFormat, (n: number) => readonly [string, string, string]>> = {
  junit: () => ['<testsuites>', `<testcase classname="a.b" name="${LONG}&amp; more" time="0.1"/>\n`, '</testsuites>'],
  tap: (n) => ['TAP version 13\n', `# Subtest: ${LONG}\nok NUMBER - ${LONG}\n`, `1..${n}\n# pass ${n}\n# fail 0\n`],
  vitest: (n) => jsonOf(n),
  jest: (n) => jsonOf(n),
  go: () => [
    '',
    `{"Action":"run","Package":"a/${'b'.repeat(60)}","Test":"TestNUMBER"}\n{"Action":"pass","Package":"a/${'b'.repeat(60)}","Test":"TestNUMBER","Elapsed":0}\n`,
    `{"Action":"pass","Package":"a/${'b'.repeat(60)}","Elapsed":0.1}\n`,
  ],
};

function jsonOf(n: number): readonly [string, string, string] {
  const counts = `"numTotalTests":${n},"numPassedTests":${n},"numFailedTests":0,"numPendingTests":0,"numTodoTests":0`;
  const more = '"numTotalTestSuites":1,"numFailedTestSuites":0,"numRuntimeErrorTestSuites":0';
  const test = `{"fullName":"${LONG}","title":"${LONG}","ancestorTitles":[],"status":"passed","failureMessages":[]}`;
  return [
    `{"success":true,${counts},${more},"testResults":[{"name":"/workspace/a.test.js","status":"passed","message":"","assertionResults":[`,
    `${test},`,
    `${test}]}]}`,
  ];
}

function reportText(format: ReportFormat, bytes: number): string {
  const n = Math.floor(bytes / CASES[format](0)[1].length);
  // The last test of JSON stands without a comma.
  const isJson = format === 'vitest' || format === 'jest';
  const [head, each, tail] = CASES[format](n);
  const all = Array.from({ length: isJson ? n - 1 : n }, (_, i) => each.replaceAll('NUMBER', String(i + 1)));
  return head + all.join('') + tail;
}

function reading(format: ReportFormat): Finding {
  const took = (bytes: number): number => {
    const text = reportText(format, bytes);
    const all = Array.from({ length: ROUNDS }, () => {
      const start = process.cpuUsage();
      const read = readReport(format, text);
      const { user, system } = process.cpuUsage(start);
      if (read.type === 'unusable' || read.report.problems.length > 0)
        throw new Error(`${format}: ${read.type === 'unusable' ? read.problem : read.report.problems[0]}`);
      return (user + system) / 1_000 / (text.length >> 20);
    });
    return Math.min(...all);
  };
  took(SMALL);
  const [small, large] = [took(SMALL), took(LARGE)];
  return {
    what: `${format}: processor time for each MiB of a report of ${LARGE >> 20} MiB, against one of ${SMALL >> 20} MiB`,
    measured: `${bench.ms(large)} against ${bench.ms(small)}`,
    ...{
      ratio: bench.times(large / small),
      goal: `at most 2x (it would be ${LARGE / SMALL}x if it were not linear)`,
      ok: large / small <= 2,
    },
  };
}
