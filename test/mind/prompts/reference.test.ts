/** docs/reference/prompts.md names what there is, and its example works. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_PROJECT_BYTES, MAX_PROJECT_TEMPLATES } from '../../../src/app/config/prompts.ts';
import { FEEDBACK_KINDS } from '../../../src/mind/feedback/kind.ts';
import { checkTemplates, SHAPE } from '../../../src/mind/prompts/check-templates.ts';
import { OWN_FILTERS } from '../../../src/mind/prompts/filters.ts';
import { ForeignText, Quoted } from '../../../src/mind/prompts/foreign-text.ts';
import { FILTERS, MAX_OUTPUT, MAX_TEMPLATE, TAGS } from '../../../src/mind/prompts/liquid.ts';
import { renderPacket } from '../../../src/mind/prompts/packet.ts';
import { TASK_TYPES } from '../../../src/mind/prompts/task-type.ts';
import type { TemplateValue, Variables } from '../../../src/mind/prompts/template-values.ts';
import { role } from '../../support/role.ts';
import { sentBack } from '../../support/sent-back.ts';
import { TEMPLATES } from '../../support/templates.ts';
import { PARTS } from './parts.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/prompts.md'), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

function paths(value: TemplateValue, path: string): string[] {
  if (
    value === null ||
    typeof value !== 'object' ||
    value instanceof ForeignText ||
    value instanceof Quoted ||
    Array.isArray(value)
  )
    return [path];
  const inner = Object.entries(value as Variables);
  return inner.length === 0
    ? [path]
    : inner.flatMap(([name, one]) => paths(one, path === '' ? name : `${path}.${name}`));
}

test('all variables, and no others', () => {
  const named = [...section('Variables').matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
  );
  expect(named.filter((name) => name !== 'feedback').sort()).toEqual(paths(SHAPE, '').sort());
  for (const word of [...FEEDBACK_KINDS, ...TASK_TYPES, 'reason'])
    expect(section('Variables')).toContain(`\`${word}\``);
});

test('all filters, tags, limits and templates', () => {
  for (const name of [...FILTERS, ...OWN_FILTERS]) expect(section('Filters')).toMatch(new RegExp(`\`${name}[\`:]`));
  expect(section('Filters')).toContain(
    `Tags: ${[...TAGS]
      .sort()
      .map((tag) => `\`${tag}\``)
      .join(', ')}.`,
  );
  for (const limit of [MAX_TEMPLATE, MAX_OUTPUT, MAX_PROJECT_BYTES, MAX_PROJECT_TEMPLATES])
    expect(section('Limits')).toContain(`${limit}`);
  for (const name of TEMPLATES.keys()) expect(section('Ours')).toContain(`\`${name}\``);
});

test('the example is sound, and says what it should', () => {
  const example = /```liquid\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const templates = new Map([...TEMPLATES, ['release', example]]);
  expect(checkTemplates(templates)).toEqual([]);
  const parts = {
    ...PARTS,
    text: 'Go on as planned',
    notes: [{ by: 'implementer', kind: 'plan' as const, text: 'noted' }],
    feedback: sentBack('why'),
  };
  const packet = renderPacket({ ...parts, role: role('writer', { template: 'release' }) }, templates);
  for (const part of ['Write the notes of the release', '## What was said', 'noted', '## Rules', '## Your answer'])
    expect(packet).toContain(part);
});
