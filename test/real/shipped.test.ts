/** Every shipped workflow for real, from the task to the commit: workspaces, sandboxes, gates, and people who say yes. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { World } from '../support/cli.ts';

const SHIPPED = readdirSync(join(import.meta.dirname, '../../templates/workflows'))
  .map((file) => file.replace('.yaml', ''))
  .filter((name) => !name.startsWith('_'));

/** What the steps that change files write. */
const SCRIPT = {
  steps: {
    implement: [{ files: { 'a.txt': 'right\n', 'CHANGELOG.md': '# Changes\n- right\n' } }],
    execute: [{ files: { 'a.txt': 'right\n' }, says: said(['a.txt']) }],
    integration_tests: [{ files: { 'test/integration.test.js': 'one more\n' } }],
    threat_modeling: [{}],
  },
};
const GATES = ['tests=grep -q right a.txt', 'lint=true'].flatMap((gate) => ['--gate', gate]);

function said(modified: string[]): string {
  return `\`\`\`json\n${JSON.stringify({ status: 'SUCCESS', action_taken: 'x', files_modified: modified })}\n\`\`\``;
}

/** Runs it, and answers what people are asked until nobody is asked any more. */
async function walked(world: World, args: readonly string[], gates: readonly string[] = GATES) {
  world.commit({ 'a.txt': 'wrong\n', 'CHANGELOG.md': '# Changes\n', 'test/a.test.js': 'a test\n' });
  const play = world.file('script.yaml', JSON.stringify(SCRIPT));
  const asked: string[] = [];
  let result = await world.run(['run', 'make it right', '--script', play, ...gates, ...args, '--json']);
  for (;;) {
    if (result.code !== 3) break;
    const { task_id, waiting } = JSON.parse(result.stdout) as RunReport;
    const [question] = waiting;
    if (question === undefined) break;
    asked.push(question.step);
    result = await world.run(['approve', task_id, question.step, '--reason', 'looks right', '--json']);
  }
  expect(result.code, result.stderr + result.stdout).toBe(0);
  return { report: JSON.parse(result.stdout) as RunReport, asked };
}

/** The people that are asked on the way. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  open_source: ['create_pr', 'await_review'],
  enterprise: ['plan_review-approval', 'interface_definition-approval', 'code_review-approval', 'commit-approval'],
  security_critical: [
    ...['plan_review-approval', 'interface_definition-approval', 'security_review-approval'],
    ...['code_review-approval', 'commit-approval'],
  ],
};

describe('from the task to the commit', () => {
  test.each(SHIPPED)('%s', async (name) => {
    using world = new World();
    const { report, asked } = await walked(world, ['--workflow', name]);
    expect(asked).toEqual(ASKED[name] ?? []);
    expect(report.status).toBe('accepted');
    expect(report.steps.filter(({ status }) => status !== 'done')).toEqual([]);
    if (name === 'ask') return;
    expect(report.verified).toBe(true);
    expect(world.git('show', `${report.branch}:a.txt`)).toBe('right');
    expect(world.git('rev-list', '--count', `main..${report.branch}`)).toBe('1');
  });
});

const FIXTURES = join(import.meta.dirname, '../fixtures/plan-roles');
const PLAN_FILES = readdirSync(FIXTURES).map((file) => file.replace('.yaml', ''));
/** As they are written in the plan, but for commands that not every machine has. */
const written = (name: string): string =>
  readFileSync(join(FIXTURES, `${name}.yaml`), 'utf8')
    .replace('python -m backtest.risk_scenarios', 'sh risk.sh')
    .replace('python -m risk.validate', 'sh risk.sh');
/** Gates that a flag names are the only ones: those of roles run beside gates of a config. */
const OWN_GATES = 'gates: [{name: tests, command: grep -q right a.txt}, {name: lint, command: "true"}]\n';
const TOOLS = 'tools: {run_backtest_simulation: "sh risk.sh"}\n';

/** With the plan's own role files, and its composition where it is asked for. */
function tradingWorld(config: string): World {
  const world = new World();
  const folder = join(world.home, '.supervisor/roles');
  mkdirSync(folder, { recursive: true });
  world.userConfig(config);
  for (const name of PLAN_FILES.filter((one) => one !== 'composition'))
    writeFileSync(join(folder, `${name}.yaml`), name === 'trader' ? written(name) + TOOLS : written(name));
  world.commit({ 'risk.sh': 'grep -q right a.txt\n' });
  return world;
}

describe('the plan of the documents', () => {
  test('its trading composition: quant_dev builds, the test engineer tests, risk_manager validates instead of the security review', async () => {
    using world = tradingWorld(`${written('composition')}\n${OWN_GATES}`);
    const { report, asked } = await walked(world, [], []);
    expect(asked).toEqual([...(ASKED['enterprise'] ?? [])]);
    expect(report).toMatchObject({ status: 'accepted', workflow: 'enterprise', verified: true });
    const ids = report.steps.map(({ id }) => id);
    expect(ids).not.toContain('security_review');
    expect(ids.indexOf('risk_validation')).toBe(ids.indexOf('integration_test_gate') + 2);
    const risk = report.steps.find(({ id }) => id === 'risk_validation-gates');
    expect(risk?.evidence).toMatchObject([{ gate: 'backtest_risk', status: 'pass' }]);
    const { stdout: packets } = await world.run(['show', report.task_id, '--packets']);
    expect(packets).toContain('Vectorized operations');
    expect(packets).toContain('coverage: 95');
  });

  test('its trader builds, its risk_manager reviews, a test engineer tests: one workflow of the three', async () => {
    using world = tradingWorld(OWN_GATES);
    const file = world.file(
      'trading.yaml',
      'steps:\n  implement: {role: trader}\n  integration_tests: {role: test_engineer, gates: [tests]}\n  risk: {role: risk_manager, on_reject: implement}\n  commit: {kind: commit}\n',
    );
    const { report } = await walked(world, ['--workflow', file], []);
    const red = report.steps.flatMap(({ evidence }) => evidence).filter(({ status }) => status !== 'pass');
    expect([report.status, red]).toEqual(['accepted', []]);
    const gates = new Set(report.steps.flatMap(({ evidence }) => evidence.map(({ gate }) => gate)));
    expect([...gates].sort()).toEqual(['backtest_risk', 'lint', 'risk_check', 'tests']);
  });

  test.each(PLAN_FILES.filter((name) => name !== 'composition'))('its role file %s does its step', async (name) => {
    using world = tradingWorld(OWN_GATES);
    const { kind } = await world.json<{ kind: 'change' | 'answer' }>(['roles', 'show', name]);
    const workflow =
      kind === 'change' ? `implement: {role: ${name}}` : `implement: {role: implementer}\n  look: {role: ${name}}`;
    const { report } = await walked(world, ['--workflow', world.file('w.yaml', `steps:\n  ${workflow}\n`)], []);
    expect(report.steps.map(({ status }) => status).filter((status) => status !== 'done')).toEqual([]);
    const { stdout: packets } = await world.run(['show', report.task_id, '--packets']);
    expect(packets).toContain(`You are the ${name} of one task`);
  });
});
