/** A Supervisor that is not root: DIR; says as JSON what its sandbox does for it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ATTACKS, controlIn, forge, lookedAt } from './forging.ts';
import { setup } from './setup.ts';

const [dir = ''] = process.argv.slice(2);
const { sandbox, policy, tree, state } = setup(dir);
writeFileSync(`${state}/secret`, 'canary');
/** Without a sandbox the operator's programs read it. */
const bare = readFileSync(`${state}/secret`, 'utf8');
const probe = await sandbox.probe();

async function play(program: string, limits: Partial<typeof policy.limits> = {}) {
  let stdout = '';
  const { end, forced, leftovers } = await sandbox.run({
    argv: ['sh', '-c', program],
    policy: { ...policy, limits: { ...policy.limits, ...limits } },
    input: 'input',
    onOutput: (stream, bytes) => {
      if (stream === 'stdout') stdout += Buffer.from(bytes).toString();
    },
    signal: new AbortController().signal,
  });
  return { end, forced, leftovers, stdout };
}

const work = await play(
  'cat /dev/stdin; echo x >/workspace/x; echo y 2>/dev/null >/programs/y || echo closed; node -p 1+1',
);
const outside = await play(`cat ${state}/secret; cat ${dir}/outside; ls ${dir}; kill -0 ${process.pid} && echo seen`);
const daemon = await play('(setsid sleep 30 >/dev/null 2>&1 &); sleep 0.1');
const playDeaf = (wallMs: number) =>
  play('trap "" TERM; echo deaf; while :; do sleep 0.05; done', { wallMs, graceMs: 300 });
let deaf = await playDeaf(300);
// Ended before its first word, on a slow machine: it gets twice the time.
for (let wallMs = 600; deaf.stdout === '' && wallMs < 600_000; wallMs *= 2) deaf = await playDeaf(wallMs);
const forks = await play('for n in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; wait', { processes: 5 });
const hidden = await Promise.all(
  ['memfd', 'unix', 'shared', 'pipes'].map(async (kind) => {
    const program = `CLOSED=yes exec python3 /programs/hidden.py ${kind} 400`;
    const limits = { memoryBytes: 160 << 20 };
    const room = kind === 'memfd' ? null : await play(`${program} 0.3`, { memoryBytes: 4 * 2 ** 30 });
    return { kind, room, bounded: await play(`${program} 10`, limits) };
  }),
);
/** Half of it lies where only the first process shows it to Supervisor. */
const filled = await play('head -c 8000000 /dev/zero >/tmp/a; head -c 8000000 /dev/zero >/workspace/b; sleep 60', {
  diskBytes: 12_000_000,
});
const forged: Record<string, unknown> = {};
for (const attack of Object.keys(ATTACKS)) forged[attack] = await forge(sandbox, policy, attack);
const file = await forge(sandbox, policy, 'file');
const look = lookedAt((await forge(sandbox, policy, 'look')).said, dir);
const open = setup(dir, { bwrap: controlIn(dir) });
const control = await forge(open.sandbox, open.policy, 'memory');
const swept = await sandbox.sweep();
const left = { notes: readdirSync(`${dir}/run/runs`), written: existsSync(`${tree}/x`) };
console.log(
  JSON.stringify({
    uid: process.getuid?.(),
    bare,
    probe,
    work,
    outside,
    daemon,
    deaf,
    forks,
    hidden,
    filled,
    forged,
    file,
    look,
    control,
    swept,
    left,
  }),
);
