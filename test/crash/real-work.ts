/** Tasks for real, small enough to be killed a hundred times: the first attempt fails a gate, the second passes. */
import { expect } from 'vitest';
import type { Result } from '../support/cli.ts';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';

const SCRIPT = `
steps:
  implement:
    - {files: {a.txt: "wrong\\n"}}
    - {files: {a.txt: "right\\n", b/c.txt: "new\\n"}}
`;

/** What is worked on, and by which gates it is checked. */
type Work = {
  readonly files: Readonly<Record<string, string>>;
  readonly script: string;
  readonly gates: readonly string[];
};

const PLAIN: Work = {
  files: { 'a.txt': 'one\n', 'keep.txt': 'kept\n' },
  script: SCRIPT,
  gates: ['--gate', 'tests=grep -q right a.txt'],
};

const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { add } from '../a.mjs';
test('adds', () => {
  assert.equal(add(1, 2), 3);
});
`;
const CONFIG = `gates:
  - { name: lint, kind: lint, command: grep -q add a.mjs }
  - { name: types, kind: types, command: grep -q export a.mjs }
  - { name: tests, command: "node --test --test-reporter=tap", ids: tap }
  - { name: beside, kind: command, command: "true" }
  - { name: last, kind: command, stage: 3, command: "true" }
`;
/** Three stages, each with gates side by side, and a canary in the last one. */
export const STAGED: Work & { readonly config: string } = {
  files: { 'a.mjs': 'export const add = (a, b) => a + b;\n', 'test/a.test.mjs': TESTS },
  script: `
steps:
  implement:
    - {files: {a.mjs: "export const add = (a, b) => a - b;\\n"}}
    - {files: {a.mjs: "export const add = (a, b) => b + a;\\n", b/c.txt: "new\\n"}}
`,
  gates: [],
  config: CONFIG,
};

type Report = {
  status: string;
  candidate: string | null;
  change_id: string | null;
  commit: string | null;
  branch: string;
};

export class RealWork implements Disposable {
  readonly world = new World();
  readonly #task: readonly string[];

  constructor(work: Work & { readonly config?: string } = PLAIN) {
    this.world.commit(work.files);
    if (work.config !== undefined) this.world.userConfig(work.config);
    const script = this.world.file('script.yaml', work.script);
    this.#task = ['run', 'make it right', '--script', script, ...work.gates, '--json'];
  }

  start(env: Readonly<Record<string, string>> = {}): ReturnType<World['start']> {
    return this.world.start(this.#task, env);
  }

  run(env: Readonly<Record<string, string>> = {}): Promise<Result> {
    return this.world.run(this.#task, env);
  }

  /** Goes on after a kill and checks that the end is the only one there is. */
  async recover(tree: string): Promise<void> {
    const { world } = this;
    const before = await world.events();
    const [task] = await world.tasks();
    // Killed before the task was durable: nothing was promised, so the person simply asks again.
    const again = await (task === undefined ? this.run() : world.run(['resume', task.task_id, '--json']));
    expect(again.code, again.stderr + again.stdout).toBe(0);
    const after = await world.events();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(doubled(after)).toEqual([]);
    this.check(JSON.parse(again.stdout) as Report, tree);
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect(await settled(() => leftOver(world))).toEqual([]);
  }

  /** Exactly one commit, on exactly one branch, with exactly this tree; the user's own things untouched. */
  check(report: Report, tree: string | null): string {
    const { world } = this;
    expect(report.status).toBe('accepted');
    const commits = world.git('rev-list', 'refs/heads/main..', '--branches', '--not', 'refs/heads/main').split('\n');
    expect(commits).toEqual([report.commit]);
    expect(world.git('branch', '--list', '--format=%(refname:short)').split('\n')).toEqual([report.branch, 'main']);
    const found = world.git('rev-parse', `${report.commit}^{tree}`);
    expect(found).toBe(report.candidate);
    if (tree !== null) expect(found).toBe(tree);
    expect(world.git('status', '--porcelain')).toBe('');
    world.git('fsck', '--strict');
    return found;
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}
