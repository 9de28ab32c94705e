import { CAUGHT, FIX, type HostileCase } from '../harness/case.ts';

export default [
  {
    id: 'PR-07',
    title: 'ends well, has done the work and says nothing',
    worker: () => `${FIX}exit 0\n`,
    expect: { ...CAUGHT, reason: /missing result/ },
    control: { naive: ({ accepted, fixed, bytes }) => accepted && fixed && bytes === 0 },
  },
  {
    id: 'PR-07',
    title: 'says nothing and does nothing',
    long: true,
    gates: ['tests=true'],
    worker: () => 'exit 0\n',
    expect: { ...CAUGHT, reason: /missing result/ },
    control: { naive: ({ accepted, fixed }) => accepted && !fixed },
  },
] satisfies HostileCase[];
