/** Whose word counts: the project's before the person's; limits only ever get tighter than what the person said. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { cascade } from '../../src/mind/config/cascade.ts';
import { config } from '../../src/mind/config/project-config.ts';
import { tighten } from '../../src/mind/config/tighten.ts';
import { DEFAULT_LIMITS, limitsConfig, resolveLimits } from '../../src/mind/domain/limits.ts';
import { BACKOFFS } from '../../src/mind/workflows/retry-policies.ts';

const read = (value: unknown) => v.parse(config, value);
const settings = (user: unknown, project: unknown) => cascade({ user: read(user), project: read(project) }).settings;
const limits = (user: unknown, project: unknown) =>
  resolveLimits(tighten(v.parse(limitsConfig, user), v.parse(limitsConfig, project)));

describe('settings', () => {
  test('without any file the built-in ones count: nothing checks, nothing is installed, only the script works', () => {
    expect(cascade({})).toEqual({
      settings: {
        ...{ gates: [], environment: null, clis: {}, defaultCli: ['scripted'], testPaths: [], protect: [] },
        sandbox: { worker: {}, gate: {}, backend: 'bubblewrap', image: null },
        egress: { worker: [], prepare: [] },
        packs: [],
        knowledge: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'],
      },
      limits: DEFAULT_LIMITS,
    });
  });

  test('lists append, the further ones first; the same path is said once', () => {
    const { gates, testPaths, protect } = settings(
      { gates: [{ name: 'lint', command: 'l' }], tests: { paths: ['qa/', 'test/'] }, protect: ['a'] },
      { gates: [{ name: 'tests', command: 't' }], tests: { paths: ['test/', 'e2e/'] }, protect: ['b', 'a'] },
    );
    expect([gates.map((gate) => gate.name), testPaths, protect]).toEqual([
      ['lint', 'tests'],
      ['qa/', 'test/', 'e2e/'],
      ['a', 'b'],
    ]);
  });

  test('a gate or CLI of the same name is replaced whole by the nearer one, in its place', () => {
    const { gates, clis } = settings(
      {
        gates: [
          { name: 'tests', command: 'mine', timeout: '1m' },
          { name: 'lint', command: 'l' },
        ],
        clis: { a: { command: ['mine'], env: ['TOKEN'] }, b: { command: ['b'] } },
      },
      { gates: [{ name: 'tests', command: 'theirs' }], clis: { a: { command: ['theirs'] } } },
    );
    expect(gates).toEqual([
      { name: 'tests', command: 'theirs', blocking: true, on_fail: 'retry' },
      { name: 'lint', command: 'l', blocking: true, on_fail: 'retry' },
    ]);
    expect([clis['a'], Object.keys(clis)]).toEqual([
      { type: 'declared', command: ['theirs'], prompt: 'stdin', output: 'text', env: [] },
      ['a', 'b'],
    ]);
  });

  test("a project may choose the model of a built-in CLI; the person's keys and places stay", () => {
    const user = { clis: { claude: { base_url: 'https://proxy.example/a', key: 'OWN_KEY', model: 'large' } } };
    const { clis } = settings(user, { clis: { claude: { model: 'small', effort: 'low' }, codex: { effort: 'high' } } });
    expect(clis).toEqual({
      claude: { type: 'adapter', adapter: 'claude', ...user.clis.claude, model: 'small', effort: 'low' },
      codex: { type: 'adapter', adapter: 'codex', effort: 'high' },
    });
  });

  test('places outside: what the person allows, and of that what the project asks for', () => {
    const allowed = ['a.example', 'b.example:8443', { host: 'c.example', private: true }];
    expect(settings({ egress: { worker: allowed } }, {}).egress.worker).toEqual([
      { host: 'a.example', port: 443 },
      { host: 'b.example', port: 8443 },
      { host: 'c.example', port: 443, private: true },
    ]);
    const asked = ['b.example:8443', 'c.example:80', 'd.example'];
    expect(settings({ egress: { worker: allowed } }, { egress: { worker: asked } }).egress.worker).toEqual([
      { host: 'b.example', port: 8443 },
    ]);
    expect(settings({}, { egress: { prepare: asked } }).egress).toEqual({ worker: [], prepare: [] });
  });

  test('the environment is merged deeply', () => {
    const { environment } = settings(
      {
        environment: {
          prepare: 'mine',
          key: ['a'],
          outputs: ['x'],
          env: { A: '1', B: '1' },
          services: [{ name: 'db', command: 'mine' }],
        },
      },
      {
        environment: {
          prepare: 'theirs',
          key: ['b'],
          outputs: ['y'],
          env: { B: '2' },
          services: [{ name: 'db', command: 'theirs' }],
        },
      },
    );
    expect(environment).toEqual({
      prepare: 'theirs',
      key: ['a', 'b'],
      outputs: ['x', 'y'],
      env: { A: '1', B: '2' },
      services: [{ name: 'db', command: 'theirs', env: {} }],
    });
  });

  test('the environment of one file alone stands as it is, whichever it is', () => {
    const one = { environment: { prepare: 'p', key: ['k'], outputs: ['o'] } };
    const whole = { prepare: 'p', key: ['k'], outputs: ['o'], env: {}, services: [] };
    expect([settings(one, {}).environment, settings({}, one).environment]).toEqual([whole, whole]);
  });

  test('the choice of CLIs is one choice: the nearest stands alone', () => {
    const clis = { a: { command: ['a'] }, b: { command: ['b'] } };
    expect(settings({ clis, default_cli: ['a'] }, { default_cli: ['b'] }).defaultCli).toEqual(['b']);
    expect(settings({ clis, default_cli: ['a'] }, {}).defaultCli).toEqual(['a']);
  });
});

describe('limits of a project', () => {
  test('stand over the defaults where the person said nothing, also when they are wider', () => {
    expect(limits({}, { attempts: 9, wall: '2h', slots: { total: 7 }, budget: { day_usd: 5 } })).toEqual({
      ...DEFAULT_LIMITS,
      attempts: 9,
      wall_ms: 7_200_000,
      slots: { total: 7, per_cli: {} },
      budget: { project_microusd: null, day_microusd: 5_000_000 },
    });
  });

  const user = {
    slots: { total: 4, per_cli: { a: 2, b: 1 } },
    budget: { project_usd: 10, day_usd: 5 },
    attempts: 3,
    wall: '10m',
    task_age: '1h',
    max_steps: 20,
    backoff: 'default',
    jitter: 0.2,
  };

  test('never widen what the person set', () => {
    const wide = {
      slots: { total: 100, per_cli: { a: 9, b: 9 } },
      budget: { project_usd: null, day_usd: 1_000 },
      attempts: 50,
      wall: '9h',
      task_age: '9d',
      max_steps: 900,
      backoff: 'aggressive',
      jitter: 0.9,
    };
    expect(limits(user, wide)).toEqual(limits(user, {}));
  });

  test('tighten it', () => {
    const tight = {
      slots: { total: 1, per_cli: { a: 1, c: 1 } },
      budget: { project_usd: 0, day_usd: 1 },
      attempts: 1,
      wall: '1m',
      task_age: '5m',
      max_steps: 2,
      backoff: 'conservative',
    };
    expect(limits(user, tight)).toEqual({
      ...DEFAULT_LIMITS,
      slots: { total: 1, per_cli: { a: 1, b: 1, c: 1 } },
      budget: { project_microusd: 0, day_microusd: 1_000_000 },
      attempts: 1,
      wall_ms: 60_000,
      task_age_ms: 300_000,
      max_steps: 2,
      backoff: BACKOFFS.conservative,
      jitter: 0.2,
    });
  });

  test("no budget is a person's word too, and any budget is tighter", () => {
    expect(limits({ budget: { day_usd: null } }, { budget: { day_usd: 3 } }).budget.day_microusd).toBe(3_000_000);
    expect(limits({ budget: { day_usd: null } }, {}).budget.day_microusd).toBeNull();
  });
});
