/** The roles that Supervisor brings: each resolves, none forces a vendor on anybody, and their numbers are those of the plan. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../../src/app/config/environment.ts';
import { loadRoles } from '../../../src/app/config/roles.ts';
import { ANSWERS } from '../../../src/mind/answers/schemas.ts';
import { knownClis } from '../../../src/mind/roles/known.ts';
import { ANSWER_KINDS } from '../../../src/mind/roles/schema.ts';
import { READY_NAMES } from '../../../src/mind/workers/cli-config.ts';

const folder = resolve(import.meta.dirname, '../../../templates/roles');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
const environment = readEnvironment({ HOME: '/nonexistent', SUPERVISOR_HOME: '/nonexistent' });
const roles = loadRoles(environment, null, knownClis({}));
const all = roles.names().map((name) => roles.get(name));

test.each(files)('%s is right', (file) => {
  const name = basename(file, '.yaml');
  expect(roles.problem(name)).toBe(null);
  expect(roles.get(name).pack).toBe(dirname(file) === '.' ? null : dirname(file));
});

test('the answers that a role can owe are all there are', () => {
  expect([...ANSWER_KINDS].sort()).toEqual(Object.keys(ANSWERS).sort());
});

test('no two have one name', () => {
  expect(roles.names()).toEqual(files.map((file) => basename(file, '.yaml')).sort());
});

test('the roots, and whom the others build on', () => {
  expect(all.filter((role) => role.base_role === null).map((role) => role.name)).toEqual([
    ...['implementer', 'investigator', 'planner', 'reviewer'],
  ]);
  const bases = Object.fromEntries(all.map((role) => [role.name, role.base_role]));
  expect(bases).toMatchObject({
    ...{ tech_lead: 'planner', implementer_fast: 'implementer', test_engineer: 'implementer' },
    ...{ security_auditor: 'reviewer', security_auditor_external: 'reviewer' },
    ...{ trader: 'implementer', risk_manager: 'reviewer', etl_architect: 'planner' },
  });
});

test('all packs of the plan are there', () => {
  const packs = Object.groupBy(all, (role) => role.pack ?? 'core');
  expect(
    Object.fromEntries(Object.entries(packs).map(([pack, of]) => [pack, of?.map((role) => role.name)])),
  ).toMatchObject({
    trading: ['quant_dev', 'risk_manager', 'trader'],
    web: ['component_builder', 'state_architect', 'ui_designer'],
    cli_tools: ['cli_ux_dev'],
    data: ['data_engineer', 'etl_architect', 'schema_guard'],
    backend: ['api_dev', 'backend_dev'],
    databases: ['db_optimizer'],
    security: ['security_engineer', 'threat_modeler'],
    infrastructure: ['infra_dev', 'infra_reviewer'],
    rust: ['memory_safety_reviewer', 'rust_dev'],
    go: ['concurrency_reviewer', 'go_dev'],
    smart_contracts: ['smart_contract_auditor'],
    types: ['types_specialist'],
  });
});

describe('each', () => {
  test('names a CLI only when it is about that CLI: there is a reviewer for each', () => {
    const named = all.filter((role) => role.cli.length > 0);
    expect(named.map((role) => [role.name, role.cli])).toEqual(
      [...READY_NAMES].sort().map((cli) => [`reviewer_${cli}`, [cli]]),
    );
  });

  test('has the budget of its kind', () => {
    const budgets = Object.fromEntries(all.map((role) => [role.name, role.context.token_budget]));
    expect(budgets).toMatchObject({
      ...{ planner: 30_000, tech_lead: 30_000, implementer: 25_000, reviewer: 15_000, implementer_fast: 15_000 },
      ...{ ui_designer: 20_000, component_builder: 20_000, reviewer_gemini: 15_000, security_auditor: 15_000 },
    });
  });

  test('is asked again in its session only where that helps', () => {
    const turns = all.filter((role) => role.continue > 0).map((role) => [role.base_role ?? role.name, role.continue]);
    expect(new Set(turns.map(String))).toEqual(new Set(['planner,3', 'investigator,3']));
  });

  test('grants itself nothing, passes no flags and brings no command', () => {
    expect(all.filter(({ grants, flags, gates }) => grants.length + flags.length + gates.length > 0)).toEqual([]);
  });

  test('names its schema by a path that leads there', () => {
    for (const file of files) {
      const [first = ''] = readFileSync(join(folder, file), 'utf8').split('\n');
      const path = /^# yaml-language-server: \$schema=(.+)$/.exec(first)?.[1] ?? 'nothing';
      expect(relative(resolve(folder, '../..'), resolve(folder, dirname(file), path)), file).toBe(
        'schemas/role.schema.json',
      );
    }
  });

  test('has instructions of its own, in few words', () => {
    // A prompt is paid for in every packet; this is about 600 tokens.
    for (const role of all) expect([role.name, role.system_prompt.length < 2_500]).toEqual([role.name, true]);
    const alike = Object.groupBy(all, (role) => role.system_prompt);
    const same = Object.values(alike).filter((some) => (some?.length ?? 0) > 1);
    expect(same.map((some) => some?.map((role) => role.name))).toEqual([
      ['reviewer', ...[...READY_NAMES].sort().map((cli) => `reviewer_${cli}`)],
    ]);
  });
});

test('the test engineer writes tests of three kinds, at least three a component, and sees and changes no implementation', () => {
  const role = roles.get('test_engineer');
  expect(role).toMatchObject({
    ...{ kind: 'change', answer: 'test', template: 'test' },
    config: { test_types: ['integration', 'e2e', 'contract'], min_tests_per_component: 3 },
    context: { git_diff: false },
  });
  expect(role.context.exclude).toContain('$IMPLEMENTATION_INTERNALS');
  expect(role.context.include).toEqual(expect.arrayContaining(['$INTERFACE_DEFINITIONS', '$COMPONENT_PUBLIC_API']));
  expect(role.write_scope.length).toBeGreaterThan(0);
});
