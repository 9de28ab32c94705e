/** An answer that cannot be read is asked for again in the same session, where the step allows it and as often as it says. */
import { expect, test } from 'vitest';
import type { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { leftOver } from '../support/left-over.ts';
import { settled } from '../support/traces.ts';
import { ANSWER, Through, WRITES } from './through.ts';

const usage = { input: 50, output: 5 };
const [WRITE] = WRITES as [(typeof WRITES)[number]];
const DONE = { text: 'Done, and nothing more.', usage };

const workflow = (turns: number) =>
  `name: talk\nversion: 1\nsteps:\n  - {id: implement, kind: change, role: implementer, attempts: 1, continue: ${turns}}\n`;

async function talk(cli: 'claude' | 'codex', turns: number, play: ConstructorParameters<typeof Through>[0]) {
  await using through = await new Through(play).open([cli]);
  const file = through.world.file('talk.yaml', workflow(turns));
  const { stdout, stderr } = await through.run(cli, '--workflow', file);
  const { status, steps, cost } = JSON.parse(stdout || '{}');
  expect(status, stdout + stderr).toBeDefined();
  expect(await settled(() => leftOver(through.world))).toEqual([]);
  return { status, steps, cost, bodies: bodies(through.standIn) };
}

const bodies = ({ mainRequests }: StandIn): string[] => mainRequests.map(({ body }) => JSON.stringify(body));

test.each(['claude', 'codex'] as const)('%s: asked again in its session, it answers; one attempt', async (cli) => {
  const { status, steps, cost, bodies: asked } = await talk(cli, 1, [WRITE, DONE, { text: ANSWER, usage }]);
  expect([status, steps[0].attempts]).toEqual(['accepted', 1]);
  // The whole conversation is there, with the reason at its end.
  expect(asked.at(-1)).toContain('Your last answer could not be used');
  expect(asked.at(-1)).toContain('missing result');
  expect(asked.at(-1)).toContain('Done, and nothing more.');
  expect(asked).toHaveLength(3);
  // All turns are paid for, none twice.
  expect([cost.tokens_in, cost.tokens_out]).toEqual([200, 30]);
});

test('as often as the step allows, and no more; the next attempt would begin afresh', async () => {
  const { status, bodies: asked } = await talk('codex', 2, [WRITE, DONE, DONE, DONE, DONE, DONE]);
  expect(status).toBe('failed');
  expect(asked).toHaveLength(4);
});

test.each(['claude', 'codex'] as const)(
  '%s: without sessions the answer alone is asked for, in one short request; one attempt, and its work is kept',
  async (cli) => {
    const done = await talk(cli, 0, [WRITE, DONE, { text: ANSWER, usage }]);
    expect([done.status, done.steps[0].attempts]).toEqual(['accepted', 1]);
    expect(done.bodies).toHaveLength(3);
    const [first = '', , last = ''] = done.bodies;
    expect(last).toContain('do none of it again');
    expect(last).toContain('greeting.txt (new)');
    // The task and the conversation are not sent again.
    expect(first).toContain('write a greeting');
    expect(last).not.toContain('write a greeting');
    expect([done.cost.tokens_in, done.cost.tokens_out]).toEqual([200, 30]);
  },
);

test('it is asked for once, and then the attempt was in vain', async () => {
  const { status, bodies: asked } = await talk('codex', 0, [WRITE, DONE, DONE, DONE]);
  expect([status, asked.length]).toEqual(['failed', 3]);
});
