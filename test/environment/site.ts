/** A repository, a state directory, a sandbox and the environments of one project over them; real ones, thrown away after. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ReadyEnvironment } from '../../src/engine/ports/environments.ts';
import type { SandboxPolicy } from '../../src/engine/ports/sandbox.ts';
import type { SealedEnvironments } from '../../src/hands/environment/environments.ts';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { processes } from '../../src/os/process/table.ts';
import { commitAll, put, type World, world } from '../workspace/repository.ts';
import { type Config, joined, LIMITS, type Options, tools } from './joined.ts';

export class Site implements AsyncDisposable {
  readonly world: World;
  readonly said: string[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    this.world = world(files);
  }

  get shelf(): string {
    return join(this.world.root, 'state/environments/demo');
  }

  get head(): string {
    return this.world.git('rev-parse', 'HEAD');
  }

  open(config: Config, options: Options = {}): SealedEnvironments {
    return joined(this.world.root, config, options).environments;
  }

  commit(files: Readonly<Record<string, string>>): string {
    put(this.world.repo, files);
    commitAll(this.world, 'more');
    return this.head;
  }

  /** Ready for HEAD, or an error with the message. */
  async ready(environments: SealedEnvironments, signal = new AbortController().signal): Promise<ReadyEnvironment> {
    const state = await environments.ready(this.head, { signal, onOutput: (text) => this.said.push(text) });
    if (state.type === 'failed') throw new Error(state.message);
    return state.environment;
  }

  async failure(environments: SealedEnvironments, signal = new AbortController().signal): Promise<string> {
    const state = await environments.ready(this.head, { signal, onOutput: (text) => this.said.push(text) });
    return state.type === 'failed' ? state.message : 'no failure';
  }

  /** Runs a command as a worker or a gate would, on a fresh tree of HEAD with the environment over it. */
  async use(environment: ReadyEnvironment, command: string, policy: Partial<SandboxPolicy> = {}) {
    const { sandbox, workspaces } = joined(this.world.root, {});
    const workspace = await workspaces.make('use', { base: this.head, tree: null });
    const chain = tools();
    let output = '';
    const { end } = await sandbox.run({
      argv: ['/bin/sh', '-c', command],
      policy: {
        kind: 'gate',
        readable: [...chain.readable, ...environment.readable],
        writable: [{ from: workspace.tree, to: '/workspace' }],
        temporary: environment.temporary ?? [],
        cwd: '/workspace',
        env: {
          HOME: '/tmp/home',
          NO_COLOR: '1',
          ...chain.env,
          ...environment.env,
          PATH: [...environment.path, ...chain.path].join(':'),
        },
        limits: LIMITS,
        ...policy,
      },
      input: '',
      onOutput: (_, bytes) => {
        output += Buffer.from(bytes).toString();
      },
      signal: new AbortController().signal,
    });
    await workspace.remove();
    await workspaces.close();
    return { end, output: output.trim() };
  }

  /** What lies on the shelf, apart from whole environments. */
  halves(): string[] {
    return readdirSync(this.shelf).filter((name) => !/^[0-9a-f]{40}$/.test(name));
  }

  /** No process of a sandbox, no mount, no note of a run, no tree of a preparation. */
  nothingLeft(): void {
    expect(
      processes().filter((pid) => {
        try {
          const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
          return isOurs(Number(uid)) && readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(this.world.root);
        } catch {
          return false;
        }
      }),
    ).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(this.world.root);
    expect(readdirSync(join(this.world.root, 'run/runs'))).toEqual([]);
    expect(readdirSync(join(this.world.root, 'state/workspaces/demo'))).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.end();
  }
}
