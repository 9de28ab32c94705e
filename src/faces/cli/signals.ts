/** Ctrl-C once: stop politely and say how to go on. Twice: stop at once. Both leave a log that can be resumed. */
import { EXIT } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function onStop(first: (name: string) => void): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const handler = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    first(name);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, handler);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, handler);
    },
  };
}
