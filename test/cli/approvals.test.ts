/** Approval policies with the real command line: which change asks a person, and whose answer counts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const ME = userInfo().username;
const GATE = ['--gate', 'tests=grep -q right a.txt'];

const policy = (leads: readonly string[]) => `approval_gates:
  low_risk: {conditions: [file_count < 3, no_security_sensitive_files], action: auto_approve}
  high_risk: {conditions: [changes_auth_code], action: require_approval, approvers: [leads]}
  critical: {conditions: [changes_encryption], action: require_multi_approval, approvers: [everybody]}
groups: {leads: [${leads.join(', ')}], everybody: [${[...leads, 'zoe'].join(', ')}]}
`;

type Report = {
  readonly task_id: string;
  readonly status: string;
  readonly waiting: readonly { readonly step: string; readonly text: string; readonly reason: string }[];
};

function worldWith(files: Readonly<Record<string, string>>, leads: readonly string[]): World {
  const world = new World();
  world.commit({ 'a.txt': 'old\n' }, 'begin');
  writePolicy(world, policy(leads));
  world.file('script.yaml', JSON.stringify({ steps: { implement: [{ files: { 'a.txt': 'right\n', ...files } }] } }));
  return world;
}

/** The person's own file, which holds for every project. */
function writePolicy(world: World, text: string): void {
  const file = join(world.home, '.supervisor', 'approvals.yaml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function run(world: World): Promise<{ readonly code: number | null; readonly report: Report }> {
  const script = join(world.dir, 'script.yaml');
  const { code, stdout, stderr } = await world.run(['run', 'do it', '--script', script, ...GATE, '--json']);
  expect(stdout, stderr).not.toBe('');
  return { code, report: JSON.parse(stdout) as Report };
}

describe('a change under an approval policy', () => {
  test('goes through if it is calm, and `show` says why no approval was needed', async () => {
    using world = worldWith({}, [ME]);
    const { code, report } = await run(world);
    expect([code, report.status]).toEqual([0, 'accepted']);
    const log = await world.run(['log']);
    expect(log.stdout).toContain('no approval is needed (low_risk: file_count < 3, no_security_sensitive_files)');
  });

  test('waits if it touches a class of paths that the policy names; an approver lets it go on', async () => {
    using world = worldWith({ 'src/login.js': 'export {};\n' }, [ME]);
    const { code, report } = await run(world);
    expect([code, report.status]).toEqual([3, 'waiting']);
    expect(report.waiting).toMatchObject([
      {
        step: 'approval',
        text: `Is the change good? One more person of leads (${ME}) has to approve.`,
        reason: expect.stringMatching(/^high_risk: changes_auth_code/),
      },
    ]);
    const done = await world.run(['approve', report.task_id]);
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('accepted')]);
    const late = await world.run(['reject', report.task_id, '--reason', 'too late']);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining(`(last answer: ${ME} approved approval)`)]);
  });

  test('is not approved by other people, and the task still waits', async () => {
    using world = worldWith({ 'src/login.js': 'export {};\n' }, ['ada']);
    const { report } = await run(world);
    const refused = await world.run(['approve', report.task_id]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `${ME} may not approve step approval of task ${report.task_id}: one more person of leads (ada) has to approve`,
    );
    expect((await world.run(['status', '--json'])).stdout).toContain('"waiting"');
  });

  test('that needs two people is not approved by one, and not by the same one twice', async () => {
    using world = worldWith({ 'src/encryption.js': 'export {};\n' }, [ME]);
    const { report } = await run(world);
    const first = await world.run(['approve', report.task_id]);
    expect([first.code, first.stdout]).toEqual([3, expect.stringContaining('One more person of everybody')]);
    const again = await world.run(['approve', report.task_id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${ME} approved step approval`)]);
  });

  test('that is rejected goes back to the worker with the reason', async () => {
    using world = worldWith({ 'src/login.js': 'export {};\n' }, [ME]);
    world.file(
      'script.yaml',
      JSON.stringify({
        steps: {
          implement: [
            { files: { 'a.txt': 'right\n', 'src/login.js': 'export {};\n' } },
            { run: 'rm src/login.js; echo right again > a.txt' },
          ],
        },
      }),
    );
    const { report } = await run(world);
    const back = await world.run(['reject', report.task_id, '--reason', 'no login here']);
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('accepted')]);
    const said = await world.run(['show', report.task_id, '--packets']);
    expect(said.stdout).toContain('no login here');
  });
});

describe('the files of a policy', () => {
  test('a mistake is named with its place, and nothing starts', async () => {
    using world = worldWith({}, [ME]);
    writePolicy(world, 'approval_gates:\n  low_risk: {conditions: [file_cuont < 3], action: auto_approve}\n');
    const { code, stderr } = await world.run(['run', 'do it', '--script', join(world.dir, 'script.yaml'), ...GATE]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/approvals\.yaml:2:\d+: .*did you mean file_count/s)]);
  });

  test("a project's policy counts on top of the person's, and `trust` shows it", async () => {
    using world = worldWith({}, [ME]);
    const strict = 'approval_gates:\n  high_risk: {conditions: [file_count > 0], action: require_approval}\n';
    world.commit({ '.supervisor/approvals.yaml': strict }, 'policy');
    const shown = await world.run(['trust']);
    expect(shown.stdout + shown.stderr).toContain('file_count > 0');
    expect((await world.run(['trust', '--yes'])).code).toBe(0);
    expect((await run(world)).code).toBe(3);
  });
});

test.each([
  [60, 0, 'low_risk: test_coverage > 60'],
  [70, 3, 'not low_risk (test_coverage > 70: no, it is 66.66'],
])('test_coverage is what the coverage gate measured: more than %i', async (percent, code, why) => {
  using world = worldWith({}, [ME]);
  writePolicy(world, `approval_gates:\n  low_risk: {conditions: [test_coverage > ${percent}], action: auto_approve}\n`);
  const report = 'SF:b.js\\nDA:1,1\\nDA:2,1\\nDA:3,0\\nend_of_record\\n';
  const command = `printf '${report}' > "$REPORT_DIR/lcov.info"`;
  const gate = { name: 'cover', kind: 'coverage', command, coverage: { format: 'lcov', file: 'lcov.info', line: 10 } };
  const config = JSON.stringify({ gates: [{ name: 'tests', command: 'grep -q right a.txt' }, gate] });
  world.commit({ 'b.js': '1;\n2;\n3;\n', '.supervisor/config.yaml': config }, 'gate');
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
  const script = join(world.dir, 'script.yaml');
  const ran = await world.run(['run', 'do it', '--script', script, '--json']);
  expect(ran.code, ran.stderr).toBe(code);
  const { task_id } = JSON.parse(ran.stdout) as Report;
  const said = [await world.run(['log']), await world.run(['show', task_id])].map(({ stdout }) => stdout).join('');
  expect(said).toContain(why);
});
