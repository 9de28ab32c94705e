/** A scenario is checked as files of people are: a mistake is told with its place. */
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { parseFile, problemText } from '../../src/mind/fields/parse-file.ts';
import { checkedScenario, type ScenarioInput, scenario } from '../../src/mind/stand-in/scenario.ts';

const parse = (text: string) => parseFile(scenario, text, 'S');

function problem(text: string): string {
  const parsed = parse(text);
  return parsed.type === 'problem' ? problemText(parsed) : 'fine';
}

test('a scenario is read, checked once more by the server, and means the same', async () => {
  const parsed = parse(
    'per: conversation\nturns:\n  - write: {path: a.txt, text: "A\\n"}\n    delay: 200ms\n  - {status: 429, retry_after: 2}\n',
  );
  if (parsed.type === 'problem') throw new Error(problemText(parsed));
  const read = parsed.value;
  expect(read.turns).toMatchObject([
    { write: { path: 'a.txt', text: 'A\n' }, delay: '200ms', times: 1, for: {} },
    { status: 429, retry_after: 2 },
  ]);
  expect(checkedScenario(read)).toEqual(read);
  await using server = new StandIn({ scenario: read });
  expect((await server.listen()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test.each([
  ['turns: []\n', 'S:1:8: turns: is empty: write at least one turn'],
  ['turns:\n  - {txt: hi}\n', 'S:2:6: unknown key `txt`, did you mean `text`?'],
  ['turns:\n  - {delay: 1s}\n', 'S:2:5: turns.0: says nothing'],
  ['turns:\n  - {run: ls, write: {path: a, text: b}}\n', 'S:2:5: turns.0: wants too much at once'],
  ['turns:\n  - {status: 429, fault: hang}\n', 'S:2:5: turns.0: wants too much at once'],
  ['turns:\n  - {text: hi, retry_after: 2}\n', 'S:2:5: turns.0: has message, kind or retry_after'],
  ['turns:\n  - {text: hi}\n  - {text: hi, delay: soon}\n', 'S:3:23: turns.1.delay: must be a duration'],
  ['turns:\n  - {status: 200}\n', 'S:2:14: turns.0.status:'],
  ['turns:\n  - {text: hi}\nper: moon\n', 'S:3:6: per:'],
])('%j is refused, with its place', (text, message) => {
  expect(problem(text)).toContain(message);
});

test('a bad scenario of a program is reported too', () => {
  const bad = { turns: [{ text: 'hi', times: 0 }] } satisfies ScenarioInput;
  expect(() => new StandIn({ scenario: bad })).toThrow('scenario: turns.0.times:');
});
