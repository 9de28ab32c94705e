/**
 * Ends a run that breaks a limit: by timers, by the kernel's counters of its group, and by polling whatever the kernel
 * does not count.
 */
import type { SandboxEnd, SandboxLimits } from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/missed-deadline.ts';
import { family, machineTasks } from '../../../os/process/table.ts';
import { diskUse, fileSystemUse } from './disk-use.ts';
import { MemoryUse } from './memory-use.ts';

const LOOK_MS = 100;
/**
 * Between two full checks only the machine's number of processes is read. Starting as many as a limit allows takes
 * longer.
 */
const GLANCE_MS = 10;
const DISK_MS = 500;

/** The limit for which the kernel has refused or killed something. */
export type Breach = 'memory' | 'processes' | null;

type Watched = {
  readonly limits: SandboxLimits;
  readonly group: { breach(): Breach } | null;
  /** Limits that a control group enforces. */
  readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  /**
   * Whether a filter keeps programs from allocating memory that belongs to no process; only if no group bounds memory.
   */
  readonly filtered?: boolean;
  readonly first: number;
  readonly trees: readonly string[];
  /** The size of the trees before the program started. */
  readonly before: number;
  readonly temporary: readonly string[];
  readonly stop: (end: SandboxEnd) => void;
};

/** Time limits end a program politely first; all other limits still hold meanwhile. */
const POLITE: readonly Limit[] = ['wall', 'idle'];

type Limit = Extract<SandboxEnd, { how: 'limit' }>['limit'];

export class Watch {
  readonly #of: Watched;
  readonly #wall: NodeJS.Timeout;
  readonly #look: NodeJS.Timeout;
  readonly #glance: NodeJS.Timeout | null;
  readonly #memory: MemoryUse | null;
  #idle: NodeJS.Timeout | null;
  #disk: NodeJS.Timeout;
  /** The sandbox's processes are counted again only when the machine has more processes and threads than this. */
  #countAbove = 0;
  #over = false;
  #heardAt = performance.now();

  constructor(of: Watched) {
    this.#of = of;
    this.#wall = whenOverdue(of.limits.wallMs, () => this.#stop('wall'));
    this.#idle = of.limits.idleMs === null ? null : this.#quiet(of.limits.idleMs);
    this.#look = setInterval(() => this.#processes(), LOOK_MS);
    this.#glance = of.bounded.processes ? null : setInterval(() => this.#glanced(), GLANCE_MS);
    this.#memory = of.bounded.memory ? null : new MemoryUse(of);
    this.#disk = setTimeout(() => void this.#space(), LOOK_MS);
  }

  /** Output restarts the idle time; the wall time goes on. */
  heard(): void {
    if (this.#over) return;
    this.#heardAt = performance.now();
    this.#idle?.refresh();
  }

  end(): void {
    this.#over = true;
    clearTimeout(this.#wall);
    clearTimeout(this.#disk);
    clearInterval(this.#look);
    if (this.#glance !== null) clearInterval(this.#glance);
    this.#memory?.end();
    if (this.#idle !== null) clearTimeout(this.#idle);
  }

  #quiet(ms: number): NodeJS.Timeout {
    return whenOverdue(ms, () => {
      // Half of it: a timer may fire a little early, and output that arrived while it was overdue came just now.
      if (performance.now() - this.#heardAt > ms / 2) this.#stop('idle');
    });
  }

  #stop(limit: Limit): void {
    if (!this.#over) this.#of.stop({ how: 'limit', limit });
    if (!POLITE.includes(limit)) this.end();
  }

  #processes(): void {
    const { group, bounded } = this.#of;
    const breach = group?.breach() ?? (bounded.memory && bounded.processes ? null : this.#counted());
    if (breach !== null) this.#stop(breach);
  }

  #glanced(): void {
    if (machineTasks() > this.#countAbove) this.#processes();
  }

  #counted(): Breach {
    const { bounded, limits, first } = this.#of;
    const machine = machineTasks();
    const rows = family(first);
    // Without our first process.
    const tasks = rows.reduce((sum, { threads }) => sum + threads, 0) - 1;
    this.#countAbove = machine + limits.processes - tasks;
    if (!bounded.processes && tasks > limits.processes) return 'processes';
    return this.#memory?.exceeds(limits.memoryBytes, rows) ? 'memory' : null;
  }

  /** The next walk waits ten times as long as the last one took: a large tree must not cost a core. */
  async #space(): Promise<void> {
    const { limits, trees, before, temporary, first } = this.#of;
    const start = performance.now();
    const held = temporary.reduce((sum, path) => sum + fileSystemUse(first, path), 0);
    const room = limits.diskBytes - held;
    if (room <= 0 || (await diskUse(trees, before + room)) >= before + room) this.#stop('disk');
    if (this.#over) return;
    this.#disk = setTimeout(() => void this.#space(), Math.max(DISK_MS, 10 * (performance.now() - start)));
  }
}
