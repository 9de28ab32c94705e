/** The plan's own role files, as they are written there: they load, and what they say is done. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemIn, ROOT, roleIn } from '../mind/roles/files.ts';
import { World } from '../support/cli.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/plan-roles');
const SHIPPED = join(import.meta.dirname, '../../templates/roles');
const written = (name: string): string => readFileSync(join(FIXTURES, `${name}.yaml`), 'utf8');
const built = (name: string): [string, string] => [
  `built-in:${name}`,
  readFileSync(join(SHIPPED, `${name}.yaml`), 'utf8'),
];
const TOOLS = 'tools: {run_backtest_simulation: "python -m backtest"}\n';

describe('the roles of the plan', () => {
  const parents = Object.fromEntries(['implementer', 'reviewer', 'planner'].map(built));
  const NAMES = [
    ...['quant_dev', 'ui_designer', 'state_architect', 'cli_ux_dev', 'schema_guard', 'etl_architect'],
    ...['api_dev', 'security_auditor', 'infra_reviewer', 'risk_manager'],
  ];
  test.each(NAMES)('%s loads as it is', (name) => {
    expect(problemIn({ [name]: written(name), ...parents }, name)).toBe('no problem');
  });

  test('trader names a tool of its own: the line that names it is the error, until it says what runs', () => {
    expect(problemIn({ trader: written('trader'), ...parents }, 'trader')).toContain(
      'trader.yaml:22:5: allowed_tools.2: "run_backtest_simulation" is no tool (known: read, edit, shell, web, read_file, edit_file, write_file, run_command, web_search). For one of your own add its command: `tools: {run_backtest_simulation: COMMAND}`',
    );
    const role = roleIn({ trader: written('trader') + TOOLS, ...parents }, 'trader');
    // No CLI has a tool of that name: it runs the command in the shell, and is told so.
    expect(role.allowed_tools).toEqual(['read', 'edit', 'shell']);
    expect(role.system_prompt).toContain('- run_backtest_simulation: python -m backtest');
    expect(role.gates).toEqual([{ name: 'risk_check', command: 'python -m risk.validate', on_fail: 'block' }]);
  });

  test('a tool that is declared and not allowed is not in the packet, and gives no shell', () => {
    const role = roleIn({ a: `${ROOT}allowed_tools: [read]\n${TOOLS}` }, 'a');
    expect(role.allowed_tools).toEqual(['read']);
    expect(role.system_prompt).not.toContain('backtest');
    expect(roleIn({ a: `${ROOT}${TOOLS}` }, 'a').system_prompt).toContain('run_backtest_simulation');
  });

  test('a tool may come from the parent, and must not take a name of ours', () => {
    const chain = { a: 'extends: b\nallowed_tools: [read, run_backtest_simulation]\n', b: ROOT + TOOLS };
    expect(roleIn(chain, 'a').allowed_tools).toEqual(['read', 'shell']);
    expect(problemIn({ a: `${ROOT}tools: {shell: "sh"}\n` })).toContain(
      'a.yaml:3:9: tools.shell: is a tool that Supervisor knows already: choose another name',
    );
  });
});

type Step = { id: string; kind: string; status: string; evidence: { gate: string; status: string }[] };
type Report = { status: string; branch: string; steps: Step[]; verdict: { reasons: string[] } };

const WORKFLOW = `
steps:
  implement: {role: implementer}
  risk_validation: {role: risk_manager, on_reject: implement}
`;

function worldWith(roles: Readonly<Record<string, string>>): World {
  const world = new World();
  const folder = join(world.home, '.supervisor', 'roles');
  mkdirSync(folder, { recursive: true });
  world.userConfig('gates: [{name: tests, command: "true"}]\n');
  for (const [name, text] of Object.entries(roles)) writeFileSync(join(folder, `${name}.yaml`), text);
  world.commit({ 'risk.sh': 'grep -q stop-loss order.txt\n', 'order.txt': 'stop-loss\n' });
  return world;
}

function run(world: World, plays: object[], ...more: string[]): Promise<Report> {
  const script = world.file('s.yaml', JSON.stringify({ steps: { implement: plays } }));
  return world.json<Report>(['run', 'x', '--script', script, ...more]);
}

const write = (text: string) => ({ files: { 'order.txt': text } });

describe('gates of the roles of the plan', () => {
  // Its command, made into one that every machine has.
  const manager = written('risk_manager').replace('python -m backtest.risk_scenarios', 'sh risk.sh');

  test('the gate of a role that only answers runs on the change before it answers, and sends it back', async () => {
    using world = worldWith({ risk_manager: manager });
    const file = world.file('risk.yaml', WORKFLOW);
    const report = await run(world, [write('none\n'), write('stop-loss, too\n')], '--workflow', file);
    expect(report.status).toBe('accepted');
    expect(world.git('show', `${report.branch}:order.txt`)).toBe('stop-loss, too');
    const gate = report.steps.find(({ id }) => id === 'risk_validation-gates');
    expect(gate?.kind).toBe('gate');
    expect(gate?.evidence.map((one) => `${one.gate} ${one.status}`)).toEqual([
      'backtest_risk fail',
      'backtest_risk pass',
    ]);
  });

  test('without the role no such gate is there: the first change is accepted', async () => {
    using world = worldWith({});
    const file = world.file('risk.yaml', WORKFLOW.replace('risk_manager', 'reviewer'));
    const report = await run(world, [write('none\n')], '--workflow', file);
    expect(report.status).toBe('accepted');
    expect(report.steps.map(({ id }) => id)).toEqual(['implement', 'risk_validation']);
  });

  test('`on_fail: block` of a role blocks the task at the first red gate', async () => {
    const trader = written('trader').replace('python -m risk.validate', 'sh risk.sh') + TOOLS;
    using world = worldWith({ trader });
    const report = await run(world, [write('none\n'), write('stop-loss\n')], '--role', 'trader');
    expect(report.status).toBe('blocked');
    expect(report.verdict.reasons.join()).toContain('risk_check');
    // The control: the same change without the role.
    using other = worldWith({});
    expect((await run(other, [write('none\n')])).status).toBe('accepted');
  });
});
