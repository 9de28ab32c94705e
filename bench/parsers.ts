/** (j) The parser of each adapter, fed a gigabyte of the events that its CLI prints. */

import { ADAPTERS } from '../src/mind/workers/adapters/index.ts';
import type { Parsed } from './parser-child.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const GOAL = 100;
/** In bytes: a heap that grows more is not flat. */
const MOST_GROWTH = 8e6;

export const parsers: Row = {
  name: 'j',
  title:
    'the parser of each adapter, fed 1 GB of events of a recorded run, made while it is fed; by processor time of the parsing thread, decoding included',
  async run() {
    const findings: Finding[] = [];
    for (const cli of Object.keys(ADAPTERS)) findings.push(...(await fed(cli)));
    return findings;
  },
};

async function fed(cli: string): Promise<Finding[]> {
  const child = bench.child('parser-child.ts', { args: [cli], execArgv: ['--expose-gc'] });
  const { bytes, processorMs, wallMs, early, late, resident } = await bench.answerOf<Parsed>(child);
  const [speed, onWall] = [processorMs, wallMs].map((ms) => bytes / 1e3 / ms) as [number, number];
  const grown = late - early;
  return [
    {
      what: `${cli}: speed`,
      measured: `${speed.toFixed(0)} MB/s (${onWall.toFixed(0)} MB/s on the wall beside others)`,
      ...{ ratio: bench.times(speed / GOAL), goal: `at least ${GOAL} MB/s`, ok: speed >= GOAL },
    },
    {
      what: `${cli}: heap after 1 GB, against after 0.1 GB`,
      measured: `${mb(late)} against ${mb(early)}; the process never had more than ${mb(resident)}`,
      ...{ ratio: bench.times(late / early), goal: 'flat', ok: grown < MOST_GROWTH },
    },
  ];
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
