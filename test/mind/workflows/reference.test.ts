/** docs/reference/workflows.md: every field is there, with an example that loads and has it; nothing is there that is not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { parseFile, problemText } from '../../../src/mind/fields/parse-file.ts';
import { workflowChoice } from '../../../src/mind/workflows/file.ts';
import { readText } from '../../support/workflow-file.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/reference/workflows.md'), 'utf8');
const SHIPPED = Object.fromEntries(
  readdirSync(join(ROOT, 'templates/workflows')).map((file) => [
    file.replace('.yaml', ''),
    readFileSync(join(ROOT, 'templates/workflows', file), 'utf8'),
  ]),
);

type Schema = { readonly properties: Readonly<Record<string, { readonly not?: object }>> };
/** Those that are refused with the word to write instead are no fields. */
const taken = ({ properties }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, { not }]) => (not === undefined ? [name] : []));

function fieldsOfSchema(): { readonly file: string[]; readonly step: string[]; readonly settings: string[] } {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/workflow.schema.json'), 'utf8'));
  const steps = objectsIn(schema).filter(({ properties }) => properties['degrade'] !== undefined);
  const [step] = steps;
  if (step === undefined) throw new Error('the schema has no step');
  return { file: taken(schema), step: taken(step), settings: Object.keys(schema.properties.settings.properties) };
}

function objectsIn(value: unknown): Schema[] {
  if (value === null || typeof value !== 'object') return [];
  const below = Object.values(value).flatMap(objectsIn);
  const { properties } = value as Schema;
  return properties === undefined ? below : [value as Schema, ...below];
}

/** By heading: the examples below it. */
const sections = [...page.split(/^#{2,3} /m)].slice(1).map((text) => {
  const [heading = ''] = text.split('\n', 1);
  const examples = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);
  return { field: /^`(\w+)`$/.exec(heading)?.[1] ?? null, heading, examples };
});
const fields = sections.flatMap(({ field, examples }) => (field === null ? [] : [{ field, examples }]));

describe('the page about workflows', () => {
  test('has every field of a file and of a step, every setting and every shipped workflow, and no others', () => {
    const { file, step, settings } = fieldsOfSchema();
    expect(step.length).toBeGreaterThan(30);
    const all = new Set([...file, ...step].filter((name) => name !== 'id'));
    expect([...new Set(fields.map(({ field }) => field))].sort()).toEqual([...all].sort());
    for (const name of settings) expect(page, name).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
    for (const name of Object.keys(SHIPPED)) expect(page, name).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  });

  test.each(fields.map(({ field, examples }) => [field, examples] as const))(
    '%s has an example that has it',
    (field, examples) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(example).toMatch(new RegExp(`\\b${field}:`));
    },
  );

  const examples = sections.flatMap(({ heading, examples: all }) => all.map((example) => [heading, example] as const));
  test.each(examples.filter(([, example]) => !example.startsWith('workflow:')))(
    'the example of %s loads',
    (_, example) => {
      const read = readText(example, { others: SHIPPED });
      if (read.type === 'problem') throw new Error(problemText(read));
      expect(read.definition.steps.length).toBeGreaterThan(0);
    },
  );

  test('the example for the config loads, with what it changes', () => {
    const [, example = ''] = examples.find(([, one]) => one.startsWith('workflow:')) ?? [];
    const config = v.strictObject({ workflow: workflowChoice });
    const parsed = parseFile(config, example, 'config.yaml');
    if (parsed.type === 'problem') throw new Error(problemText(parsed));
    const { problem, value } = parsed;
    const { workflow: choice } = value;
    const { template } = choice;
    const read = readText(SHIPPED[template] ?? '', { others: SHIPPED, composition: { choice, problem } }, template);
    if (read.type === 'problem') throw new Error(problemText(read));
    const ids = read.definition.steps.map(({ id }) => id);
    expect(ids).toContain('risk_validation');
    expect(ids).not.toContain('security_review');
  });
});
