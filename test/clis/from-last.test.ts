/** A real CLI whose change gates sent back: its second attempt starts in the tree of the first, and costs only its own requests. */
import { expect, test } from 'vitest';
import { ANSWER, Through } from './through.ts';

const usage = { input: 50, output: 5 };
const writes = (path: string, text: string) => ({ write: { path, text }, usage });
const workflow = (from: string) =>
  `name: twice\nversion: 1\nsteps:\n  - {id: implement, kind: change, role: implementer, attempts: 2, from: ${from}}\n`;

/** The first attempt writes one file, the second the other; the gates want both. */
async function twice(cli: 'claude' | 'codex', from: 'last' | 'line') {
  const play = [
    writes('greeting.txt', 'hello\n'),
    { text: ANSWER, usage },
    writes('name.txt', 'Ada\n'),
    { text: ANSWER, usage },
  ];
  await using through = await new Through(play).open([cli]);
  const file = through.world.file('twice.yaml', workflow(from));
  const { stdout } = await through.run(cli, '--workflow', file, '--gate', 'named=test -f name.txt');
  const { status, steps, branch } = JSON.parse(stdout);
  const files = branch === null ? [] : through.world.git('ls-tree', '--name-only', branch).split('\n');
  return {
    status,
    attempts: steps[0].attempts,
    files,
    bodies: through.standIn.mainRequests.map(({ body }) => JSON.stringify(body)),
  };
}

test.each(['claude', 'codex'] as const)(
  '%s, from: last: two requests for each attempt, and both files land',
  async (cli) => {
    const { status, attempts, files, bodies } = await twice(cli, 'last');
    expect([status, attempts, bodies.length]).toEqual(['accepted', 2, 4]);
    expect(files).toEqual(expect.arrayContaining(['greeting.txt', 'name.txt']));
    expect(bodies[0]).not.toContain('SUPERVISOR REJECTION');
    expect(bodies[2]).toContain('SUPERVISOR REJECTION');
    expect(bodies[2]).toContain('gate `named` failed');
    expect(bodies[2]).toContain('starts from the tree that was sent back');
  },
);

test('from: line, the control: the first file is not there any more, and the gate says so', async () => {
  const { status, attempts, bodies } = await twice('codex', 'line');
  expect([status, attempts, bodies.length]).toEqual(['failed', 2, 4]);
  expect(bodies[2]).toContain('starts from a clean tree');
});
