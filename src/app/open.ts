/** The wiring: the only place that joins all hands to the engine's ports. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EngineDeps } from '../engine/engine.ts';
import type { Hands } from '../engine/ports/hands.ts';
import type { StoreFile } from '../engine/ports/store.ts';
import type { Anchor, AppLog } from '../engine/ports/surroundings.ts';
import { type AnchorPlace, readAnchorRef, writeAnchorRef } from '../hands/anchor/git-ref.ts';
import { SidecarAnchor } from '../hands/anchor/sidecar.ts';
import { fileLog } from '../hands/applog/file-log.ts';
import { scriptedHands } from '../hands/scripted/hands.ts';
import type { TaskId } from '../kernel/ids.ts';
import type { Spec } from '../mind/domain/values.ts';
import type { Work } from '../mind/domain/work.ts';
import type { BaseFinding } from '../mind/gates/baseline.ts';
import type { Script } from '../mind/workers/script.ts';
import { scriptOf } from '../mind/workers/task-script.ts';
import { systemChance, systemClock } from '../os/machine/clock.ts';
import { thisProcess } from '../os/machine/identity.ts';
import { memoryInUse } from '../os/machine/memory.ts';
import type { Environment } from './config/environment.ts';
import { type ChooseHands, handsByTask } from './hands.ts';
import { openStore, type ProjectAt } from './open-store.ts';
import type { RealHands, RealOptions, RoomsOptions } from './real-hands.ts';
import { redactorAnyway, redactorFor } from './redactor.ts';

export type OpenedProject = {
  readonly deps: EngineDeps;
  readonly store: StoreFile;
  /** Removes what a killed process left of real work. Only the lease holder may do this. */
  settle(): Promise<void>;
  /** Calls back with what gates find at a task's base. */
  watchBase(listener: (task: TaskId, finding: BaseFinding) => void): void;
  /** The real hands; opened now unless they are open already. */
  real(): Promise<RealHands>;
  close(): Promise<void>;
};

export function sidecarOf(environment: Environment, log: AppLog = () => {}): SidecarAnchor {
  const failed = (project: string, error: Error) =>
    log('warn', 'sidecar anchor not written', { project, error: error.message });
  return new SidecarAnchor(join(environment.stateDir, 'anchors'), { failed });
}

/**
 * The name of this log's anchor ref. It uses the real path, so that a link or a trailing slash does not make a second
 * one.
 */
export function anchorPlace({ stateDir }: Environment, { id, commonDir }: ProjectAt): AnchorPlace {
  const real = existsSync(stateDir) ? realpathSync(stateDir) : resolve(stateDir);
  return { stateDir: real, commonDir, project: id };
}

type Anchored = { readonly seq: number; readonly hash: string } | null;
const later = (one: Anchored, other: Anchored): Anchored => ((one?.seq ?? -1) >= (other?.seq ?? -1) ? one : other);

function anchorOf(environment: Environment, project: ProjectAt, sidecar: SidecarAnchor, log: AppLog): Anchor {
  return {
    newest: async (id) => later(sidecar.read(id), await readAnchorRef(anchorPlace(environment, project))),
    committed: (id, head) => sidecar.committed(id, head),
    rested: (_, head) =>
      writeAnchorRef(anchorPlace(environment, project), head).catch((error: unknown) =>
        log('warn', 'anchor ref not written', { error: String(error) }),
      ),
  };
}

type OpenOptions = {
  /** Whether this process was started for the task: the operator's flags apply to no other. */
  readonly own?: (task: TaskId) => boolean;
  /** Replaces the script that the task carries. */
  readonly script?: Script | undefined;
  /** Without it, no real work starts. */
  readonly real?: RealOptions | undefined;
  /** True to open despite a mistake in the config: a person can stop the work without repairing it first. */
  readonly anyway?: boolean;
};

/** Opens everything that an engine needs; released in reverse order. */
export async function openEngineDeps(
  environment: Environment,
  project: ProjectAt,
  options: OpenOptions = {},
): Promise<OpenedProject> {
  const { failpoint } = environment;
  const store = await openStore(environment, { readOnly: false, failpoint });
  const log = fileLog(join(environment.stateDir, 'logs', 'supervisor.log'), environment.logLevel);
  const sidecar = sidecarOf(environment, log);
  const clock = systemClock();
  const redact = options.anyway === true ? redactorAnyway(environment) : redactorFor(environment);
  const isOwn = (task: TaskId) => options.own?.(task) === true;
  const script = (spec: Spec, task: TaskId) => (isOwn(task) ? options.script : undefined) ?? scriptOf(spec);
  const listeners: ((task: TaskId, finding: BaseFinding) => void)[] = [];
  const tellBase: RoomsOptions['tellBase'] = (task, finding) => {
    for (const listener of listeners) listener(task, finding);
  };
  let made: Promise<RealHands> | null = null;
  const openReal = async (): Promise<RealHands> => {
    if (options.real === undefined) throw new Error('this command starts no real work');
    // Loaded at first use: simulations and refused commands never need it.
    const { openRooms } = await import('./rooms.ts');
    return openRooms({ environment, project, failpoint, log, redact, clock, script, tellBase, ...options.real });
  };
  const real = () => {
    made ??= openReal();
    return made;
  };
  const deps = {
    store,
    clock,
    anchor: anchorOf(environment, project, sidecar, log),
    failpoint,
    log,
    chance: systemChance,
    memory: memoryInUse,
    redact,
    owner: thisProcess(),
    hands: handsByTask(chooser(scriptedHands(script, clock), real, isOwn)),
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

/**
 * Simulated tasks are played; all others are done for real. The lease holder drives all tasks: each is judged by the
 * settings it was made with, or, for this process's own task, by the operator's flags.
 */
function chooser(played: Hands, real: () => Promise<RealHands>, isOwn: (task: TaskId) => boolean): ChooseHands {
  return async ({ task }, work) => {
    const { spec, kind } = work;
    if (spec.simulated === true) return played;
    const { settings, hands } = await real();
    const judges = kind === 'worker.run' || kind === 'gate.run';
    if (judges && spec.settings !== undefined && spec.settings !== settings && !isOwn(task))
      return `the configuration has changed since the task was made: continue with \`supervisor ${isLanding(work) ? 'land' : 'resume'} ${task}\``;
    return hands(spec.unsafe_no_sandbox === true);
  };
}

/** A gate on the tree that shall land. */
const isLanding = (work: Work): boolean => work.kind === 'gate.run' && work.attempt === 0;
