/** The wiring: the one place that joins all hands to the engine's ports. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EngineDeps } from '../engine/engine.ts';
import type { Environments } from '../engine/ports/environments.ts';
import type { HandContext, Hands } from '../engine/ports/hands.ts';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import type { StoreFile } from '../engine/ports/store.ts';
import type { Anchor, AppLog, Clock, Redact } from '../engine/ports/surroundings.ts';
import type { Workspaces } from '../engine/ports/workspace.ts';
import { type AnchorPlace, readAnchorRef, writeAnchorRef } from '../hands/anchor/git-ref.ts';
import { SidecarAnchor } from '../hands/anchor/sidecar.ts';
import { fileLog } from '../hands/applog/file-log.ts';
import type { BaseAsk } from '../hands/gates/gate-hand.ts';
import { scriptedHands } from '../hands/scripted/hands.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import type { AskedVersion } from '../hands/workers/version.ts';
import type { TaskId } from '../kernel/ids.ts';
import type { Spec } from '../mind/domain/values.ts';
import type { BaseFinding } from '../mind/gates/baseline.ts';
import type { Script } from '../mind/workers/script.ts';
import { scriptOf } from '../mind/workers/task-script.ts';
import { systemChance, systemClock } from '../os/machine/clock.ts';
import { thisProcess } from '../os/machine/identity.ts';
import type { SelfTestResult } from './cli-selftests.ts';
import type { CliLook } from './clis.ts';
import type { Environment } from './config/environment.ts';
import { handsByTask, type RealFor } from './hands.ts';
import { openStore, type ProjectAt } from './open-store.ts';
import { redactorFor } from './redactor.ts';

export type Opened = {
  readonly deps: EngineDeps;
  readonly store: StoreFile;
  /** Takes away what a killed process left of real work; only the holder of the lease may. */
  settle(): Promise<void>;
  /** Calls back with what gates find at the base of a task. */
  watchBase(listener: (task: TaskId, finding: BaseFinding) => void): void;
  /** The real hands; made now if nobody needed them before. */
  real(): Promise<RealHands>;
  close(): Promise<void>;
};

export type RealParts = {
  readonly failpoint: (name: string) => void;
  readonly log: AppLog;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly script: (spec: Spec, task: TaskId) => Script;
  /** What a gate found at the base of a task, as soon as it is known. */
  readonly tellBase: (task: TaskId, finding: BaseFinding) => void;
};
export type RealHands = {
  /** Hash of the settings these hands judge by. */
  readonly settings: string;
  /** `unsafe`: without a wall, for a task whose operator said so. */
  hands(unsafe: boolean): Hands;
  /** What a gate finds at a base, if it was run there before; null when it was not. */
  knownBase(ask: BaseAsk, unsafe: boolean, context: HandContext): Promise<BaseFinding | null>;
  readonly workspaces: Workspaces;
  readonly environments: Environments | null;
  sandbox(unsafe: boolean): Sandbox;
  cli(name: string): CliLook;
  version(state: CliState, signal: AbortSignal): Promise<AskedVersion | null>;
  /** What is remembered of the self-test of this version. */
  knownSelfTest(cli: string, version: string): SelfTestResult;
  /** Runs the self-test if nothing is remembered. Null: this is the task of a self-test. */
  readonly selfTest: ((cli: string, version: string, signal: AbortSignal) => Promise<SelfTestResult>) | null;
  /** Takes away what a killed process left; only the holder of the lease may. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const noReal = async (): Promise<never> => {
  throw new Error('this command starts no real work');
};

export function sidecarOf(environment: Environment, log: AppLog = () => {}): SidecarAnchor {
  const failed = (project: string, error: Error) =>
    log('warn', 'sidecar anchor not written', { project, error: error.message });
  return new SidecarAnchor(join(environment.stateDir, 'anchors'), { failed });
}

/** Where this log's ref is; by the real path, so that a link or a slash at the end makes no second one. */
export function anchorPlace({ stateDir }: Environment, { id, commonDir }: ProjectAt): AnchorPlace {
  const real = existsSync(stateDir) ? realpathSync(stateDir) : resolve(stateDir);
  return { stateDir: real, commonDir, project: id };
}

type Anchored = { readonly seq: number; readonly hash: string } | null;
const later = (one: Anchored, other: Anchored): Anchored => ((one?.seq ?? -1) >= (other?.seq ?? -1) ? one : other);

type OpenOptions = {
  /** The task this process was started for: the operator's word is for it alone. */
  readonly own?: () => TaskId | null;
  /** Played by that task instead of what it carries with it. */
  readonly script?: Script | undefined;
  /** Makes the real hands, when the first effect of a task that is not simulated needs them. */
  readonly real?: ((parts: RealParts) => Promise<RealHands>) | undefined;
};

/** Everything an engine needs, for real; released in reverse order. */
export async function openEngineDeps(
  environment: Environment,
  project: ProjectAt,
  options: OpenOptions = {},
): Promise<Opened> {
  const { failpoint } = environment;
  const store = await openStore(environment, { readOnly: false, failpoint });
  const log = fileLog(join(environment.stateDir, 'logs', 'supervisor.log'), environment.logLevel);
  const sidecar = sidecarOf(environment, log);
  const clock = systemClock();
  const anchor: Anchor = {
    newest: async (id) => later(sidecar.read(id), await readAnchorRef(anchorPlace(environment, project))),
    committed: (id, head) => sidecar.committed(id, head),
    rested: (_, head) =>
      writeAnchorRef(anchorPlace(environment, project), head).catch((error: unknown) =>
        log('warn', 'anchor ref not written', { error: String(error) }),
      ),
  };
  const redact = redactorFor(environment);
  const isOwn = (task: TaskId) => options.own?.() === task;
  const script = (spec: Spec, task: TaskId) => (isOwn(task) ? options.script : undefined) ?? scriptOf(spec);
  const listeners: ((task: TaskId, finding: BaseFinding) => void)[] = [];
  const tellBase: RealParts['tellBase'] = (task, finding) => {
    for (const listener of listeners) listener(task, finding);
  };
  let made: Promise<RealHands> | null = null;
  const real = () => {
    made ??= (options.real ?? noReal)({ failpoint, log, redact, clock, script, tellBase });
    return made;
  };
  // Whoever has the lease drives all tasks; each is judged by what it was made under, or by its own operator's word.
  const realFor: RealFor = async ({ task }, { spec, kind }) => {
    const made = await real();
    const judges = kind === 'worker.run' || kind === 'gate.run';
    if (judges && spec.settings !== undefined && spec.settings !== made.settings && !isOwn(task))
      return `the configuration is another one than the task was made under: go on with \`supervisor resume ${task}\``;
    return made.hands(spec.unsafe_no_sandbox === true);
  };
  const deps = {
    store,
    clock,
    anchor,
    failpoint,
    log,
    chance: systemChance,
    redact,
    owner: thisProcess(),
    hands: handsByTask(scriptedHands(script, clock), realFor),
  };
  return {
    deps,
    store,
    real,
    watchBase: (listener) => void listeners.push(listener),
    async settle() {
      await (await made)?.settle();
    },
    async close() {
      await (await made?.catch(() => null))?.close();
      sidecar.close();
      await store.close();
    },
  };
}
