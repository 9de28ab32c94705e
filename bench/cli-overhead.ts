/** (i) What a step costs on top of a bare CLI: the same program, words, packet and model, with and without us. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asShipped } from './as-shipped.ts';
import type { Compared } from './cli-overhead-child.ts';
import { journaled } from './journaled.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

/** Many, because the CLIs themselves differ by a quarter from run to run; slow ones less often. */
const CLIS: readonly Compared[] = [
  { cli: 'claude', rounds: 11, base: '' },
  { cli: 'codex', rounds: 15, base: '/v1' },
  { cli: 'gemini', rounds: 11, base: '', model: 'gemini-2.5-flash' },
  { cli: 'copilot', rounds: 21, base: '/v1', model: 'stand-in' },
  { cli: 'opencode', rounds: 5, base: '', model: 'stand-in' },
];

export const cliOverhead: Row = {
  name: 'i',
  title:
    'a step on 100 files with a real CLI (it writes a file by a tool call, then answers), as it is shipped (bundled), against the same CLI, bare: same program, arguments, packet and stand-in for its model, fresh home in memory, no sandbox; on a disk with a journal',
  async run() {
    const standIn = bench.child('stand-in-child.ts');
    try {
      const url = await bench.answerOf<string>(standIn);
      // Some of them alone, while one looks for what takes long.
      const chosen = (process.env['BENCH_CLIS'] ?? '').split(',').filter((one) => one !== '');
      const bin = execFileSync('sh', [join(bench.ROOT, 'tools/clis.sh'), '--check'], { encoding: 'utf8' }).trim();
      return await bench.inDirectory(async (shipped) => {
        const program = await asShipped(shipped, 'cli-overhead-child.ts');
        const findings: Finding[] = [];
        for (const one of CLIS)
          if (chosen.length === 0 || chosen.includes(one.cli))
            findings.push(...(await bench.inDirectory(async (at) => compared(program, { ...one, at, url, bin }))));
        return findings;
      });
    } finally {
      standIn.disconnect();
    }
  },
};

/** Between two rounds: what a step threw away is deleted. */
const REST = { journaled: 2_000, else: 5_500 };

function compared(program: string, { at, ...ask }: Compared & { at: string; url: string; bin: string }): Finding[] {
  const dir = join(at, 'own');
  mkdirSync(dir);
  const { words, note } = journaled(dir);
  const restMs = note === null ? REST.journaled : REST.else;
  const [command = '', ...args] = [...words, process.execPath, program, JSON.stringify({ ...ask, dir, restMs })];
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`the steps of ${ask.cli} ended with ${status}`);
  const findings = JSON.parse(stdout) as Finding[];
  return note === null
    ? findings
    : findings.map((one) => ({ ...one, note: [one.note ?? '', note].filter(Boolean).join('; ') }));
}
