/** One task for real, small enough to be killed a hundred times: the first attempt fails its gate, the second passes. */
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

  constructor() {
    this.world.commit({ 'a.txt': 'one\n', 'keep.txt': 'kept\n' });
    const script = this.world.file('script.yaml', SCRIPT);
    this.#task = ['run', 'make it right', '--script', script, '--gate', 'tests=grep -q right a.txt', '--json'];
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
