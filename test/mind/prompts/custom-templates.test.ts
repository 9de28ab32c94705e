/** The templates of a run: ours, then a person's own, then those of the project. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/app/config/config-error.ts';
import { type Environment, readEnvironment } from '../../../src/app/config/environment.ts';
import { projectFiles } from '../../../src/app/config/project-files.ts';
import { loadTemplates, MAX_PROJECT_BYTES, MAX_PROJECT_TEMPLATES } from '../../../src/app/config/prompts.ts';
import { checkTemplates } from '../../../src/mind/prompts/check-templates.ts';
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

test('a faulty one is reported with its file, its line and what to do', () => {
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
  expect(refusal({ 'templates/a/b.liquid': 'x' })).toContain('put it directly into the folder');
  expect(refusal({ 'templates/-x.liquid': 'x' })).toContain('use only letters');
  expect(refusal({ 'templates/own.liquid': 'x'.repeat((1 << 17) + 1) })).toContain('bytes are too many');
  expect(refusal({ 'templates/README.md': '{{ nope }}' })).toBe('');
});

test('the first of many mistakes are reported', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `{{ nope${index} }}`).join('\n');
  expect(refusal({ 'templates/own.liquid': lines }).split('\n')).toEqual([
    ...Array.from({ length: 5 }, (_, index) =>
      expect.stringContaining(`own.liquid:${index + 1}: there is no variable`),
    ),
    'and more',
  ]);
});

/** They are looked at before anybody was asked whether the project is trusted: whoever sent it must not hold up its reader. */
describe('many variables in a project that is not trusted', () => {
  const many = (count: number, variable: string, end = ''): Readonly<Record<string, string>> => {
    const text = `{{ ${variable} }}${end}`;
    const entries = Array.from({ length: count }, (_, index) => [
      `templates/t${index}.liquid`,
      text.repeat(Math.floor(MAX_PROJECT_BYTES / count / text.length)),
    ]);
    return Object.fromEntries(entries);
  };

  // Liquid counts lines from the beginning for each of them: these took a minute, and now take about a second.
  test('are checked in one go', { timeout: 45_000 }, () => {
    const texts = Array.from({ length: 12 }, (_, index) => '{{ role.name }}'.repeat(8700) + ' '.repeat(index));
    expect(checkTemplates(new Map(texts.map((text, index) => [`t${index}`, text])))).toEqual([]);
  });

  test('are refused beyond what a person could have written, before they are read as templates', {
    timeout: 45_000,
  }, () => {
    const sixty = Array.from({ length: 60 }, (_, index) => [
      `templates/t${index}.liquid`,
      '{{ role.name }}'.repeat(8000),
    ]);
    expect(refusal(Object.fromEntries(sixty))).toContain('at most 262144 are read');
    expect(refusal(many(2, 'role.name'))).toBe('');
  });

  test('and reported by their lines when they are unknown, as many times as they are there', () => {
    expect(refusal(many(2, 'nope', '\n')).split('\n')).toHaveLength(6);
    expect(refusal(many(2, 'nope')).split('\n')).toHaveLength(2);
  });

  test('are counted together', () => {
    expect(refusal({ ...many(2, 'role.name'), 'templates/z.liquid': 'x'.repeat(100) })).toMatch(
      /^\/repo\/\.supervisor\/templates\/z\.liquid: .* have \d+ bytes, at most 262144 are read; shorten them/,
    );
    expect(refusal(many(60, 'role.name'))).toBe('');
    expect(refusal(many(MAX_PROJECT_TEMPLATES, 'role.name'))).toBe('');
    expect(refusal(many(MAX_PROJECT_TEMPLATES + 1, 'role.name'))).toMatch(
      /t\d+\.liquid: a project may have 100 templates, and this is one more; remove those that no role uses$/,
    );
    // Other files of the folder are not read as templates.
    expect(refusal({ ...many(2, 'role.name'), 'templates/README.md': 'x'.repeat(100_000) })).toBe('');
  });
});
