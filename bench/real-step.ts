/** A whole step by the hands of the product, joined as the product joins them and called as its engine calls them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../src/app/config/environment.ts';
import { loadPromptFiles } from '../src/app/config/prompt-files.ts';
import { locateProject } from '../src/app/open-store.ts';
import type { RealHands } from '../src/app/real-hands.ts';
import { openRooms } from '../src/app/rooms.ts';
import type { WorkerContext } from '../src/engine/ports/hands.ts';
import { sha256 } from '../src/kernel/hash.ts';
import type { BlobHash, StepId, TaskId } from '../src/kernel/ids.ts';
import { cascade } from '../src/mind/config/cascade.ts';
import type { Config } from '../src/mind/config/project-config.ts';
import type { Candidate, Spec } from '../src/mind/domain/values.ts';
import type { CandidateApply, Effect, GateRun, Work } from '../src/mind/domain/work.ts';
import type { WorkerRun } from '../src/mind/domain/worker-run.ts';
import { knownClis } from '../src/mind/roles/known.ts';
import { scriptOf } from '../src/mind/workers/task-script.ts';
import { systemClock } from '../src/os/machine/clock.ts';
import * as bench from './support.ts';

export type StepOptions = {
  readonly dir: string;
  readonly repo: string;
  readonly cli: string;
  readonly clis?: Config['clis'];
  /** A command. */
  readonly gate: string;
  /** Of the operator. */
  readonly path: string;
  readonly variable?: (name: string) => string | undefined;
  readonly spec: (round: number) => Spec;
  /** Where a round starts from; the same commit for all unless it is said. */
  readonly base?: (round: number) => string;
};

export const WORKER = 'worker (tree, sandbox, capture, checks)';

export type Spent = {
  readonly parts: ReadonlyMap<string, number>;
  readonly processor: number;
  /** Of the part {@link WORKER} alone. */
  readonly processorOfWorker: number;
  readonly disk: { readonly during: number; readonly after: number };
  /** As the worker got it. */
  readonly packet: string;
  /** From the moment the sandbox stands to the end of the program: the program itself, and our bridge before it. */
  readonly inside: number;
};

export type Steps = {
  readonly real: RealHands;
  step(round: number): Promise<Spent>;
  /** The last gate once more; in milliseconds. */
  again(): Promise<number>;
  /** Bytes that are left on the disk. */
  sweep(): Promise<number>;
  close(): Promise<void>;
};

/** The log is left out. */
export async function openSteps(options: StepOptions): Promise<Steps> {
  const { dir, repo, cli } = options;
  const stateDir = join(dir, 'state');
  // As the store of the product makes it: users of sandboxes have to pass through.
  mkdirSync(stateDir, { mode: 0o711 });
  const own = readEnvironment();
  const variable = options.variable ?? own.variable;
  const environment = { ...own, stateDir, path: options.path, home: null, variable };
  const project = locateProject(repo);
  const gates = [{ name: 'tests', command: options.gate, blocking: true, weight: 1, on_fail: 'retry' as const }];
  const told = loadPromptFiles(environment, null, knownClis({}));
  const { settings } = cascade({ user: { gates, ...(options.clis === undefined ? {} : { clis: options.clis }) } });
  const real: RealHands = await openRooms({
    environment,
    project,
    loaded: () => ({ settings, told }),
    checkout: repo,
    failpoint: () => {},
    log: () => {},
    clock: systemClock(),
    script: scriptOf,
    tellBase: () => {},
    redact: async (texts) => texts,
  });
  const first = git(repo, 'rev-parse', 'main').trim();
  const hands = real.hands(false);
  const texts = new Map<string, string>();
  const context: WorkerContext = {
    signal: new AbortController().signal,
    keep: async (text) => {
      const hash = sha256(text) as BlobHash;
      texts.set(hash, text);
      return hash;
    },
    read: async (hash) => texts.get(hash) ?? null,
    around: async () => ({ goal: null, queue: [], history: [] }),
  };
  let last: { effect: Effect; work: GateRun } | null = null;

  async function step(round: number): Promise<Spent> {
    const parts = new Map<string, number>();
    const processor = new Map<string, number>();
    const part = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const used = processorMs();
      const result = await work();
      parts.set(name, performance.now() - start);
      processor.set(name, processorMs() - used);
      return result;
    };
    const spec = options.spec(round);
    const base = options.base?.(round) ?? first;
    const attempt = { number: 1, token: 1, kind: 'change', round: 1, on: null, cli, chain: 0, reserve: 0 } as const;
    const timed = { ...attempt, started: Date.now(), deadline: Date.now() + 600_000 };
    const task = `t-${round}` as TaskId;
    const effect = <W extends Work>(work: W): Effect => ({
      key: '',
      stream: `task/${task}`,
      task,
      step: 'build' as StepId,
      token: 1,
      started: true,
      work,
    });
    const work: WorkerRun = {
      kind: 'worker.run',
      attempt: timed,
      attempts: 1,
      role: 'implementer',
      turns: 0,
      spec,
      input: null,
      start: null,
      config: {},
      contextScope: null,
      handOver: false,
      base,
      made: [],
      feedback: null,
      repeated: false,
      findings: [],
      reviews: [],
      sentBack: { task, step: 'build' as StepId, trace: '', change: null, count: 0, until: 0 },
      grants: [],
      scope: [],
      before: [],
      gates: [],
    };
    const report = await part(WORKER, () => hands.worker.run(effect(work), work, context));
    const during = diskUse(stateDir);
    const candidate = report.candidate as Candidate | null | undefined;
    if (candidate == null) throw new Error(`${JSON.stringify(report)} ${texts.get(report.record ?? '') ?? ''}`);
    const gate: GateRun = { kind: 'gate.run', attempt: 1, gate: 'tests', spec, candidate, answer: null };
    const { status } = await part('gate (tree, sandbox)', () => hands.gate.run(effect(gate), gate, context));
    if (status !== 'pass') throw new Error(`the gate says ${status}`);
    last = { effect: effect(gate), work: gate };
    const apply: CandidateApply = {
      kind: 'candidate.apply',
      candidate,
      onto: 'main',
      branch: `ai/own-${round}`,
      title: `own ${round}`,
      spec,
      created: 1_790_000_000_000,
      answer: null,
      red: [],
    };
    const applied = await part('commit and branch', () => hands.applier.run(effect(apply), apply, context));
    if (applied.status !== 'applied') throw new Error(JSON.stringify(applied));
    await real.workspaces.close();
    const record = JSON.parse(texts.get(report.record ?? '') ?? '{}') as {
      readonly packet?: string;
      readonly ms?: number;
    };
    return {
      ...{
        parts,
        packet: texts.get(record.packet ?? '') ?? '',
        inside: record.ms ?? Number.NaN,
        disk: { during, after: diskUse(stateDir) },
      },
      processor: [...processor.values()].reduce((sum, ms) => sum + ms, 0),
      processorOfWorker: processor.get(WORKER) ?? Number.NaN,
    };
  }

  return {
    real,
    step,
    close: () => real.close(),
    async again(): Promise<number> {
      if (last === null) throw new Error('no gate was run yet');
      const { effect, work } = last;
      return bench.timed(() => hands.gate.run(effect, work, context));
    },
    async sweep(): Promise<number> {
      await real.workspaces.sweep(() => false, false);
      await real.workspaces.close();
      return diskUse(stateDir);
    },
  };
}

/** Processor time of this process and of all it started and waited for, in the kernel's ticks. */
export function processorMs(): number {
  const own = process.pid;
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [`${own}`, ...children].reduce((sum, pid) => sum + ticksOf(pid) * 10, 0);
}

function ticksOf(pid: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}

/** Bytes of a directory as the disk counts them; the trash too, because it is still there. */
function diskUse(dir: string): number {
  if (!existsSync(dir)) return 0;
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => {
    try {
      return sum + statSync(join(entry.parentPath, entry.name)).blocks * 512;
    } catch {
      return sum;
    }
  }, 0);
}

export function repository(dir: string, files: number): string {
  const repo = join(dir, 'repo');
  for (let n = 0; n < files; n += 1) {
    const at = join(repo, `d${n % Math.ceil(files / 100)}`);
    if (n < files / 100) mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `f${n}`), bench.textOf(1_000 + (n % 7) * 300, `${n}`));
  }
  git(repo, 'init', '-q', '-b', 'main');
  git(repo, 'config', 'gc.auto', '0');
  git(repo, 'add', '-A');
  git(repo, 'commit', '-q', '-m', 'first');
  git(repo, 'gc', '-q');
  return repo;
}

export const GIT_ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'bench',
  GIT_AUTHOR_EMAIL: 'b@localhost',
  GIT_COMMITTER_NAME: 'bench',
  GIT_COMMITTER_EMAIL: 'b@localhost',
};
export const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-C', dir, ...args], { env: GIT_ENV, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

/** A commit that differs from the last one in one file, so that nothing is known of what is built on it. */
export function commitOf(repo: string, round: number): string {
  writeFileSync(join(repo, 'round'), `${round}\n`);
  git(repo, 'add', 'round');
  git(repo, 'commit', '-q', '-m', `round ${round}`);
  return git(repo, 'rev-parse', 'main').trim();
}
