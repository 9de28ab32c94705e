import { expect } from 'vitest';
import { CAUGHT, FIX, type HostileCase } from '../harness/case.ts';

const ASK = `${FIX}cat >/dev/null\nprintf 'Do you trust the files in this folder? [y/N] '\n`;

export default [
  {
    id: 'PR-06',
    title: 'asks and waits for a person',
    wall: '90s',
    // Long enough for a slow machine to come to the question; who asks would wait on and on.
    worker: () => `${ASK}sleep 600\n`,
    config: 'sandbox: {worker: {idle: 5s}}',
    // The prompt becomes a question to the operator; the task waits for the answer.
    expect: { code: 3, status: 'not closed', class: 'waiting_for_input', reason: /Do you trust the files/ },
    control: { timeoutMs: 4_000, naive: ({ timedOut, said }) => timedOut && said.includes('Do you trust') },
  },
  {
    id: 'PR-06',
    title: 'asks on its input and on a terminal: nobody answers, least of all with yes',
    worker: () =>
      `${ASK}read -r a || echo "input closed"; read -r b </dev/tty || echo "no terminal"; echo "got <$a$b>"\n`,
    expect: { ...CAUGHT, reason: /missing result/ },
    after: ({ transcripts }) => expect(transcripts.join('')).toMatch(/input closed[\s\S]*no terminal[\s\S]*got <>/),
    control: {
      worker: () => `printf 'Do you trust? [y/N] '; yes | (read -r a; echo "got <$a>")\n`,
      naive: ({ said }) => said.includes('got <y>'),
    },
  },
] satisfies HostileCase[];
