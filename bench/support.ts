/** What the rows share: a place on a real disk, a real engine with hands that do nothing, and honest statistics. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Engine } from '../src/engine/engine.ts';
import type { Hands } from '../src/engine/ports/hands.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { SidecarAnchor } from '../src/hands/anchor/sidecar.ts';
import { createRedactor } from '../src/hands/redact/redact.ts';
import { SqliteStore } from '../src/hands/store/sqlite/store.ts';
import type { ProjectId, TaskId } from '../src/kernel/ids.ts';
import type { Command, CommandOf } from '../src/mind/domain/commands.ts';
import { DEFAULT_LIMITS, type Limits } from '../src/mind/domain/limits.ts';
import type { WorkflowDefinition } from '../src/mind/workflows/step.ts';
import { systemChance, systemClock } from '../src/os/machine/clock.ts';
import { isAlive, monotonicMs, thisProcess } from '../src/os/machine/identity.ts';

/** One line of the table. `ok` is null where nothing could be judged; `note` then says why. */
export type Finding = {
  readonly what: string;
  readonly measured: string;
  readonly ratio: string;
  readonly goal: string;
  readonly ok: boolean | null;
  readonly note?: string;
};

export type Row = { readonly name: string; readonly title: string; run(): Promise<readonly Finding[]> };

export const ROOT = resolve(import.meta.dirname, '..');
export const OPERATOR = { kind: 'operator', name: '' } as const;
export const PROJECT = 'p-bench' as ProjectId;

/** A fresh directory inside the checkout: the system's temporary directory is often memory, where fsync costs nothing. */
export async function inDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const home = join(ROOT, '.tools', 'bench');
  mkdirSync(home, { recursive: true });
  const dir = mkdtempSync(join(home, 'run-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function openStore(file: string): Promise<SqliteStore> {
  return SqliteStore.open({ file, alive: isAlive, monotonic: monotonicMs });
}

export type BenchEngine = { readonly engine: Engine; readonly store: Store; close(): Promise<void> };

/** The engine as it is in the product, redactor and anchor included; only the hands are ours. */
export async function openEngine(
  file: string,
  options: { readonly hands: Hands; readonly slots: number; readonly project?: ProjectId },
): Promise<BenchEngine> {
  const { hands, slots: parallel, project = PROJECT } = options;
  const store = await openStore(file);
  await store.openProject(project, { path: dirname(file), root: null });
  const anchor = new SidecarAnchor(join(dirname(file), 'anchors'));
  const engine = await Engine.open(
    {
      ...{ store, hands, redact: createRedactor(), owner: thisProcess() },
      ...{ clock: systemClock(), chance: systemChance, failpoint: () => {} },
      anchor: { committed: (id, head) => anchor.committed(id, head), rested: async () => {}, newest: async () => null },
      log: (level, message, facts) => {
        if (level === 'error') console.error(message, facts);
      },
    },
    { project, leaseMs: 30_000, act: true, parallel },
  );
  if (!(engine instanceof Engine)) throw new Error('the bench has its log for itself, and yet the lease is held');
  engine.failure.catch((error) => console.error(error));
  const close = async () => {
    await engine.stop();
    anchor.close();
    await store.close();
  };
  return { engine, store, close };
}

/** Hands whose worker does what it is told to; nothing else is ever asked of them. */
export function workerHands(run: Hands['worker']['run']): Hands {
  const never = () => Promise.reject(new Error('not part of this bench'));
  return {
    worker: { run },
    gate: { run: never },
    applier: { probe: never, run: never },
    lander: { integrate: never, probe: never, move: never, read: never },
    notifier: { run: never },
  };
}

/** A chain of read-only steps without gates. */
export function chainOf(steps: number): WorkflowDefinition {
  const id = (n: number) => `s${String(n).padStart(5, '0')}`;
  return {
    ...{ name: 'bench', version: 1 },
    steps: Array.from({ length: steps }, (_, n) => ({ id: id(n), kind: 'answer', role: 'bench' })),
  };
}

export function createTask(id: string, workflow: WorkflowDefinition): CommandOf<'task.create'> {
  const spec = { version: 1 as const, text: 'nothing to do' };
  return { type: 'task.create', task: id as TaskId, title: id, spec, onto: 'main', base: null, workflow, priority: 5 };
}

export async function mustSubmit(engine: Engine, command: Command): Promise<void> {
  const rejection = await engine.submit(OPERATOR, command);
  if (rejection !== null) throw new Error(`${command.type} was refused: ${rejection.message}`);
}

export function configure(changes: Partial<Limits>, slots: number): CommandOf<'board.configure'> {
  return { type: 'board.configure', limits: { ...DEFAULT_LIMITS, slots: { total: slots, per_cli: {} }, ...changes } };
}

/** Resolves when so many tasks have closed, all of them accepted. */
export function closedTasks(engine: Engine, count: number): Promise<void> {
  let closed = 0;
  return new Promise((resolve, reject) => {
    engine.failure.catch(reject);
    const stop = engine.observe((project, events) => {
      for (const { type, stream } of events) {
        if (type !== 'task.closed.1') continue;
        const end = project.tasks.get(stream.slice('task/'.length))?.closed;
        if (end?.status !== 'accepted') reject(new Error(`${stream} is ${end?.status}: ${end?.reason}`));
        closed += 1;
      }
      if (closed < count) return;
      stop();
      resolve();
    });
  });
}

/** A text of exactly so many bytes that is like no other. */
export function textOf(bytes: number, seed: string): string {
  const start = `{"outcome":"${seed}","text":"`;
  return `${start}${'the worker changed one line and ran the tests; '.repeat(bytes / 40)}`.slice(0, bytes);
}

/** A second process, from a file of this folder; it is asked by messages and ended by `disconnect`. */
export function child(file: string, options: { args?: string[]; execArgv?: string[] } = {}): ChildProcess {
  const execArgv = [...process.execArgv.filter((arg) => !arg.startsWith('--cpu-prof')), ...(options.execArgv ?? [])];
  return fork(join(ROOT, 'bench', file), options.args ?? [], { execArgv });
}

/** The next message of a child; rejects when it ends instead. */
export function answerOf<T>(from: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the second process ended with ${code}`));
    from.once('exit', ended);
    from.once('message', (message) => {
      from.off('exit', ended);
      resolve(message as T);
    });
  });
}

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds on a clock that all processes of this machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export const median = (values: readonly number[]): number => percentile(values, 50);

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/**
 * Between which values the median lies, 19 of 20 times: by the places in the sorted list that a coin would reach so seldom.
 * Nothing is assumed of how the values are spread.
 */
export function medianWithin(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const far = Math.ceil(0.98 * Math.sqrt(sorted.length));
  const middle = (sorted.length - 1) / 2;
  const at = (place: number) => sorted[Math.min(sorted.length - 1, Math.max(0, place))] ?? Number.NaN;
  return [at(Math.floor(middle - far)), at(Math.ceil(middle + far))];
}

/**
 * The verdict on a time that has no other side to be compared with. On a machine that is busy with other things a miss
 * says nothing; a pass does.
 */
export function withinLimit(value: number, limit: number): Pick<Finding, 'ok' | 'note'> {
  const load = loadavg()[0] ?? 0;
  if (value < limit || load <= availableParallelism()) return { ok: value < limit };
  return { ok: null, note: `not judged: other programs kept the machine busy (load ${load.toFixed(1)})` };
}

export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 3 : 1)} ms`;
