import { FIX, type HostileCase, print, SAYS } from '../harness/case.ts';

const GROW = `const held = [];
while (held.length < 16) held.push(Buffer.alloc(16 << 20, held.length + 1));
console.log(held.length * 16 + ' MiB');`;

export default {
  id: 'PR-04',
  title: 'takes more and more memory',
  worker: () => `${FIX}${print(GROW).replace('cat <<', 'cat >/tmp/grow.cjs <<')}node /tmp/grow.cjs\n${SAYS}`,
  config: 'sandbox: {worker: {memory: 128MiB}}',
  expect: { code: 1, status: 'failed', class: 'resource_limit', reason: /memory/ },
  control: { naive: ({ said, accepted }) => accepted && said.includes('256 MiB') },
} satisfies HostileCase;
