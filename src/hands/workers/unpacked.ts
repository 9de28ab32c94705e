/**
 * Some CLIs unpack themselves into every new home. Here that is done once for each program, and mounted read-only
 * afterwards.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '../../engine/ports/sandbox.ts';
import { sha256 } from '../../kernel/hash.ts';
import { SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import type { Adapter } from '../../mind/workers/adapter.ts';
import { WORKER_LIMITS } from '../../mind/workers/limits.ts';
import type { WorkerOptions } from './options.ts';
import { SYSTEM_PATH } from './place.ts';

type Unpacked = { readonly readable: readonly Mount[]; readonly env: Readonly<Record<string, string>> };

type Program = { readonly path: string | null; readonly readable: readonly Mount[] };

const INSIDE = '/run/supervisor/unpacked';
const NOTHING: Unpacked = { readable: [], env: {} };
const MAX_MS = 120_000;

/** Without it the CLI works too, only slower: errors are just logged. */
export async function unpackedFor(
  options: WorkerOptions,
  adapter: Adapter,
  program: Program,
  signal: AbortSignal,
): Promise<Unpacked> {
  const { unpack } = adapter;
  if (unpack === undefined || program.path === null) return NOTHING;
  try {
    const place = await made(options, adapter.name, program.path, (dir) => run(options, unpack, program, dir, signal));
    return place === null ? NOTHING : { readable: [{ from: place, to: INSIDE }], env: { [unpack.variable]: INSIDE } };
  } catch (error) {
    options.log('warn', `${adapter.name} could not be unpacked once for all`, { error: (error as Error).message });
    return NOTHING;
  }
}

const underWay = new Map<string, Promise<string | null>>();

/** Keyed by the program file, so that an update is unpacked again. */
function made(
  { stateDir }: WorkerOptions,
  name: string,
  program: string,
  make: (dir: string) => Promise<boolean>,
): Promise<string | null> {
  const { mtimeMs, size } = statSync(program);
  const shelf = join(stateDir, 'unpacked');
  const place = join(shelf, `${name}-${sha256(`${program} ${mtimeMs} ${size}`).slice(0, 16)}`);
  if (existsSync(place)) {
    // Its age shows when it is no longer needed.
    utimesSync(place, new Date(), new Date());
    return Promise.resolve(place);
  }
  const running = underWay.get(place) ?? makeOnce();
  underWay.set(place, running);
  return running.finally(() => underWay.delete(place));

  async function makeOnce(): Promise<string | null> {
    mkdirSync(shelf, { recursive: true, mode: 0o711 });
    const dir = mkdtempSync(join(shelf, '.making-'));
    try {
      if (!(await make(dir))) return null;
      openToAll(dir);
      // Another process may have been quicker.
      if (!existsSync(place)) renameSync(dir, place);
      return place;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

async function run(
  { sandbox, tools, log }: WorkerOptions,
  unpack: NonNullable<Adapter['unpack']>,
  program: Program,
  dir: string,
  signal: AbortSignal,
): Promise<boolean> {
  let said = '';
  const { end } = await sandbox.run({
    argv: [program.path ?? '', ...unpack.args],
    policy: {
      kind: 'worker',
      readable: program.readable,
      writable: [{ from: dir, to: INSIDE }],
      cwd: INSIDE,
      env: {
        ...unpack.env,
        [unpack.variable]: INSIDE,
        PATH: [...new Set([...tools.path, ...SYSTEM_PATH])].join(':'),
        HOME: SANDBOX_HOME,
      },
      limits: { ...WORKER_LIMITS, wallMs: MAX_MS, idleMs: null, outputBytes: 1 << 20 },
    },
    input: '',
    onOutput: (_, bytes) => {
      said += Buffer.from(bytes).toString();
    },
    signal,
  });
  const good = end.how === 'exit' && end.code === 0 && readdirSync(dir).length > 0;
  if (!good) log('warn', 'unpacking a CLI failed', { end: JSON.stringify(end), said: said.slice(-500) });
  return good;
}

/** Each attempt runs as another user. */
function openToAll(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, (stat.mode | 0o444 | ((stat.mode & 0o100) === 0 ? 0 : 0o111)) & 0o755);
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
