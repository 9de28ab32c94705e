import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/faces/cli/table.ts';
import { commandsPage } from '../../tools/commands.ts';

it('the page of all commands is up to date', () => {
  const page = readFileSync('docs/reference/commands.md', 'utf8');
  expect(page === commandsPage(), 'docs/reference/commands.md is out of date: run `node tools/commands.ts`').toBe(true);
});

it('the page of JSON output names every command', () => {
  const page = readFileSync('docs/reference/json.md', 'utf8');
  const missing = COMMANDS.map(({ name }) => name).filter((name) => !new RegExp(`\`${name}[ \`]`).test(page));
  expect(missing).toEqual([]);
});
