/** The JSON Schemas for editors are made from the declarations that parse the files, and are those that are committed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { FIELD_NAMES } from '../../../src/mind/roles/schema.ts';
import { schemaFiles } from '../../../tools/schemas.ts';

const folder = resolve(import.meta.dirname, '../../../schemas');

test('schemas/ is up to date (else: node tools/schemas.ts)', () => {
  const committed = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(schemaFiles()));
});

test('the one of roles knows every key, and says something about each', () => {
  const schema = JSON.parse(schemaFiles().get('role.schema.json') ?? '{}');
  expect(Object.keys(schema.properties)).toEqual(FIELD_NAMES);
  for (const key of FIELD_NAMES) expect(schema.properties[key], key).toHaveProperty('description');
  expect(schema).toMatchObject({ additionalProperties: false, patternProperties: { '^x-': {} } });
  // Nothing is required: a role may inherit all of it.
  expect(schema.required).toEqual([]);
});
