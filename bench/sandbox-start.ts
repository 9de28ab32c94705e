/** (h) A program that does nothing behind our sandbox, against the same sandbox built by bare bubblewrap. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxPolicy } from '../src/engine/ports/sandbox.ts';
import { BubblewrapSandbox } from '../src/hands/sandbox/bubblewrap/backend.ts';
import { findBubblewrap, hostFacts } from '../src/hands/sandbox/bubblewrap/host.ts';
import { bubblewrapArguments, syntheticFiles } from '../src/mind/sandbox/profile.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const RUNS = 60;
const BLOCK = 10;
const REST_MS = 20;
/** Moving a process into a control group costs a wait for all processors, unless the kernel has just done it for another. */
const RESTS = [
  ['one after the other', false],
  [`after a rest of ${REST_MS} ms`, true],
] as const;
const MIB = 1 << 20;

/** Of no run of ours, so that both sides have a user of their own. */
const BARE_UID = 60_999;

export const sandboxStart: Row = {
  name: 'h',
  title: 'a sandboxed `true` with all limits, from the call to the certainty that nothing is left',
  async run() {
    const dir = mkdtempSync(join(tmpdir(), 'supervisor-bench-'));
    chmodSync(dir, 0o711);
    try {
      const rows: bench.Finding[] = [];
      for (const [how, rest] of RESTS) {
        const { ours, bare } = await measure(mkdtempSync(join(dir, 'side-')), rest);
        const ratio = bench.median(ours) / bench.median(bare);
        rows.push({
          what: `start and end of a sandbox, ${how}, against bare bwrap with the same mounts (${RUNS} runs each)`,
          measured: `${bench.ms(bench.median(ours))} against ${bench.ms(bench.median(bare))}`,
          ...{ ratio: bench.times(ratio), goal: 'at most 1.5x', ok: ratio <= 1.5 },
        });
      }
      return rows;
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function measure(dir: string, rest: boolean): Promise<{ ours: number[]; bare: number[] }> {
  chmodSync(dir, 0o711);
  const policy = policyIn(dir);
  const sandbox = new BubblewrapSandbox({ runDir: join(dir, 'run'), hidden: [join(dir, 'state')] });
  const run = async () => {
    const { end } = await sandbox.run({
      ...{ argv: ['true'], policy, input: '', onOutput: () => {}, signal: new AbortController().signal },
    });
    if (end.how !== 'exit' || end.code !== 0) throw new Error(`the sandbox ended with ${JSON.stringify(end)}`);
  };
  const floor = floorIn(dir, policy);
  for (let n = 0; n < 5; n += 1) await run().then(floor);
  const ours: number[] = [];
  const bare: number[] = [];
  // Each side among its own: what ours does after a run must not fall into the time of the other.
  const block = rest ? 1 : BLOCK;
  for (let n = 0; n < RUNS; n += block) {
    for (const [side, start] of [
      [ours, run],
      [bare, floor],
    ] as const) {
      for (let each = 0; each < block; each += 1) side.push(await bench.timed(start));
      await sleep(REST_MS);
    }
  }
  await sandbox.close();
  return { ours, bare };
}

/** A gate's: one small tree to write in, one thing to read. */
function policyIn(dir: string): SandboxPolicy {
  const [tree, tools] = ['tree', 'tools'].map((name) => join(dir, name)) as [string, string];
  for (const path of [tree, tools]) mkdirSync(path);
  for (let n = 0; n < 20; n += 1) writeFileSync(join(tree, `file-${n}`), 'x');
  return {
    kind: 'gate',
    readable: [{ from: tools, to: '/tools' }],
    writable: [{ from: tree, to: '/workspace' }],
    cwd: '/workspace',
    env: { PATH: '/usr/bin:/bin', HOME: '/tmp/home' },
    limits: {
      ...{ memoryBytes: 512 * MIB, processes: 100, cpus: 2, wallMs: 20_000, idleMs: null },
      ...{ outputBytes: 4 * MIB, diskBytes: 256 * MIB },
    },
  };
}

/** The same namespaces and the same number of mounts, and nothing else: no limits, no filter, no hand-shake. */
function floorIn(dir: string, policy: SandboxPolicy): () => Promise<void> {
  const tree = join(dir, 'bare-tree');
  mkdirSync(tree);
  if (process.getuid?.() === 0) chownSync(tree, BARE_UID, BARE_UID);
  const data = syntheticFiles(false).map(({ text }, index) => {
    const path = join(dir, `data-${index}`);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  });
  const options = bubblewrapArguments({
    host: hostFacts(),
    mounts: [
      ...policy.readable.map((mount) => ({ ...mount, writable: false })),
      { from: tree, to: '/workspace', writable: true },
    ],
    cwd: policy.cwd,
    env: policy.env,
    first: policy.env,
    temporary: [],
    network: false,
    tmpBytes: 256 * MIB,
    shmBytes: 256 * MIB,
    data,
    shell: 3,
    seccomp: null,
  });
  // Without the copy of the shell: that is a part of our price.
  const bare = options.toSpliced(options.indexOf('--ro-bind-data') - 2, 5);
  const user = process.getuid?.() === 0 ? { uid: BARE_UID, gid: BARE_UID } : {};
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(findBubblewrap() ?? 'bwrap', [...bare, 'true'], {
        ...{ cwd: '/', env: {}, stdio: ['ignore', 'inherit', 'inherit'] },
        ...user,
      });
      child.once('error', reject);
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`bwrap ended with ${code}`))));
    });
}
