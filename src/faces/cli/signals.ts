/** What signals do to a command. However a process ends, its task can be resumed. */
import type { Stops } from '../../app/drive.ts';
import { EXIT } from './command.ts';

const ALL = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof ALL)[number];

/** The first signal stops politely, the second one at once. */
export function onStop(
  first: (name: string) => void,
  signals: readonly StopSignal[] = ALL,
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const release = listen(signals, (name) => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    first(name);
    controller.abort();
  });
  return { signal: controller.signal, release };
}

/** Closing the terminal (SIGHUP) does not stop a running task. */
export const WITHOUT_HANGUP = ['SIGINT', 'SIGTERM'] as const satisfies readonly StopSignal[];

export function ignoreHangup(): { release(): void } {
  return { release: listen(['SIGHUP'], () => {}) };
}

/**
 * The first Ctrl-C pauses the task of this process, the second one ends the process, the third one without waiting.
 * SIGTERM ends the process and leaves the task to the next driver.
 */
export function onTaskStop(told: { pausing(): void; stopping(name: string): void }): {
  readonly stops: Stops;
  release(): void;
} {
  const pause = new AbortController();
  const stop = new AbortController();
  const release = listen(WITHOUT_HANGUP, (name) => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    if (name === 'SIGINT' && !pause.signal.aborted) {
      told.pausing();
      pause.abort();
    } else {
      told.stopping(name);
      stop.abort();
    }
  });
  return { stops: { pause: pause.signal, stop: stop.signal }, release };
}

function listen(signals: readonly StopSignal[], handler: (name: NodeJS.Signals) => void): () => void {
  for (const name of signals) process.on(name, handler);
  return () => {
    for (const name of signals) process.off(name, handler);
  };
}
