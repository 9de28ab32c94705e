/** The wiring: the one place that joins all hands to the engine's ports. */
import { join } from 'node:path';
import type { EngineDeps } from '../engine/engine.ts';
import type { Anchor, AppLog } from '../engine/ports/surroundings.ts';
import { writeAnchorRef } from '../hands/anchor/git-ref.ts';
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
    newest: (id) => sidecar.read(id),
    committed: (id, head) => sidecar.committed(id, head),
    rested: (id, head) =>
      writeAnchorRef({ commonDir: project.commonDir, project: id, stateDir: environment.stateDir }, head).catch(
        (error: unknown) => log('warn', 'anchor ref not written', { error: String(error) }),
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
