import { expect } from 'vitest';
import { ACCEPTED, block, CAUGHT, FIX, GOOD, type HostileCase, print, SAYS } from '../harness/case.ts';

const BAD = JSON.stringify({ ...GOOD, action_taken: 'BYTES' }).replace(
  'BYTES',
  "'; printf '\\377\\376'; printf '%s' '",
);
const NUL = { ...GOOD, files_modified: ['src/a.js\u0000.png'] };
const NOISE = String.raw`\377\376 \000 \355\240\200 \357\273\277 \342\200\256gpj.exe\342\200\254 \342\200\213`;

export default [
  {
    id: 'WO-06',
    title: 'bytes that are no text, inside of the block',
    worker: () => `${FIX}printf '%s' '\`\`\`json\n${BAD}\n\`\`\`\n'`,
    expect: { ...CAUGHT, reason: /not UTF-8/ },
    control: { naive: ({ answer }) => answer?.action_taken === '\ufffd\ufffd' },
  },
  {
    id: 'WO-06',
    title: 'a path with a zero byte',
    long: true,
    worker: () => FIX + print(block(NUL)),
    expect: { ...CAUGHT, reason: /files_modified\.0: .*control character/ },
    control: { naive: ({ answer }) => answer?.files_modified[0].includes('\u0000') },
  },
  {
    id: 'WO-06',
    title: 'around the block: kept, and shown so that it does nothing',
    worker: () => `${FIX}printf '${NOISE}\\n'\n${SAYS}`,
    expect: ACCEPTED,
    after: async ({ world, transcripts }) => {
      const [task] = await world.tasks();
      const { stdout } = await world.run(['show', task?.task_id ?? '', '--said', '--records']);
      for (const text of [stdout, ...transcripts]) expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(stdout).toContain('gpj.exe');
    },
    control: { naive: ({ said }) => said.includes('\u202egpj.exe') && said.includes('\u0000') },
  },
] satisfies HostileCase[];
