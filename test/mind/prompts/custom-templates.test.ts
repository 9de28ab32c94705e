/** The templates of a run: ours, then a person's own, then those of the project. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../src/app/config/config-error.ts';
import { type Environment, readEnvironment } from '../../../src/app/config/environment.ts';
import { projectFiles } from '../../../src/app/config/project-files.ts';
import { loadTemplates } from '../../../src/app/config/prompts.ts';
import { renderPacket } from '../../../src/mind/prompts/packet.ts';
import { role } from '../../support/role.ts';
import { TEMPLATES } from '../../support/templates.ts';
import { PARTS } from './parts.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function home(files: Readonly<Record<string, string>> = {}): Environment {
  const root = mkdtempSync(join(tmpdir(), 'templates-'));
  roots.push(root);
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, '.supervisor', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readEnvironment({ HOME: root });
}
const project = (files: Readonly<Record<string, string>>) =>
  projectFiles('/repo/.supervisor', new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
const refusal = (files: Readonly<Record<string, string>>): string => {
  try {
    loadTemplates(home(), project(files));
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

test('the nearer replaces the farther by its name, and adds to it', () => {
  const users = home({ 'templates/_rules.liquid': 'of the person\n', 'templates/mine.liquid': 'mine\n' });
  const theirs = project({
    'templates/_rules.liquid': 'of the project\n',
    'templates/theirs.liquid': '{% include "_rules" %}\n',
  });
  expect(loadTemplates(home(), null)).toEqual(TEMPLATES);
  expect(loadTemplates(users, null).get('_rules')).toBe('of the person\n');
  const all = loadTemplates(users, theirs);
  expect(renderPacket({ ...PARTS, role: role('x', { template: 'theirs' }) }, all)).toBe('of the project\n');
  expect([...all.keys()].sort()).toEqual([...TEMPLATES.keys(), 'mine', 'theirs'].sort());
});

test('one that is not sound is told with its file, its line and what to do', () => {
  expect(refusal({ 'templates/own.liquid': 'one\n{{ role.nmae }}\n{% include "gone" %}' })).toMatch(
    /^\/repo\/\.supervisor\/templates\/own\.liquid:3: there is no template "gone" \(there are: /,
  );
  expect(refusal({ 'templates/own.liquid': 'one\n{{ role.nmae }}' })).toBe(
    '/repo/.supervisor/templates/own.liquid:2: there is no variable role.nmae; did you mean role.name?',
  );
  expect(refusal({ 'templates/own.liquid': '{% exec "rm" %}' })).toContain(
    'own.liquid:1: there is no tag exec (there are: ',
  );
  expect(refusal({ 'templates/_rules.liquid': '{% include "implement" %}' })).toContain(
    '/repo/.supervisor/templates/_rules.liquid: goes in a circle: _rules > implement > _rules',
  );
  // What a worker is told that is asked again has fewer variables, in all its parts.
  expect(refusal({ 'templates/own.liquid': '{{ reason }}' })).toContain('own.liquid:1: there is no variable reason');
  expect(refusal({ 'templates/_output_contract.liquid': '{{ answer.kind }} {{ role.name }}' })).toContain(
    '_output_contract.liquid:1: there is no variable role; there are: reason, answer',
  );
  expect(refusal({ 'templates/a/b.liquid': 'x' })).toContain('put it in no folder below');
  expect(refusal({ 'templates/-x.liquid': 'x' })).toContain('call it by letters');
  expect(refusal({ 'templates/own.liquid': 'x'.repeat((1 << 17) + 1) })).toContain('bytes are too many');
  expect(refusal({ 'templates/README.md': '{{ nope }}' })).toBe('');
});

test('of many mistakes the first are told', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `{{ nope${index} }}`).join('\n');
  expect(refusal({ 'templates/own.liquid': lines }).split('\n')).toHaveLength(6);
});
