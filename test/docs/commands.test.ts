import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage } from '../../tools/commands.ts';

it('the page of all commands is up to date', () => {
  const page = readFileSync('docs/reference/commands.md', 'utf8');
  expect(page === commandsPage(), 'docs/reference/commands.md is out of date: run `node tools/commands.ts`').toBe(true);
});
