import { ACCEPTED, block, CAUGHT, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';

const INNER = `An example:\n${block(block(GOOD), '````', 'markdown')}\nThat is all.`;
const QUOTING = block(JSON.stringify({ ...GOOD, action_taken: 'wrote\n```\nand more' }));

export default [
  {
    id: 'WO-03',
    title: 'an example inside of another fence is no answer',
    worker: () => FIX + print(INNER),
    expect: { ...CAUGHT, reason: /missing result/ },
    control: { naive: ({ answer }) => answer?.status === 'SUCCESS' },
  },
  {
    id: 'WO-03',
    title: 'a fence inside of a string ends nothing',
    long: true,
    worker: () => FIX + print(QUOTING),
    expect: ACCEPTED,
    // It is a string with escaped line ends; a pattern that stops at any three backticks cuts it in half.
    control: { naive: ({ answer }) => answer === null },
  },
  {
    id: 'WO-03',
    title: 'indented and never closed',
    long: true,
    worker: () => FIX + print(`${block(GOOD)}\n  \`\`\`json\n  ${JSON.stringify(GOOD)}`),
    expect: { ...CAUGHT, reason: /never closed/ },
    control: { naive: ({ answer, accepted }) => accepted && answer?.status === 'SUCCESS' },
  },
] satisfies HostileCase[];
