/**
 * Estimates the memory of a sandbox's programs if no control group counts it: their processes, their temporary file
 * systems, and memory that belongs to no process. The kernel tells little about the last; if it gives only a bound, the
 * bound counts.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { livingPlace, type ProcessRow, processMemory } from '../../../os/process/table.ts';
import { fileSystemUse } from './disk-use.ts';
import { read } from './group-dirs.ts';

/** Bounds count only beyond this: an ordinary program has some sockets and descriptors with almost nothing in them. */
const FREE_SOCKET_BYTES = 64 << 20;
const FREE_DESCRIPTORS = 8192;
/** What a pipe may hold for a user who has many. */
const PIPE_BYTES = 8192;
/** Datagrams wait at their receiver, even after their senders are gone: ten and one more, each as large as a buffer. */
const DATAGRAMS = 12;

type Holder = {
  /** The first process inside. */
  readonly first: number;
  readonly temporary: readonly string[];
  /** Whether programs can neither make files in memory nor enlarge socket buffers. */
  readonly filtered?: boolean;
};

/** Shared memory of each sandbox that this process watches: memory of one must not count for another. */
const explained = new Map<MemoryUse, number>();

export class MemoryUse {
  readonly #of: Holder;
  readonly #sharedBefore = machineShared();
  readonly #ownNetwork: boolean;

  constructor(of: Holder) {
    this.#of = of;
    this.#ownNetwork = hasOwnNetwork(of.first);
    explained.set(this, 0);
  }

  end(): void {
    explained.delete(this);
  }

  exceeds(limit: number, rows: readonly ProcessRow[]): boolean {
    const { first, temporary, filtered = false } = this.#of;
    const each = rows.map(processMemory);
    const files = temporary.reduce((sum, path) => sum + fileSystemUse(first, path), 0);
    explained.set(this, files + each.reduce((sum, { sharedBytes }) => sum + sharedBytes, 0));
    const buffers = (this.#ownNetwork ? socketBytes(first, filtered) : 0) + pipeBytes(rows);
    const seen = each.reduce((sum, { bytes }) => sum + bytes, 0) + files + buffers;
    if (seen > limit) return true;
    // Pages of shared memory stay after a process releases them. Only the machine knows their number; they count for
    // the sandbox if it has shared memory at all.
    const known = [...explained.values()].reduce((sum, bytes) => sum + bytes, 0);
    const unowned = machineShared() - this.#sharedBefore - known;
    return seen + unowned > limit && (!filtered || rows.some(sharesMemory));
  }
}

function machineShared(): number {
  return 1024 * Number(/^Shmem:\s+(\d+) kB$/m.exec(read('/proc/meminfo'))?.[1] ?? 0);
}

/** Whether it has anonymous memory that children share; true if that cannot be seen. */
function sharesMemory(row: ProcessRow): boolean {
  try {
    return /^\S+ \S{3}s .*(?:\/dev\/zero \(deleted\)|\/memfd:|\/SYSV)/m.test(
      readFileSync(`${livingPlace(row)}/maps`, 'latin1'),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ESRCH';
  }
}

/** Not for a preparation with the host's network: its sockets belong to everybody. */
function hasOwnNetwork(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net');
  } catch {
    return false;
  }
}

function socketBytes(first: number, filtered: boolean): number {
  const table = (name: string) =>
    read(`/proc/${first}/net/${name}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  // Twice, because the last queued item may be as large as all before it.
  const buffer = 2 * Number(read(`/proc/sys/net/core/wmem_${filtered ? 'default' : 'max'}`));
  const unix = table('unix')
    .filter(({ length }) => length > 4)
    .reduce((sum, [, , , , type]) => sum + (type === '0002' ? DATAGRAMS : 1) * buffer, 0);
  // TCP tables take milliseconds to read, so they are read only if the machine's TCP uses memory at all.
  const tcpPages = Number(/^TCP: .* mem (\d+)$/m.exec(read(`/proc/${first}/net/sockstat`))?.[1] ?? 0);
  const queued = ['udp', 'udp6', ...(tcpPages * 4096 > FREE_SOCKET_BYTES ? ['tcp', 'tcp6'] : [])]
    .flatMap(table)
    // A listener's queue counts connections.
    .filter(([, , , state]) => state !== '0A')
    .flatMap(([, , , , queues = '']) => queues.split(':'))
    .reduce((sum, bytes) => sum + (Number.parseInt(bytes, 16) || 0), 0);
  const netlink = table('netlink').reduce((sum, [, , , , bytes]) => sum + (Number(bytes) || 0), 0);
  return Math.max(0, unix - FREE_SOCKET_BYTES) + 2 * queued + netlink;
}

function pipeBytes(rows: readonly ProcessRow[]): number {
  const descriptors = rows.reduce((sum, row) => sum + descriptorsOf(row), 0);
  return Math.max(0, descriptors - FREE_DESCRIPTORS) * PIPE_BYTES;
}

function descriptorsOf(row: ProcessRow): number {
  try {
    const dir = `${livingPlace(row)}/fd`;
    // Kernels before 6.2 do not report it as the directory's size.
    return statSync(dir).size || readdirSync(dir).length;
  } catch {
    return 0;
  }
}
