/** Removes containers whose owner is gone. A label names the owner, so no file of ours is needed. */
import type { ProcessIdentity } from '../../../engine/ports/store.ts';
import { listArgv } from '../../../mind/sandbox/container-argv.ts';
import { isAlive } from '../../../os/machine/identity.ts';
import { run } from '../../../os/process/run.ts';
import type { ContainerEngine } from './engine.ts';
import { remove } from './run.ts';

const LIST_MS = 30_000;

export const ownerText = ({ pid, started, boot, host }: ProcessIdentity): string =>
  [pid, started, boot, host].join('/');

function readOwner(text: string): ProcessIdentity | null {
  const [, pid, started = '', boot = '', host = ''] = /^(\d+)\/(\d*)\/([\w-]*)\/(.+)$/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), started, boot, host };
}

export async function sweepContainers(engine: ContainerEngine): Promise<number> {
  const { command, facts, env } = engine;
  const { stdout } = await run(command, listArgv(facts), { env, timeoutMs: LIST_MS });
  const dead = stdout.split('\n').flatMap((line) => {
    const [, name = '', text = ''] = /^(supervisor-sandbox-\S+) (.*)$/.exec(line) ?? [];
    const owner = readOwner(text);
    return owner === null || isAlive(owner) ? [] : [name];
  });
  if (dead.length > 0) await remove(engine, dead);
  return dead.length;
}
