/** (a) Durable steps per second: ten tasks side by side, against the disk's own floor and against LangGraph. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { preparePeers } from './peers/install.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const TASKS = 10;
const STEPS = 100;
const BYTES = 2_048;
const ROUNDS = 7;
/** Rounds that only warm everything up. */
const WARM = 3;

export const durableSteps: Row = {
  name: 'a',
  title: `durable steps: ${TASKS} tasks x ${STEPS} steps, 2 KB each, every step on disk`,
  async run() {
    const peers = preparePeers();
    const peer = typeof peers === 'string' ? null : bench.child('peers/langgraph.ts', { args: [peers.directory] });
    const taken: Record<'floor' | 'ours' | 'peer', number[]> = { floor: [], ours: [], peer: [] };
    try {
      for (let round = 0; round < WARM + ROUNDS; round += 1) {
        const one = await bench.inDirectory(async (dir) => ({
          floor: floor(join(dir, 'floor')),
          ours: await ours(join(dir, 'ours.db')),
          peer: peer === null ? Number.NaN : await ask(peer, join(dir, 'peer.db')),
        }));
        if (round < WARM) continue;
        for (const name of ['floor', 'ours', 'peer'] as const) taken[name].push(one[name] / (TASKS * STEPS));
      }
    } finally {
      peer?.disconnect();
    }
    return findings(taken, typeof peers === 'string' ? peers : null);
  },
};

function findings(taken: Record<'floor' | 'ours' | 'peer', number[]>, missing: string | null): Finding[] {
  const pairs = (name: 'floor' | 'peer') =>
    bench.median(taken.ours.map((own, n) => (name === 'floor' ? own / taken.floor[n]! : taken.peer[n]! / own)));
  const perStep = (name: 'floor' | 'ours' | 'peer') => bench.ms(bench.median(taken[name]));
  const speed = `${Math.round(1_000 / bench.median(taken.ours))} steps/s`;
  const overFloor = pairs('floor');
  const overPeer = pairs('peer');
  return [
    {
      what: 'time per step, against one 2 KB append + fdatasync per step',
      measured: `${speed}: ${perStep('ours')} against ${perStep('floor')}`,
      ...{ ratio: bench.times(overFloor), goal: 'at most 2x', ok: overFloor <= 2 },
    },
    {
      what: 'speed, against LangGraph.js + SqliteSaver, both at synchronous=FULL',
      measured: missing === null ? `${perStep('ours')} against ${perStep('peer')} a step` : 'not measured',
      ratio: missing === null ? bench.times(overPeer) : '–',
      ...{ goal: 'at least 5x', ok: missing === null ? overPeer >= 5 : null },
      ...(missing === null ? {} : { note: missing }),
    },
  ];
}

/** What the disk alone costs: nothing that waits for the disk once per step can be faster. */
function floor(file: string): number {
  const handle = openSync(file, 'a');
  const start = performance.now();
  for (let n = 0; n < TASKS * STEPS; n += 1) {
    writeSync(handle, bench.textOf(BYTES, `floor ${n}`));
    fdatasyncSync(handle);
  }
  const taken = performance.now() - start;
  closeSync(handle);
  return taken;
}

async function ours(file: string): Promise<number> {
  const hands = bench.workerHands(async (effect, _work, context) => ({
    class: 'ok',
    answer: await context.keep(bench.textOf(BYTES, effect.key)),
  }));
  const { engine, close } = await bench.openEngine(file, { hands, slots: TASKS });
  await bench.mustSubmit(engine, bench.configure({ max_steps: STEPS }, TASKS));
  const workflow = bench.chainOf(STEPS);
  const all = bench.closedTasks(engine, TASKS);
  const taken = await bench.timed(async () => {
    for (let n = 0; n < TASKS; n += 1) void bench.mustSubmit(engine, bench.createTask(`t-${n}`, workflow));
    await all;
  });
  await close();
  return taken;
}

async function ask(peer: ReturnType<typeof bench.child>, file: string): Promise<number> {
  const answer = bench.answerOf<{ taken: number }>(peer);
  peer.send({ file, tasks: TASKS, steps: STEPS, bytes: BYTES });
  return (await answer).taken;
}
