/** Our programs that run inside sandboxes, and the Node that runs them: what to mount, and how to start each. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '../../engine/ports/sandbox.ts';
import { INSIDE_DIR, INSIDE_NODE } from '../../mind/workers/bridge.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { plainBridge } from './without-types.ts';

export type InsidePrograms = {
  /** Mounted read-only. */
  readonly readable: readonly Mount[];
  /** How to start one of them there. */
  argv(program: string): readonly [string, ...string[]];
};

/**
 * A package has them bundled; a checkout runs the sources beside the constants they use. `dir`: a directory that every
 * user may pass through, where a checkout keeps a faster form of the bridge.
 */
export function insidePrograms(dir: string | null = null): InsidePrograms {
  const own: Mount = { from: realpathSync(process.execPath), to: INSIDE_NODE };
  if (!import.meta.filename.endsWith('.ts')) {
    return {
      readable: [own, { from: join(import.meta.dirname, 'inside'), to: INSIDE_DIR }],
      argv: (program) => [INSIDE_NODE, `${INSIDE_DIR}/${program}.cjs`],
    };
  }
  const root = packageRoot();
  const beside = (path: string, to = path): Mount => ({ from: join(root, path), to: join(INSIDE_DIR, '..', to) });
  return {
    readable: [
      own,
      beside('src/inside', 'inside'),
      beside('src/mind', 'mind'),
      beside('src/kernel', 'kernel'),
      beside('package.json'),
      ...LIBRARIES.map((name) => beside(`node_modules/${name}`)),
      ...(dir === null ? [] : [{ from: plainBridge(root, dir), to: PLAIN_BRIDGE }]),
    ],
    argv: (program) =>
      program === 'bridge' && dir !== null
        ? [INSIDE_NODE, PLAIN_BRIDGE]
        : [INSIDE_NODE, '--disable-warning=ExperimentalWarning', `${INSIDE_DIR}/${program}.ts`],
  };
}

/** Not in the directory of the others, which is read-only and has no such file. */
const PLAIN_BRIDGE = join(INSIDE_DIR, '../bridge.cjs');

const LIBRARIES = ['@agentclientprotocol/sdk', 'zod'];
