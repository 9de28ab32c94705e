/** A sandbox over a throw-away directory, with the hostile programs in it. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxPolicy } from '../../src/engine/ports/sandbox.ts';
import { type BubblewrapOptions, BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';

export const HOSTILE = fileURLToPath(new URL('../fixtures/programs/hostile', import.meta.url));
export const MIB = 1 << 20;

export function setup(dir: string, options: Partial<BubblewrapOptions> = {}) {
  const state = join(dir, 'state');
  const tree = join(dir, 'tree');
  for (const path of [state, tree]) mkdirSync(path, { recursive: true });
  chmodSync(dir, 0o711);
  const sandbox = new BubblewrapSandbox({ runDir: join(dir, 'run'), hidden: [state], ...options });
  const policy: SandboxPolicy = {
    kind: 'gate',
    readable: [
      { from: HOSTILE, to: '/programs' },
      // Often below a home directory that nobody else may enter.
      { from: process.execPath, to: '/opt/node/bin/node' },
    ],
    writable: [{ from: tree, to: '/workspace' }],
    cwd: '/workspace',
    env: { PATH: '/opt/node/bin:/usr/bin:/bin', HOME: '/tmp/home' },
    limits: {
      memoryBytes: 512 * MIB,
      processes: 100,
      cpus: 2,
      wallMs: 120_000,
      idleMs: null,
      outputBytes: 4 * MIB,
      diskBytes: 256 * MIB,
    },
  };
  return { sandbox, policy, state, tree };
}
