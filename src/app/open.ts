/** The wiring: the one place that joins all hands to the engine's ports. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EngineDeps } from '../engine/engine.ts';
import type { Anchor, AppLog } from '../engine/ports/surroundings.ts';
import { type AnchorPlace, readAnchorRef, writeAnchorRef } from '../hands/anchor/git-ref.ts';
import { SidecarAnchor } from '../hands/anchor/sidecar.ts';
import { fileLog } from '../hands/applog/file-log.ts';
import { createRedactor } from '../hands/redact/redact.ts';
import { scriptedHands } from '../hands/scripted/hands.ts';
import type { SqliteStore } from '../hands/store/sqlite/store.ts';
import { PLAIN_SCRIPT, type Script } from '../mind/config/script.ts';
import { systemChance, systemClock } from '../os/machine/clock.ts';
import { thisProcess } from '../os/machine/identity.ts';
import type { Environment } from './config/environment.ts';
import { failpointAt } from './failpoint.ts';
import { openStore, type ProjectAt } from './open-store.ts';

export type Opened = { readonly deps: EngineDeps; readonly store: SqliteStore; close(): Promise<void> };

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

/** Everything an engine needs, for real; released in reverse order. */
export async function openEngineDeps(
  environment: Environment,
  project: ProjectAt,
  script: Script = PLAIN_SCRIPT,
): Promise<Opened> {
  const failpoint = failpointAt(environment.failpoint);
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
  const deps = {
    store,
    clock,
    anchor,
    failpoint,
    log,
    chance: systemChance,
    redact: createRedactor(),
    owner: thisProcess(),
    hands: scriptedHands(script, clock),
  };
  return {
    deps,
    store,
    async close() {
      sidecar.close();
      await store.close();
    },
  };
}
