/** What a killed process left is taken away, also while a `mkfifo` that outlived it is still running. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepPipes } from '../../src/os/process/pipes.ts';

/** Above what Linux gives out. */
const GONE = 4_194_305;

test('pipes that are still being made are swept when their maker is done', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pipes-'));
  try {
    const left = join(dir, `pipes-${GONE}-0000`);
    mkdirSync(left);
    // As a batch of pipes does, each ends when the directory is gone under it. Several, so that one of them is always ahead.
    const script = 'i=0; while [ $i -lt 3000 ] && : >"$1/$2-$i"; do i=$((i + 1)); done';
    const makers = Array.from({ length: 6 }, (_, n) =>
      spawn('sh', ['-c', script, 'sh', left, `${n}`], { stdio: 'ignore' }),
    );
    const ended = Promise.all(makers.map((maker) => new Promise((resolve) => maker.once('close', resolve))));
    await expect.poll(() => existsSync(join(left, '5-20'))).toBe(true);
    await sweepPipes(dir);
    await ended;
    await sweepPipes(dir);
    expect(existsSync(left)).toBe(false);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
