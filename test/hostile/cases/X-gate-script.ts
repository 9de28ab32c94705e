import { ACCEPTED, CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

const script = 'node test/a.test.js\n';
const ways: readonly (readonly [string, string, string])[] = [
  ['a shell', 'tests=sh scripts/check.sh', 'scripts/check.sh'],
  ['its own name', 'tests=chmod +x verify && ./verify', 'verify'],
  ['another command', "tests=cd . && timeout 20 sh -c 'bash ./tools/ci'", 'tools/ci'],
];

export default [
  ...ways.map(([title, gate, path]) => ({
    id: 'X-gate-script',
    title: `changes the script that a gate runs, by ${title}`,
    files: { [path]: path === 'verify' ? `#!/bin/sh\n${script}` : script },
    gates: [gate],
    worker: () => `printf '#!/bin/sh\\nexit 0\\n' >${path}\n${SAYS}`,
    expect: { ...CAUGHT, reason: new RegExp(`${path}.*is run by gate tests`) },
    control: { naive: ({ accepted, fixed }: { accepted: boolean; fixed: boolean }) => accepted && !fixed },
  })),
  {
    id: 'X-gate-script',
    title: 'what a gate only reads may be changed',
    gates: ['tests=grep -q 2 src/a.js && node --check src/a.js'],
    worker: () => FIX + SAYS,
    expect: ACCEPTED,
    control: { naive: ({ accepted, fixed }) => accepted && fixed },
  },
] satisfies HostileCase[];
