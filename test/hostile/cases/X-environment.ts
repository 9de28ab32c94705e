import { expect } from 'vitest';
import { ACCEPTED, CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

const config =
  'environment: {prepare: "mkdir -p node_modules/dep && echo original >node_modules/dep/index.js", key: [package-lock.json], outputs: [node_modules]}';
const files = { 'package-lock.json': '{}\n', '.gitignore': 'node_modules/\n' };

export default [
  {
    id: 'X-environment',
    title: 'writes into the prepared environment, or puts something else in its place',
    files,
    config,
    gates: ['tests=grep -qx original node_modules/dep/index.js && node test/a.test.js'],
    worker: () =>
      [
        'for try in "echo evil >node_modules/dep/index.js" "rm -rf node_modules" "mv node_modules old" "chmod -R 777 node_modules" "touch node_modules/new"; do',
        '  sh -c "$try" 2>/dev/null && echo "worked: $try"',
        'done',
        'ln -s /tmp node_modules/link 2>/dev/null && echo "worked: link"',
        `${FIX}${SAYS}`,
      ].join('\n'),
    expect: ACCEPTED,
    after: ({ transcripts: [said = ''] }) => expect(said).not.toContain('worked:'),
    control: {
      gate: 'mkdir -p node_modules/dep; cat node_modules/dep/index.js',
      worker: () => `mkdir -p node_modules/dep; echo evil >node_modules/dep/index.js\n`,
      naive: ({ gateSaid }) => gateSaid === 'evil\n',
    },
  },
  {
    id: 'X-environment',
    title: 'adds a file with the name of the environment in other letters',
    files,
    config,
    worker: () =>
      `${FIX}ln -s /tmp NODE_MODULES; mkdir -p src/node_modules/dep; echo evil >src/node_modules/dep/index.js\n${SAYS}`,
    expect: CAUGHT,
    control: { naive: ({ landed }) => landed.includes('NODE_MODULES') },
  },
] satisfies HostileCase[];
