/** Ends a run that breaks a limit: by timers, by what the kernel says of its group, and by looking where the kernel does not. */
import type { SandboxEnd, SandboxLimits } from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/overdue.ts';
import { family, machineTasks } from '../../../os/process/table.ts';
import { diskUse, fileSystemUse } from './disk-use.ts';
import { MemoryUse } from './memory-use.ts';

const LOOK_MS = 100;
/** Between two looks only the machine's number of processes is read. To start as many as a limit allows takes longer. */
const GLANCE_MS = 10;
const DISK_MS = 500;

/** What the kernel has refused or killed. */
export type Breach = 'memory' | 'processes' | null;

type Watched = {
  readonly limits: SandboxLimits;
  readonly group: { breach(): Breach } | null;
  /** Which limits a group enforces. */
  readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  /** Whether a filter keeps programs from memory that belongs to no process; only where a group does not bound memory. */
  readonly filtered?: boolean;
  readonly first: number;
  readonly trees: readonly string[];
  /** What the trees took before the program started. */
  readonly before: number;
  readonly temporary: readonly string[];
  readonly stop: (end: SandboxEnd) => void;
};

/** Limits of time are told politely first: meanwhile all others hold. */
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
  /** How many processes and threads the machine may have before those of the sandbox must be counted again. */
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

  /** Something was printed: the idle time starts again, the wall time goes on. */
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
      // Half of it: a timer may be a little early, and what came while it was overdue came just now.
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
    // Without our own first process.
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
