import { ACCEPTED, FIXED, type HostileCase, print, SAYS } from '../harness/case.ts';

const READS = `import { readFileSync } from 'node:fs';
console.log(readFileSync(0, 'utf8').length);
${FIXED}`;

export default {
  id: 'X-gate-input',
  title: 'code that waits for input when a gate runs it',
  worker: () => `${print(READS.trim()).replace('cat <<', 'cat >src/a.js <<')}${SAYS}`,
  expect: ACCEPTED,
  control: { gate: 'tail -f /dev/null | timeout 1 node test/a.test.js', naive: ({ gate }) => gate === 124 },
} satisfies HostileCase;
