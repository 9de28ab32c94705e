/** How much of the machine is in use. */
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';

/** On Linux, memory that only caches files counts as free. */
export function memoryInUse(): number | null {
  const total = totalmem();
  return total > 0 ? Math.min(1, Math.max(0, 1 - freemem() / total)) : null;
}

/** Only shown, never a limit: a busy machine finishes its work later. */
export const processorLoad = (): { readonly load: number; readonly cores: number } => ({
  load: loadavg()[0] ?? 0,
  cores: availableParallelism(),
});
