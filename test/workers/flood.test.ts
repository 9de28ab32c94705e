/** WO-04: a gibibyte of output costs neither memory nor time of others, and what came after the limit is not believed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL } from '../support/effort.ts';
import { block, CHANGE, GOOD, MIB, type Part, print, Room } from './room.ts';

let room: Room;
beforeAll(() => {
  room = new Room();
});
afterAll(() => room.end());

/** Milliseconds that this thread has worked: a machine that is busy with other tests does not count. */
const busy = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Looks on every few milliseconds; gives the largest of what it saw. */
async function most<T>(everyMs: number, look: () => number, run: (around: Around) => Promise<T>): Promise<[number, T]> {
  let largest = 0;
  const around: Around = async (running) => {
    let timer: NodeJS.Timeout;
    const lookOn = () => {
      const began = performance.now();
      largest = Math.max(largest, look());
      // To collect the garbage of a process that has run many tests takes a second: most of the time is for the others.
      timer = setTimeout(lookOn, Math.max(everyMs, 4 * (performance.now() - began)));
    };
    timer = setTimeout(lookOn, everyMs);
    return running.finally(() => clearTimeout(timer));
  };
  const done = await run(around);
  return [largest, done];
}
type Around = NonNullable<Part['around']>;

const answer = print(`\n${block(GOOD)}`);
const FLOODS = [
  ['one line of text', "head -c 1073741824 /dev/zero | tr '\\0' A", {}, 8 * MIB],
  ['many lines of text', 'yes "some words that a worker could have said" | head -c 1073741824', {}, 8 * MIB],
  ['hostile bytes', 'yes "$(printf \'\\033]52;c;x\\007\\233\\377 sk-\')" | head -c 1073741824', {}, 8 * MIB],
  ['empty lines', "yes '' | head -c 1073741824", {}, 8 * MIB],
  [
    'lines of JSON',
    'yes \'{"result":"some words"}\' | head -c 1073741824',
    { output: 'jsonl', text_pointer: '/result' },
    64 * MIB,
  ],
  [
    'one JSON document',
    "head -c 1073741824 /dev/zero | tr '\\0' A",
    { output: 'json', text_pointer: '/result' },
    64 * MIB,
  ],
] as const;

/** `make test-all` has all of them. */
const PLAYED = ALL ? FLOODS : FLOODS.filter(([name]) => /one line|hostile|document/.test(name));

describe.each(PLAYED)('a gibibyte: %s', (_, flood, cli, limit) => {
  const play = (around: Around) => room.work(`${CHANGE}\n${flood}\n${answer}`, { cli, around });

  test('ends at the limit, and is read in turns with everything else', async () => {
    const began = busy();
    let last = began;
    const since = () => {
      const before = last;
      last = busy();
      return last - before;
    };
    const [longest, done] = await most(5, since, play);
    expect(done.report).toMatchObject({ class: 'output_limit', candidate: null });
    expect(done.report.reason).toContain(`${limit >> 20} MiB`);
    expect(done.answer ?? '').not.toContain('SUCCESS');
    expect(done.transcript).not.toContain('SUCCESS');
    expect(done.transcript.length).toBeLessThan(9 * MIB);
    // At one go it would be all of it. How many milliseconds a turn takes is for `make bench`.
    expect(longest).toBeLessThan((busy() - began) / 2);
  });

  test('takes less than 64 MiB', async () => {
    // Garbage is collected while we look on: when V8 does so by itself depends on how busy the machine is.
    const resident = () => {
      collect();
      return process.memoryUsage.rss();
    };
    const before = resident();
    const [peak] = await most(50, resident, play);
    expect((peak - before) / MIB).toBeLessThan(64);
  });
});

test('the control: the same answer after less than the limit is believed', async () => {
  const { report, record, transcript } = await room.work(`${CHANGE}\nyes 'some words' | head -c 7000000\n${answer}`);
  expect(report.class).toBe('ok');
  expect(report.candidate).not.toBeNull();
  expect(record.transcript.omitted).toBe(0);
  expect(transcript).toContain('SUCCESS');
});
