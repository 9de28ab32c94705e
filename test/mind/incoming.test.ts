/** What of a command may be written: words lose their secrets, what acts is refused, names of files stay. */
import { expect, test } from 'vitest';
import { redactedForLog } from '../../src/engine/incoming.ts';
import type { Command } from '../../src/mind/domain/commands.ts';
import { BARE, create } from './samples.ts';

const SECRET = 'hunter2-hunter2';
const redact = async (texts: readonly string[]) => texts.map((text) => text.replaceAll(SECRET, '[redacted:x]'));
const made = (over: Parameters<typeof create>[1]) => create('t-1', over) as Command;

test('words lose their secrets, names of files stay as they are', async () => {
  const command = made({
    title: `say ${SECRET}`,
    spec: { version: 1, text: `say ${SECRET}`, files: [`data/${SECRET}.json`], allow: [`test/${SECRET}`] },
  });
  expect(await redactedForLog(command, redact)).toMatchObject({
    title: 'say [redacted:x]',
    spec: { text: 'say [redacted:x]', files: [`data/${SECRET}.json`], allow: [`test/${SECRET}`] },
  });
});

test.each([
  ['a gate', { spec: { version: 1 as const, text: 'x', gates: [{ name: 'tests', command: `PW=${SECRET} make` }] } }],
  ['the workflow', { workflow: { ...BARE, description: SECRET } }],
])('a secret in %s is refused: with another text in its place another program would run', async (_, over) => {
  expect(await redactedForLog(made(over), redact)).toMatchObject({ type: 'rejected', code: 'secret_in_command' });
});
