/** A step that wants an answer and no change: the tree is read-only, and a CLI that can be held to a schema is. */
import { expect, test } from 'vitest';
import { Through, WRITES } from './through.ts';

const REVIEW = {
  status: 'APPROVED',
  issues: [{ severity: 'low', file: 'greeting.txt', line: 1, message: 'could be friendlier' }],
};
const WORKFLOW =
  'name: reviewed\nversion: 1\nsteps:\n  - {id: implement, kind: change, role: implementer}\n  - {id: review, kind: answer, role: reviewer}\n';

test('claude is held to the schema of a review, and what it hands in is read', async () => {
  const turns: typeof WRITES = [
    ...WRITES,
    { call: { tool: 'StructuredOutput', input: REVIEW } },
    { text: 'Handed in.' },
  ];
  await using through = await new Through(turns).open(['claude']);
  const { code, stdout, stderr } = await through.run('claude', '--workflow', through.world.file('w.yaml', WORKFLOW));
  expect(code, stdout + stderr).toBe(0);
  const review = through.standIn.mainRequests[2];
  expect(review?.tools).toContain('StructuredOutput');
  expect(JSON.stringify(review?.body)).toContain('security_concerns');
  const { task_id } = JSON.parse(stdout);
  const said = await through.world.run(['show', task_id, '--said'], through.env());
  expect(said.stdout).toContain('could be friendlier');
});

test('a reviewer that tries to write cannot, and its words still count', async () => {
  const answer = `Fine.\n\n\`\`\`json\n${JSON.stringify(REVIEW)}\n\`\`\`\n`;
  const turns: typeof WRITES = [...WRITES, { run: 'echo changed >greeting.txt; ls -l greeting.txt' }, { text: answer }];
  await using through = await new Through(turns).open(['codex']);
  const { code, stdout, stderr } = await through.run('codex', '--workflow', through.world.file('w.yaml', WORKFLOW));
  expect(code, stdout + stderr).toBe(0);
  const { branch } = JSON.parse(stdout);
  expect(through.world.git('show', `${branch}:greeting.txt`)).toBe('hello');
  expect(JSON.stringify(through.standIn.mainRequests.at(-1)?.body)).toMatch(/Read-only file system/);
});
