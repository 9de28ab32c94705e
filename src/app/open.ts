/** The wiring: the one place that joins all hands to the engine's ports. */
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
  /** The task this process was started for: the operator's word is for it alone. */
  readonly own?: () => TaskId | null;
  /** Played by that task instead of what it carries with it. */
  readonly script?: Script | undefined;
  /** Without it, the command starts no real work. */
  readonly real?: RealOptions | undefined;
  /** Also with a mistake in the config: nobody has to mend it before they can stop the work. */
  readonly anyway?: boolean;
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
  const redact = options.anyway === true ? redactorAnyway(environment) : redactorFor(environment);
  const isOwn = (task: TaskId) => options.own?.() === task;
  const script = (spec: Spec, task: TaskId) => (isOwn(task) ? options.script : undefined) ?? scriptOf(spec);
  const listeners: ((task: TaskId, finding: BaseFinding) => void)[] = [];
  const tellBase: RoomsOptions['tellBase'] = (task, finding) => {
    for (const listener of listeners) listener(task, finding);
  };
  let made: Promise<RealHands> | null = null;
  const openReal = async (): Promise<RealHands> => {
    if (options.real === undefined) throw new Error('this command starts no real work');
    // Loaded at first need: a simulation, or a mistake in the input, never needs it.
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
 * A simulated task is played; every other one is done for real. Whoever has the lease drives all tasks: each is judged by
 * the settings it was made under, or, for the process that was started for it, by its operator's word.
 */
function chooser(played: Hands, real: () => Promise<RealHands>, isOwn: (task: TaskId) => boolean): ChooseHands {
  return async ({ task }, { spec, kind }) => {
    if (spec.simulated === true) return played;
    const { settings, hands } = await real();
    const judges = kind === 'worker.run' || kind === 'gate.run';
    if (judges && spec.settings !== undefined && spec.settings !== settings && !isOwn(task))
      return `the configuration is another one than the task was made under: go on with \`supervisor resume ${task}\``;
    return hands(spec.unsafe_no_sandbox === true);
  };
}
