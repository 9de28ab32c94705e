/** A CLI that prints without end: what is heard of it takes no more memory, and every adapter keeps up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { ALL } from '../support/effort.ts';
import { goldenOf } from './golden.ts';

const MIB = 1 << 20;
const BYTES = (ALL ? 1024 : 16) * MIB;
const PIECE = 64 << 10;
/** Per second of CPU time, and far below what any machine does; `make bench` measures. */
const LEAST_MB_PER_S = 1;
const MOST_HEAP = 80 * MIB;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What a long run looks like: all that it prints between its first and its last event, over and over. */
const events = (cli: string): [first: string, body: string, last: string] => {
  const lines =
    goldenOf(cli)
      .find(({ name }) => name === 'tool')
      ?.stdout.trimEnd()
      .split('\n') ?? [];
  return [`${lines[0]}\n`, `${lines.slice(1, -1).join('\n')}\n`, `${lines.at(-1)}\n`];
};

const recorded = Object.keys(ADAPTERS).filter((cli) => goldenOf(cli).some(({ name }) => name === 'tool'));

test.each([
  ...recorded.map((cli) => [cli, 'events'] as const),
  // Read by what all of them share.
  ...(['one line', 'short lines', 'stderr'] as const).map((kind) => ['claude', kind] as const),
])('%s: %s without end', { timeout: 20 * 60_000 }, (cli, kind) => {
  const [first, body, last] = events(cli);
  const pattern = { events: body, 'one line': 'x'.repeat(PIECE), 'short lines': '{}\nwords\n', stderr: 'words\n' }[
    kind
  ];
  const block = Buffer.from(pattern.repeat(Math.ceil((4 * PIECE) / pattern.length)));
  const listener = ADAPTERS[cli]?.listen();
  const decoder = new TextDecoder();
  listener?.add('stdout', first);
  collect();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const began = process.threadCpuUsage().user;
  for (let fed = 0, looked = 0; fed < BYTES; fed += block.length) {
    // As they come from a pipe: bytes, in pieces that know nothing of lines.
    for (let start = 0; start < block.length; start += PIECE)
      listener?.add(
        kind === 'stderr' ? 'stderr' : 'stdout',
        decoder.decode(block.subarray(start, start + PIECE), { stream: true }),
      );
    if (fed < looked) continue;
    looked = fed + BYTES / 8;
    collect();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  const seconds = (process.threadCpuUsage().user - began) / 1e6;
  listener?.add('stdout', `\n${last}`);
  const told = listener?.end({ exit: { how: 'exit', code: 0 }, now: 0, upstream: null });
  expect(told?.claims).toBe('success');
  expect(most).toBeLessThan(MOST_HEAP);
  if (kind !== 'short lines') expect(BYTES / 1e6 / seconds).toBeGreaterThan(LEAST_MB_PER_S);
});
