import { expect } from 'vitest';
import { ACCEPTED, block, CAUGHT, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';

const FAILED = { ...GOOD, status: 'FAILED' };
const MANY = [block(FAILED), block(GOOD), block(FAILED, '```', 'JSON'), block(GOOD, '~~~')].join('\n\n');
const BROKEN = [block(GOOD), block('{"status": "SUCCESS", ')].join('\n');

/** As it is often written: the first one that suits. */
const anySuccess = (text: string): boolean =>
  [...text.matchAll(/(?:```|~~~)json\s*([\s\S]*?)\s*(?:```|~~~)/gi)].some(([, one = '']) => one.includes('"SUCCESS"'));

export default [
  {
    id: 'WO-02',
    title: 'contradictory blocks: the last one in backticks counts, whatever it says',
    worker: () => FIX + print(MANY),
    expect: { ...CAUGHT, reason: /the worker says FAILED/ },
    control: { pure: () => anySuccess(MANY) },
  },
  {
    id: 'WO-02',
    title: 'a broken last block is not replaced by a good one before it',
    long: true,
    worker: () => FIX + print(BROKEN),
    expect: { ...CAUGHT, reason: /the json block/ },
    control: { naive: ({ answer, accepted }) => accepted && answer.status === 'SUCCESS' },
  },
  {
    id: 'WO-02',
    title: 'the others are counted and recorded',
    worker: () => FIX + print([block(FAILED), block(FAILED), block(GOOD)].join('\n')),
    expect: ACCEPTED,
    after: (seen) => expect(seen.record.other_blocks).toBe(2),
    control: { naive: ({ answer }) => answer.status === 'FAILED' },
  },
] satisfies HostileCase[];
