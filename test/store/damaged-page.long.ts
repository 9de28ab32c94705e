/** OF-06, dense: one byte in every 31, over the whole file, in three ways. Part of `make test-all`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchDirectory } from '../support/stores.ts';
import { lookAt, makeSmallLog, silentHarm } from './damage.ts';
import { putDisk } from './disk.ts';

test.each([0x01, 0x40, 0xff])(
  'OF-06: flips by %i, all over the file, do no silent harm',
  { timeout: 900_000 },
  async (mask) => {
    const dir = scratchDirectory();
    const file = join(dir.path, 'log.db');
    await makeSmallLog(file);
    const before = await lookAt(file);
    const whole = readFileSync(file);
    const harm: string[] = [];
    for (let at = mask % 31; at < whole.length; at += 31) {
      const db = Buffer.from(whole);
      db[at] = (db[at] as number) ^ mask;
      harm.push(...silentHarm(before, await lookAt(putDisk(dir.path, { db }))).map((what) => `byte ${at}: ${what}`));
    }
    dir.remove();
    expect(harm).toEqual([]);
  },
);
