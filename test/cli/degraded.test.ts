/** A step that falls back to less: its worker's instructions, its grants, and the mark on its change. */
import { expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { World } from '../support/cli.ts';

const STUB = 'export function total(prices) {\n  throw new Error("not implemented");\n}\n';
const workflow = (degrade: string) =>
  `steps:\n  implement: {role: implementer, attempts: 1${degrade === '' ? '' : `, degrade: ${degrade}`}}\n`;

async function run(world: World, degrade: string, plays: readonly object[]) {
  const script = world.file('s.yaml', JSON.stringify({ steps: { implement: plays } }));
  const file = world.file('w.yaml', workflow(degrade));
  const gate = ['--gate', 'tests=test -f ok || grep -q implemented total.js'];
  const args = ['run', 'Sum the prices.', '--workflow', file, '--script', script, ...gate];
  const { code, stdout, stderr } = await world.run(args);
  const report = await world.json<RunReport>(['show']);
  return { code, said: stdout + stderr, report };
}

const stub = { files: { 'total.js': STUB } };
const wrong = { files: { 'total.js': 'export const total = () => 0;\n' } };

test('continues with less: the stub that was refused before is granted, and the change is marked everywhere', async () => {
  using world = new World();
  const { code, said, report } = await run(world, '[simplified, minimal]', [stub, wrong, stub]);
  expect(code, said).toBe(0);
  const degraded = [{ step: 'implement', level: 'minimal' }];
  expect(report).toMatchObject({
    status: 'accepted',
    degraded,
    verdict: { notes: expect.arrayContaining(['degraded']) },
  });
  expect(said).toContain('the step goes on with less: simplified');
  expect(said).toContain('degraded: implement is minimal. Attempts at the whole task failed');
  expect(world.git('log', '-1', '--format=%(trailers:key=Supervisor-Degraded)', report.branch ?? '')).toBe(
    'Supervisor-Degraded: implement minimal',
  );
  const { stdout: packets } = await world.run(['show', '--packets']);
  const [first = '', second = '', third = ''] = packets.split(/^── /m).slice(1);
  expect(first).not.toMatch(/Only the core|Only stubs/);
  expect(second).toContain('Implement ONLY the core functionality. Skip edge cases, error handling, and optimizations');
  expect(second).toContain('The change is refused: total.js:2: This code does nothing but say');
  expect(third).toContain(
    'Create stub implementations that satisfy the interface. Add TODO comments for actual logic.',
  );
});

test('at the first lower level it is marked as well, and no second one is tried', async () => {
  using world = new World();
  const core = { files: { ok: '', 'total.js': '// TODO: no prices\nexport const total = (prices) => prices[0];\n' } };
  const { report } = await run(world, '[simplified, minimal]', [wrong, core]);
  expect(report).toMatchObject({ status: 'accepted', degraded: [{ step: 'implement', level: 'simplified' }] });
  expect(report.steps[0]?.attempts).toBe(2);
  expect(world.git('log', '-1', '--format=%B', report.branch ?? '')).toContain(
    'Supervisor-Degraded: implement simplified',
  );
});

test('the control: the same attempts fail where the workflow allows no less, and the first level has no trailer', async () => {
  using world = new World();
  const failed = await run(world, '', [stub, wrong, stub]);
  expect([failed.code, failed.report.status]).toEqual([1, 'failed']);
  using other = new World();
  const { report } = await run(other, '[simplified]', [{ files: { ok: '', 'total.js': 'export const x = 1;\n' } }]);
  expect(report).toMatchObject({ status: 'accepted' });
  expect(report).not.toHaveProperty('degraded');
  expect(other.git('log', '-1', '--format=%B', report.branch ?? '')).not.toContain('Supervisor-Degraded');
});

test('land refuses it until a person has approved its change id; a whole change lands at once', async () => {
  using world = new World();
  const { report } = await run(world, '[minimal]', [wrong, stub]);
  const land = () => world.run(['land', report.task_id, '--yes']);
  const tip = world.git('rev-parse', 'main');
  const refused = await land();
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('degraded: implement is minimal')]);
  expect(world.git('rev-parse', 'main')).toBe(tip);
  const other = await world.run(['approve', report.task_id, 'land', '--of', '0123456789ab']);
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('waits for an answer about')]);
  const approved = await world.run(['approve', report.task_id, 'land', '--of', report.change_id?.slice(0, 12) ?? '']);
  expect(approved.code, approved.stderr).toBe(0);
  const landed = await land();
  expect(landed.code, landed.stderr).toBe(0);
  expect(world.git('show', 'main:total.js')).toContain('not implemented');

  using control = new World();
  const whole = await run(control, '[minimal]', [{ files: { ok: '', 'total.js': 'export const x = 1;\n' } }]);
  expect((await control.run(['land', whole.report.task_id, '--yes'])).code).toBe(0);
});

test('an approval is for this change: when its branch has moved, the integrated change is asked about again', async () => {
  using world = new World();
  world.commit({ 'total.js': `// one\n${'\n'.repeat(9)}// two\n` });
  const part = { files: { 'total.js': `${STUB}${'\n'.repeat(9)}// two\n` } };
  const { report } = await run(world, '[minimal]', [wrong, part]);
  await world.run(['land', report.task_id, '--yes']);
  expect((await world.run(['approve', report.task_id, 'land'])).code).toBe(0);
  world.commit({ 'total.js': `// one\n${'\n'.repeat(9)}// two, changed meanwhile\n` });
  const refused = await world.run(['land', report.task_id, '--yes']);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('degraded: implement is minimal')]);
});
