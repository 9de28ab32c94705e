/** Which files of the base a gate runs by its own command. */
import { expect, test } from 'vitest';
import { gateFiles } from '../../../src/mind/candidates/gate-files.ts';

const BASE = ['check.sh', 'scripts/check.sh', 'tools/verify.js', 'src/a.js', 'a.txt', 'run-tests'];
const run = (command: string | readonly string[]) => [...gateFiles([{ name: 'g', command }], BASE).keys()];

test.each([
  ['sh check.sh', ['check.sh']],
  ['sh -eu ./scripts/check.sh --all', ['scripts/check.sh']],
  ['./run-tests', ['run-tests']],
  ['CI=1 exec ./run-tests | tee out', ['run-tests']],
  ['. ./check.sh && node --enable-source-maps tools/verify.js', ['check.sh', 'tools/verify.js']],
  ["timeout 60 sh -c 'bash scripts/check.sh'", ['scripts/check.sh']],
  [['bash', '/workspace/check.sh'], ['check.sh']],
  [
    ['sh', '-c', 'sh check.sh; node tools/verify.js'],
    ['check.sh', 'tools/verify.js'],
  ],
  ['if ./run-tests; then true; fi', ['run-tests']],
  ['out=$(sh check.sh)', ['check.sh']],
])('%s runs %j', (command, files) => expect(run(command).sort()).toEqual([...files].sort()));

test.each([
  'grep -q right a.txt',
  'node --check src/a.js',
  'node src/a.js --version',
  'test -f check.sh',
  'npm test',
  'cat check.sh',
  'python3 -m pytest src/a.js',
  '',
])('%s runs none of them', (command) => expect(run(command)).toEqual([]));
