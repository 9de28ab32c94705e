/** A Supervisor that is not root: DIR; says as JSON what its sandbox does for it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setup } from './setup.ts';

const [dir = ''] = process.argv.slice(2);
const { sandbox, policy, tree, state } = setup(dir);
writeFileSync(`${state}/secret`, 'canary');
/** Without a wall the operator's programs read it. */
const bare = readFileSync(`${state}/secret`, 'utf8');
const probe = await sandbox.probe();

/** Its time is counted from its first word on if that is wanted: however slow the machine is, it has come so far. */
async function play(program: string, limits: Partial<typeof policy.limits> = {}, fromFirstWord = false) {
  const word = Promise.withResolvers<string>();
  let stdout = '';
  const { end, forced, leftovers } = await sandbox.run({
    argv: ['sh', '-c', program],
    policy: { ...policy, limits: { ...policy.limits, ...limits } },
    input: fromFirstWord ? { text: word.promise, wallMs: () => limits.wallMs ?? 0 } : 'input',
    onOutput: (stream, bytes) => {
      word.resolve('');
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
const deaf = await play('trap "" TERM; echo deaf; while :; do sleep 0.05; done', { wallMs: 300, graceMs: 300 }, true);
const forks = await play('for n in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; echo all', { processes: 5 });
const swept = await sandbox.sweep();
const left = { notes: readdirSync(`${dir}/run/runs`), written: existsSync(`${tree}/x`) };
console.log(JSON.stringify({ uid: process.getuid?.(), bare, probe, work, outside, daemon, deaf, forks, swept, left }));
