/**
 * The pipes between Supervisor and the first process of a container: named pipes in a directory that is mounted into
 * it. Output goes straight through the kernel and not through the engine, and a program can reopen its /dev/stderr. The
 * names are removed as soon as both ends are open.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { run } from '../../../os/process/run.ts';
import { processRow } from '../../../os/process/table.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;
const NAMES = ['report', 'life', 'stdout', 'stderr'] as const;

export type Wires = Disposable & {
  readonly dir: string;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly report: Socket;
  /** Writes to the first process inside. */
  say(text: string): void;
  /** Called when the first process has opened its ends. */
  opened(): void;
  /** Tells the first process that Supervisor is gone. */
  cut(): void;
};

/** `user`: the inside user's id on this machine; only this user may open the pipes. Null for our own user. */
export async function makeWires(runDir: string, name: string, input: string, user: number | null): Promise<Wires> {
  const dir = join(runDir, 'containers', name);
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const paths = NAMES.map((each) => join(dir, each));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  const fds: number[] = [];
  try {
    const made = await run('mkfifo', ['-m', '0600', ...paths], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 });
    if (made.code !== 0) throw new Error(`mkfifo failed: ${made.stderr || made.ended}`);
    if (input !== '') {
      writeFileSync(join(dir, 'input'), input, { mode: 0o600 });
      paths.push(join(dir, 'input'));
    }
    chmodSync(dir, 0o700);
    if (user !== null) for (const path of [...paths, dir]) chownSync(path, user, user);
    const open = (each: (typeof NAMES)[number], flags: number) => {
      const fd = openSync(join(dir, each), flags);
      fds.push(fd);
      return fd;
    };
    // A reader sees no end while we hold the other end too. The life line is opened for both ways, because otherwise
    // opening it blocks.
    const readers = (['stdout', 'stderr', 'report'] as const).map((each) => open(each, O_RDONLY | O_NONBLOCK));
    const writers = (['stdout', 'stderr', 'report'] as const).map((each) => open(each, O_WRONLY));
    return joined(dir, readers, writers, open('life', O_RDWR | O_NONBLOCK));
  } catch (error) {
    for (const fd of fds) closeSync(fd);
    remove();
    throw error;
  }
}

function joined(dir: string, readers: readonly number[], writers: number[], life: number): Wires {
  const [stdout, stderr, report] = readers.map(reading) as [Socket, Socket, Socket];
  const line = new Socket({ fd: life, readable: false, writable: true });
  line.on('error', () => line.destroy());
  const opened = () => {
    for (const fd of writers.splice(0)) closeSync(fd);
    rmSync(dir, { recursive: true, force: true });
  };
  return {
    dir,
    stdout,
    stderr,
    report,
    opened,
    say: (text) => void (line.destroyed || line.write(text)),
    cut: () => void line.destroy(),
    [Symbol.dispose]: () => {
      opened();
      for (const socket of [line, stdout, stderr, report]) socket.destroy();
    },
  };
}

/** Removes the files of dead processes; a file's name has its maker's pid. */
export function sweepWires(runDir: string): void {
  const dir = join(runDir, 'containers');
  for (const name of namesIn(dir)) {
    const pid = Number(/-(\d+)-[0-9a-f]+$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isInteger(pid) && processRow(pid) === null) rmSync(join(dir, name), { recursive: true, force: true });
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function reading(fd: number): Socket {
  const socket = new Socket({ fd, readable: true, writable: false });
  return socket.on('error', () => socket.destroy());
}
