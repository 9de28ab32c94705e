import { expect } from 'vitest';
import { block, CAUGHT, FIX, GOOD, type HostileCase, print, SAYS } from '../harness/case.ts';

const [head = '', tail = ''] = block(GOOD).split(/(?<="SUCCESS",)/);

export default [
  {
    id: 'WO-14',
    title: 'the answer on stderr, noise on stdout',
    worker: () => `${FIX}echo noise\n(${SAYS}) >&2\n`,
    expect: { ...CAUGHT, reason: /missing result: .*the end of its stderr: .*SUCCESS/s },
    control: { naive: ({ answer }) => answer?.status === 'SUCCESS' },
  },
  {
    id: 'WO-14',
    title: 'half an answer on each',
    long: true,
    worker: () => `${FIX}printf '%s' '${head}'; sleep 0.1; printf '%s\\n' '${tail}' >&2\n`,
    expect: { ...CAUGHT, reason: /never closed|missing result/ },
    control: { naive: ({ answer }) => answer?.status === 'SUCCESS' },
  },
  {
    id: 'WO-14',
    title: 'a good one on stderr after a bad one on stdout',
    worker: () => `${FIX}${print(block({ ...GOOD, status: 'FAILED' }))}sleep 0.1\n(${SAYS}) >&2\n`,
    expect: { ...CAUGHT, reason: /the worker says FAILED/ },
    after: ({ gates }) => expect(gates).toEqual([]),
    control: {
      naive: ({ said }) => said.lastIndexOf('SUCCESS') > said.lastIndexOf('FAILED'),
    },
  },
] satisfies HostileCase[];
