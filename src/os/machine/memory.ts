/** How much of the machine is in use. */
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';

/** On Linux, memory that only caches files counts as free. */
export function memoryInUse(): number | null {
  const total = totalmem();
  return total > 0 ? Math.min(1, Math.max(0, 1 - freemem() / total)) : null;
}

/** Shown, and never a brake: a machine that is busy gets its work done later. */
export const processorLoad = (): { readonly load: number; readonly cores: number } => ({
  load: loadavg()[0] ?? 0,
  cores: availableParallelism(),
});
