import { expect } from 'vitest';
import { ACCEPTED, block, CAUGHT, FIX, GOOD, type HostileCase, print } from '../harness/case.ts';

const RAW = String.raw`\033]52;c;Y2FuYXJ5\007 \033]8;;file:///etc/hostname\033\134x\033]8;;\033\134 \033[2J\033[H\033]0;owned\007FAILED\rPASSED \23331m \302\233 \010\010`;
const ESCAPED = { ...GOOD, action_taken: '\u001b]52;c;Y2FuYXJ5\u0007\u001b[2J\u009b31mFAILED\rPASSED' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export default [
  {
    id: 'WO-07',
    title: 'sequences for the terminal, raw and as JSON, shown later',
    worker: () => `${FIX}printf '${RAW}\\n'; printf '${RAW}\\n' >&2\n${print(block(ESCAPED))}`,
    expect: ACCEPTED,
    after: async ({ world }) => {
      const [task] = await world.tasks();
      for (const args of [['show', '--said', '--records', '--evidence'], ['log']]) {
        const { stdout, stderr } = await world.run([...args, task?.task_id ?? '']);
        expect(stdout + stderr).not.toMatch(OBEYED);
      }
    },
    control: { naive: ({ said, answer }) => said.includes('\u001b]52;') && answer?.action_taken.includes('\u001b[2J') },
  },
  {
    id: 'WO-07',
    title: 'in the reason of a failure',
    worker: () => `printf '${RAW}' >&2\n${print(block({ ...ESCAPED, status: 'FAILED' }))}`,
    expect: { ...CAUGHT, reason: /the worker says FAILED/ },
    after: ({ attempts }) => expect(attempts[0]?.reason).not.toMatch(OBEYED),
    control: { naive: ({ answer }) => answer?.action_taken.includes('\u001b') },
  },
] satisfies HostileCase[];
