import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configPage } from '../../tools/limits-table.ts';

const page = readFileSync('docs/reference/config.md', 'utf8');

it('the table of limits is up to date, and the test notices a changed row', () => {
  const stale = 'docs/reference/config.md is out of date: run `node tools/limits-table.ts`';
  expect(page === configPage(page), stale).toBe(true);
  const changed = page.replace('| `attempts` | whole number, 1 to 100 |', '| `attempts` | whole number, 1 to 99 |');
  expect(changed).not.toBe(page);
  expect(configPage(changed)).toBe(page);
});

it('the page of the configuration has every key of the schema', () => {
  const keys = keysOf(JSON.parse(readFileSync('schemas/config.schema.json', 'utf8')));
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter((key) => !names(page, key))).toEqual([]);
});

it('the test notices a key that the page does not have', () => {
  expect(names(page, 'environment.prepared')).toBe(false);
  expect(names('| `env` | x |', 'services[].env')).toBe(true);
});

type Schema = { readonly properties?: Readonly<Record<string, Schema>> };

/** The names of all keys, with those that they are in: `limits.slots.total`. Keys of `workflow` have a page of their own. */
function keysOf({ properties = {} }: Schema, above = ''): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${above}${key}`;
    return key === 'workflow' ? [name] : [name, ...keysOf(schema, `${name}.`)];
  });
}

/** Whether a page has a key by its last name, in code. */
function names(text: string, key: string): boolean {
  const last = key.split('.').at(-1);
  return new RegExp(`\`[^\`\\n]*\\b${last}\\b[^\`\\n]*\``).test(text);
}
