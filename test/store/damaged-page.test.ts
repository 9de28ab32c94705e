/** OF-06: one byte of the file is flipped. A load gives the same state or refuses; what changed for anybody is reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/engine/ports/store.ts';
import { scratchDirectory } from '../support/stores.ts';
import { type Look, lookAt, makeSmallLog, PAGE, silentHarm } from './damage.ts';
import { putDisk } from './disk.ts';

const dir = scratchDirectory();
let whole: Buffer;
let before: Look;

beforeAll(async () => {
  const file = join(dir.path, 'log.db');
  await makeSmallLog(file);
  whole = readFileSync(file);
  before = await lookAt(file);
});
afterAll(() => dir.remove());

async function flipped(at: number, mask: number): Promise<Look> {
  const db = Buffer.from(whole);
  db[at] = (db[at] as number) ^ mask;
  return lookAt(putDisk(dir.path, { db }));
}

/** Somewhere in each quarter of a page, never the same place twice; damaged-page.long.ts has them closer together. */
function* placesIn(pages: number): Generator<{ at: number; mask: number }> {
  for (let n = 0; n < pages * 4; n += 1) yield { at: n * (PAGE / 4) + ((n * 167) % (PAGE / 4)), mask: 1 << (n % 8) };
}

describe('OF-06:', () => {
  test('the log is sound before, so that whatever is found later was done here', () => {
    expect(before).toEqual({ state: expect.any(String), reads: expect.any(String), reported: [] });
    expect(whole.length / PAGE).toBeGreaterThan(30);
  });

  test('a byte flipped on any page never gives another state, and never goes unreported when it changes an answer', async () => {
    const harm: string[] = [];
    let refused = 0;
    for (const { at, mask } of placesIn(whole.length / PAGE)) {
      const look = await flipped(at, mask);
      if (look.state instanceof StoreError) refused += 1;
      harm.push(
        ...silentHarm(before, look).map((what) => `page ${Math.floor(at / PAGE) + 1}, byte ${at % PAGE}: ${what}`),
      );
    }
    expect(harm).toEqual([]);
    // Else the test would prove nothing.
    expect(refused).toBeGreaterThan(20);
  });

  test('any byte of the header flipped is refused or harmless', async () => {
    const harm: string[] = [];
    for (let at = 0; at < 108; at += 1)
      harm.push(...silentHarm(before, await flipped(at, 0xff)).map((what) => `byte ${at}: ${what}`));
    expect(harm).toEqual([]);
  });

  test('a page that is all zeros or all garbage is refused or harmless', async () => {
    const harm: string[] = [];
    for (let page = 0; page < whole.length / PAGE; page += 1) {
      for (const filler of [0, 0xa5]) {
        const db = Buffer.from(whole).fill(filler, page * PAGE, (page + 1) * PAGE);
        const look = await lookAt(putDisk(dir.path, { db }));
        harm.push(...silentHarm(before, look).map((what) => `page ${page + 1} filled with ${filler}: ${what}`));
      }
    }
    expect(harm).toEqual([]);
  });

  test('a file cut at any page is refused or harmless', async () => {
    const harm: string[] = [];
    for (let page = 1; page < whole.length / PAGE; page += 1) {
      const look = await lookAt(putDisk(dir.path, { db: whole.subarray(0, page * PAGE) }));
      harm.push(...silentHarm(before, look).map((what) => `cut after page ${page}: ${what}`));
    }
    expect(harm).toEqual([]);
  });

  test('a refusal says what to do, and nothing was changed', async () => {
    const at = whole.indexOf('do 2:');
    const db = Buffer.from(whole).fill('D', at, at + 1);
    const file = putDisk(dir.path, { db });
    const { state } = await lookAt(file);
    expect(state).toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(
        /damaged: event \d+ .*Nothing was changed; keep the file, restore it from a backup, and see `supervisor verify`/,
      ),
    });
    expect(readFileSync(file).equals(db)).toBe(true);
  });
});
