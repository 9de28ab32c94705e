/** Every command of README and of the guides is run as it stands there, in a fresh home, and prints what the page shows. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stepsOf } from './page.ts';
import { play } from './pages.ts';
import { compared } from './shown.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs/guide')).map((name) => `docs/guide/${name}`)];

const notRun: string[] = [];
afterAll(() => {
  if (notRun.length > 0) console.log(`commands of the pages that are not run:\n${notRun.sort().join('\n')}`);
});

test.concurrent.each(PAGES)('%s', async (page) => {
  const { commands, notRun: left, differences } = await play(page);
  notRun.push(...left);
  expect(differences.join('\n\n')).toBe('');
  expect(commands + left.length).toBeGreaterThan(0);
});

test.each([
  ['a\nb', 'a\nb\n', true],
  ['a\n…\nd', 'a\nb\nc\nd', true],
  ['a … c', 'a b c', true],
  ['task t-aaaaaaaa took 3.2 s', 'task t-bbbbbbbb took 41.0 s', true],
  ['a\nb', 'a\nc', false],
  ['a', 'a\nb', false],
  ['', 'a', false],
  ['a\n…\nd', 'a\nb', false],
  ['a … c', 'a b d', false],
  ['3 tests', '2 tests', false],
])("the page's output %j fits the printed output %j: %s", (shown, printed, matches) => {
  expect(compared(shown === '' ? [] : shown.split('\n'), printed).matches).toBe(matches);
});

test('a page shows an id of another run; the one of this run stands for it', () => {
  expect(compared(['task t-aaaaaaaa'], 'task t-bbbbbbbb')).toEqual({
    matches: true,
    ids: new Map([['t-aaaaaaaa', 't-bbbbbbbb']]),
  });
});

test('a block of commands that would not be run is an error', () => {
  const fenced = (body: string, before = '') => stepsOf(`${before}\`\`\`console\n${body}\n\`\`\`\n`);
  expect(fenced("$ cat <<'END'\n> a\n> END\na")).toEqual([
    { kind: 'run', command: "cat <<'END'\na\nEND", prints: ['a'], line: 2 },
  ]);
  expect(fenced('$ reboot', '<!-- not run: it would end the tests -->\n')).toEqual([
    { kind: 'not-run', why: 'it would end the tests', commands: ['$ reboot'] },
  ]);
  expect(() => fenced('reboot')).toThrow('begins with "$ "');
  expect(() => stepsOf('<!-- not run: nothing -->\ntext\n')).toThrow('no block follows');
});
