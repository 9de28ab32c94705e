/** A small process that starts programs for a large one (starter.ts), and does nothing else. */
import { pipe } from './pipe.ts';
import { run } from './run.ts';
import { type Answer, type Ask, READY } from './starter-messages.ts';
import { stream } from './stream.ts';

const say = (what: Answer | typeof READY) => process.connected && process.send?.(what);

/** Of which more pieces are wanted. */
const wanted = new Set<number>();

async function answer(ask: Ask): Promise<void> {
  const { id } = ask;
  if ('enough' in ask) return void wanted.delete(id);
  try {
    if ('run' in ask) say({ id, result: await run(...ask.run) });
    else if ('pipe' in ask) say({ id, result: await pipe(...ask.pipe) });
    else {
      wanted.add(id);
      const each = (piece: Buffer) => {
        if (wanted.has(id)) say({ id, piece });
        return wanted.has(id);
      };
      say({ id, result: await stream(...ask.stream, each) });
    }
  } catch (error) {
    say({ id, failed: (error as Error).message });
  } finally {
    wanted.delete(id);
  }
}

process.on('message', (ask: Ask) => void answer(ask));
// However the other one ended. What was started goes on, as it would without us.
process.on('disconnect', () => process.exit());
// A terminal tells everybody; the one we are for decides what is still to be done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
say(READY);
