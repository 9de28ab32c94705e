import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/app/config/config-error.ts';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { projectFiles } from '../../src/app/config/project-files.ts';
import { checkProjectStrategies, loadStrategies, strategyNames } from '../../src/app/config/strategies.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'supervisor-strategies-'));
  mkdirSync(join(home, '.supervisor', 'strategies'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const environment = () => readEnvironment({ HOME: home, SUPERVISOR_HOME: home }, 1000);
const yaml = (name: string, budget: number) => `name: ${name}\ndescription: d\ntoken_budget: ${budget}\nparts: {}\n`;
const own = (file: string, text: string) => writeFileSync(join(home, '.supervisor', 'strategies', file), text);
const project = (files: Readonly<Record<string, string>>) =>
  projectFiles('/repo/.supervisor', new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

test('a project’s strategy comes before the person’s, and theirs before ours', () => {
  const files = project({ 'strategies/explore.yaml': yaml('explore', 700) });
  expect(loadStrategies(environment(), null)('explore').token_budget).toBe(8_000);
  own('explore.yaml', yaml('explore', 600));
  expect(loadStrategies(environment(), null)('explore').token_budget).toBe(600);
  expect(loadStrategies(environment(), files)('explore').token_budget).toBe(700);
  expect(loadStrategies(environment(), files)('reviewer_diff').token_budget).toBe(15_000);
});

test('an unknown one is told with the name that was probably meant', () => {
  own('mine.yaml', yaml('mine', 600));
  expect(() => loadStrategies(environment(), null)('reviewer_dif')).toThrow(
    /no context strategy "reviewer_dif", did you mean reviewer_diff\? \(known: explore, .*mine, .*security_audit\)/,
  );
  expect(() => loadStrategies(environment(), null)('../../x')).toThrow(ConfigError);
  expect(strategyNames(environment(), null)).toContain('mine');
});

test('a bad one is reported with file, line and cause; the others can still be used', () => {
  own('bad.yaml', `${yaml('bad', 600)}command: rm\n`);
  const strategies = loadStrategies(environment(), null);
  expect(() => strategies('bad')).toThrow(/bad\.yaml:5:1: unknown key `command`/);
  expect(strategies('explore').name).toBe('explore');
  own('notes.txt', 'x');
  expect(() => loadStrategies(environment(), null)('explore')).toThrow(
    /notes\.txt: is no strategy; name it NAME\.yaml/,
  );
});

test('one bad strategy of a project is a bad project', () => {
  expect(() => checkProjectStrategies(environment(), project({ 'strategies/a.yaml': yaml('b', 600) }))).toThrow(
    /the file is a\.yaml/,
  );
  expect(() => checkProjectStrategies(environment(), project({ 'strategies/a.yaml': yaml('a', 600) }))).not.toThrow();
  expect(() => checkProjectStrategies(environment(), null)).not.toThrow();
});
