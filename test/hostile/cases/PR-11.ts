import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, print, SAYS } from '../harness/case.ts';

const program = (port: number) => `
const { connect } = require('node:net');
let left = 3;
const over = () => --left === 0 && process.exit(0);
for (const at of [{ host: '127.0.0.1', port: ${port} }, { host: '::ffff:127.0.0.1', port: ${port} }, { path: '\\0hostile-${port}' }])
  connect(at).on('error', ({ code }) => console.log(code)).on('data', (bytes) => console.log('got', String(bytes))).on('close', over);`;

export default {
  id: 'PR-11',
  title: 'calls services on the loopback of the host, and sockets without a file',
  worker: ({ port }) =>
    `${print(program(port)).replace('cat <<', 'cat >/tmp/call.cjs <<')}node /tmp/call.cjs\n${FIX}${SAYS}`,
  expect: ACCEPTED,
  after: ({ transcripts }) => expect(transcripts.join('')).toMatch(/ECONNREFUSED/),
  control: { naive: ({ connections, leaked }) => connections.worker >= 2 && leaked },
} satisfies HostileCase;
