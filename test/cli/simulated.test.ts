/** `run --simulate` walks any workflow: people answer as the script says, and the report shows the path. */
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const LOOK = `steps:
  plan: {role: planner, human_approval: true}
  implement: {role: implementer}
  look: {kind: human, on_reject: implement, rounds: 3}
`;

async function simulated(world: World, workflow: string, script: string | null) {
  const play = script === null ? [] : ['--script', world.file('play.yaml', script)];
  const { code, stdout } = await world.run(['run', 'do it', '--simulate', '--workflow', workflow, ...play]);
  const path = /^ {2}path +(.*)$/m.exec(stdout)?.[1] ?? '';
  return { code, path, stdout };
}

describe('people of a simulation', () => {
  test('all say yes where there is no script', async () => {
    using world = new World();
    const { code, path } = await simulated(world, world.file('w.yaml', LOOK), null);
    expect([code, path]).toEqual([0, 'plan > plan-approval (yes) > implement > look (yes)']);
    expect(
      (await world.events()).map((event) => event.data).filter((data) => JSON.stringify(data).includes('"by":')),
    ).toMatchObject([{ by: 'script' }, { by: 'script' }]);
  });

  test('answer as the script says, in order; then they say yes', async () => {
    using world = new World();
    const people = 'steps: {}\npeople:\n  look: [{answer: reject, reason: too short}, reject]\n';
    const { code, path, stdout } = await simulated(world, world.file('w.yaml', LOOK), people);
    expect([code, path]).toEqual([
      0,
      'plan > plan-approval (yes) > implement > look (no, back to implement) > implement > look (no, back to implement) > implement > look (yes)',
    ]);
    expect(stdout).toContain('look: rejected by script: too short');
  });

  test('a played person who waits leaves the question open, and a real one answers it', async () => {
    using world = new World();
    const { code, stdout } = await simulated(world, world.file('w.yaml', LOOK), 'steps: {}\npeople: {look: [wait]}\n');
    expect(code).toBe(3);
    const [, task] = /supervisor approve (t-\w+) look/.exec(stdout) ?? [];
    expect((await world.run(['approve', task ?? ''])).code).toBe(0);
  });

  test('without people in the script there is no answer', async () => {
    using world = new World();
    expect((await simulated(world, world.file('w.yaml', LOOK), 'steps: {}\n')).code).toBe(3);
  });

  test('a question whether to try once more gets a no unless the script says yes, so every simulation ends', async () => {
    using world = new World();
    const workflow = world.file(
      'w.yaml',
      `on_exhausted: escalate
steps:
  implement: {role: implementer, attempts: 1, retry_policy: {on_failure: ask_human}}
`,
    );
    const fails = 'steps: {implement: [{gates: {tests: fail}}]}\n';
    const no = await simulated(world, workflow, `${fails}people: {}\n`);
    expect([no.code, no.path]).toEqual([4, 'implement (not good) > implement (no)']);
    const once = await simulated(world, workflow, `${fails}people: {implement: [approve]}\n`);
    expect([once.code, once.path]).toEqual([
      4,
      'implement (not good) > implement (yes) > implement (not good) > implement (no)',
    ]);
  });
});

test('a step that falls back to less says so in its path', async () => {
  using world = new World();
  const workflow = world.file('w.yaml', 'steps:\n  build: {role: implementer, attempts: 1, degrade: [minimal]}\n');
  const { code, path, stdout } = await simulated(world, workflow, 'steps: {build: [{gates: {tests: fail}}, {}]}\n');
  expect([code, path]).toEqual([0, 'build (not good, then minimal) > build']);
  expect(stdout).toContain('the step goes on with less: minimal');
});

describe('every shipped workflow', () => {
  test.each([
    ['standard', /^plan > plan_review > implement > test > review-.* > review > ci > commit$/],
    ['mvp', /^plan > implement > quick_review > commit$/],
    [
      'with_test_engineer',
      /^plan > implement > unit_test_gate > integration_tests > integration_test_gate > review > commit$/,
    ],
    ['enterprise', /^plan > plan_review > plan_review-approval \(yes\) > .* > commit-approval \(yes\) > commit$/],
    [
      'security_critical',
      /threat_modeling > .* > penetration_test > .* > security_review-approval \(yes\) > .* > commit$/,
    ],
    ['open_source', /> commit > create_pr \(yes\) > await_review \(yes\)$/],
    [
      'sdlc',
      /^brainstorm > document > plan > execute > quality_gates > review-reviewer > review-security_auditor > review > approve > track$/,
    ],
    ['reviewed', /^implement > review$/],
    ['ask', /^answer$/],
    ['default', /^implement$/],
  ])('%s is walked to its end', async (name, path) => {
    using world = new World();
    expect(await simulated(world, name, null)).toMatchObject({ code: 0, path: expect.stringMatching(path) });
  });
});

test('without --simulate, fields of a script that mean nothing there are named', async () => {
  using world = new World();
  const script = world.file('play.yaml', 'steps:\n  review: [{review: CHANGES_REQUESTED}]\npeople: {}\n');
  const { stderr } = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, '--no-gates']);
  expect(stderr).toContain(
    'without --simulate these fields of the script mean nothing: steps.review[0].review, people',
  );
  expect(stderr).toContain("A reviewer's answer is what it `says`");
  const quiet = await world.run(['run', 'do it', '--workflow', 'reviewed', '--script', script, '--simulate']);
  expect(quiet.stderr).not.toContain('mean nothing');
});

test('steps of a script that the workflow does not have, or that no worker does, are named', async () => {
  using world = new World();
  const workflow = world.file(
    'w.yaml',
    'steps:\n  build: {role: implementer}\n  look: {review: [reviewer, tech_lead]}\n',
  );
  const played = (steps: string) => world.file('play.yaml', `steps:\n  ${steps}\n`);
  const told = async (steps: string) =>
    (await world.run(['run', 'do it', '--workflow', workflow, '--script', played(steps), '--simulate'])).stderr;
  expect(await told('biuld: [{}]')).toContain(
    'the script plays step biuld, which workflow w does not have: did you mean build?',
  );
  expect(await told('look: [{review: REJECTED}]')).toContain(
    'the script plays step look, which only weighs answers: play look-reviewer, look-tech_lead instead',
  );
  expect(await told('look-reviewer: [{}]')).not.toContain('the script plays');
});
