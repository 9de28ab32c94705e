/** A real run as its spectator reads it, by every CLI: what it does and says, and no JSON. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inWords } from '../../src/mind/workers/adapters/readable-events.ts';

const GOLDEN = new URL('golden/', import.meta.url);
const shown = (cli: string, name: string): string[] =>
  readFileSync(new URL(`${cli}/${name}.jsonl`, GOLDEN), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => inWords(`| ${line}`) ?? []);

test.each([
  ['claude', /^\| Write .*hello\.txt$/],
  ['codex', /^\| \$ \/bin\/bash -lc /],
  ['gemini', /^\| write_file hello\.txt$/],
  ['opencode', /^\| write hello\.txt$/],
  ['copilot', /^\| (create|apply_patch|bash) /],
])('%s', (cli, tool) => {
  const lines = shown(cli, 'tool');
  expect(lines.join('\n')).not.toMatch(/[{"]type"/);
  expect(
    lines.some((line) => tool.test(line)),
    lines.join('\n'),
  ).toBe(true);
  expect(lines.length).toBeGreaterThan(1);
});

test('a line that is no event is shown as it is; half an event and an empty one are not shown', () => {
  expect(inWords('| plain words')).toBe('| plain words');
  expect(inWords('! a warning')).toBe('! a warning');
  expect(inWords('| {"type":"assistant","mess')).toBeNull();
  expect(inWords('| {"type":"system","subtype":"init"}')).toBeNull();
  expect(inWords('| {"type":"assistant","message":{"content":[{"type":"text","text":"one\\ntwo"}]}}')).toBe('| one');
});
