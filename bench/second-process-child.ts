/** The second process of (f): opens the same log and sends commands through the inbox, now and then. */
import * as bench from './support.ts';

const [file = '', commands] = process.argv.slice(2);
const store = await bench.openStore(file);
const sent: [string, number][] = [];
for (let n = 0; n < Number(commands); n += 1) {
  const id = `second-${n}`;
  // Not in step with the other side's polling: 3 to 31 ms apart.
  await new Promise((resolve) => setTimeout(resolve, 3 + ((n * 17) % 29)));
  sent.push([id, bench.machineMs()]);
  await store.submit(bench.PROJECT, [{ id, actor: 'operator', command: { type: 'goal.set', text: `goal ${n}` } }]);
}
await store.close();
process.send?.(sent);
process.disconnect();
