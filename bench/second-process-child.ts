/** The second process of (f): opens the same log and sends commands through the inbox, now and then. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Sent } from './second-process.ts';
import * as bench from './support.ts';

const [dir = '', commands] = process.argv.slice(2);
const store = await bench.openStore(join(dir, 'log.db'));
const file = openSync(join(dir, 'beside'), 'a');
const sent: [string, number][] = [];
const disk: number[] = [];
for (let n = 0; n < Number(commands); n += 1) {
  const id = `second-${n}`;
  // Not in step with the other side's polling: 3 to 31 ms apart.
  await new Promise((resolve) => setTimeout(resolve, 3 + ((n * 17) % 29)));
  disk.push(await bench.timed(syncOnce));
  sent.push([id, bench.machineMs()]);
  await store.submit(bench.PROJECT, [{ id, actor: 'operator', command: { type: 'goal.set', text: `goal ${n}` } }]);
}
closeSync(file);
await store.close();
process.send?.({ sent, disk } satisfies Sent);
process.disconnect();

function syncOnce(): void {
  writeSync(file, bench.textOf(2_048, 'beside'));
  fdatasyncSync(file);
}
