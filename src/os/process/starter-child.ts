/** A small process that starts programs for a large one (starter.ts), and does nothing else. */
import { pipe } from './pipe.ts';
import { run } from './run.ts';
import { type Answer, type Ask, READY } from './starter-messages.ts';

const say = (what: Answer | typeof READY) => process.connected && process.send?.(what);

async function answer(ask: Ask): Promise<void> {
  const { id } = ask;
  try {
    say({ id, result: 'run' in ask ? await run(...ask.run) : await pipe(...ask.pipe) });
  } catch (error) {
    say({ id, failed: (error as Error).message });
  }
}

process.on('message', (ask: Ask) => void answer(ask));
// However the other one ended. What was started goes on, as it would without us.
process.on('disconnect', () => process.exit());
// A terminal tells everybody; the one we are for decides what is still to be done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
say(READY);
