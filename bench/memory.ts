/** (e) Memory over 10,000 tasks, one after another through one engine: what is closed is forgotten. */

import type { Row } from './support.ts';
import * as bench from './support.ts';

const TASKS = 10_000;
const EARLY = 1_000;

export const memory: Row = {
  name: 'e',
  title: `memory over ${TASKS.toLocaleString('en')} tasks through one engine`,
  async run() {
    const heap = await bench.inDirectory(async (dir) => {
      const args = [`${dir}/log.db`, String(EARLY), String(TASKS)];
      return bench.answerOf<{ early: number; late: number }>(
        bench.child('memory-child.ts', { args, execArgv: ['--expose-gc'] }),
      );
    });
    const growth = heap.late / heap.early;
    const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    return [
      {
        what: `heap in use after task ${TASKS}, against after task ${EARLY}`,
        measured: `${mb(heap.late)} against ${mb(heap.early)}`,
        ...{ ratio: bench.times(growth), goal: 'at most 1.2x (flat)', ok: growth <= 1.2 },
      },
    ];
  },
};
