/** Judges planted changes as the product does, by real workspaces, sandboxes and gates; and as two simpler rules would. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { treeChecks } from '../../src/app/tree-checks.ts';
import type { Environments } from '../../src/engine/ports/environments.ts';
import type { HandContext } from '../../src/engine/ports/hands.ts';
import { GateHand } from '../../src/hands/gates/gate-hand.ts';
import { runOnce } from '../../src/hands/gates/one-run.ts';
import type { GateTools } from '../../src/hands/gates/run-result.ts';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import type { Settings } from '../../src/mind/config/project-config.ts';
import type { Candidate, Spec } from '../../src/mind/domain/values.ts';
import type { Effect, GateRun } from '../../src/mind/domain/work.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import { GATE_LIMITS } from '../../src/mind/gates/definition.ts';
import { canaryOf, checksOf } from '../../src/mind/gates/kinds.ts';
import { findToolChains } from '../../src/os/machine/tool-chains.ts';
import type { Planted, Project } from './planted.ts';

/** What judged it in the end, and why. */
export type Judged = {
  readonly accepted: boolean;
  readonly by: 'diff' | 'tests' | 'security' | 'canary' | 'all';
  readonly why: string;
};
export type Verdict = { readonly ours: Judged; readonly leftTestsPass: boolean | null };

const ROOT = join(import.meta.dirname, '../..');
const GIT_ENV = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  ...{
    GIT_AUTHOR_NAME: 'p',
    GIT_AUTHOR_EMAIL: 'p@localhost',
    GIT_COMMITTER_NAME: 'p',
    GIT_COMMITTER_EMAIL: 'p@localhost',
  },
};
const TESTS = 'tests';
const TOOLS: GateTools = {
  readable: [{ from: process.execPath, to: '/opt/node/bin/node' }],
  path: ['/opt/node/bin'],
  env: { PYTHONDONTWRITEBYTECODE: '1' },
};
/** Runners that are looked for where the operator has them. */
const OF_OPERATOR: Partial<Readonly<Record<Project['ids'], readonly [string, ...string[]]>>> = {
  pytest: ['python3', '-c', 'import pytest'],
  go: ['go', 'version'],
  cargo: ['cargo', '--version'],
};

export class PlantedJudge implements AsyncDisposable {
  readonly #project: Project;
  readonly #workspaces: GitWorkspaces;
  readonly #sandbox: BubblewrapSandbox;
  readonly #settings: Settings;
  readonly #hand: GateHand;
  readonly #tools: GateTools;
  /** Without a runner on this machine, a change is judged by its text alone. */
  readonly #canRun: boolean;
  readonly #base: string;
  readonly #texts = new Map<string, string>();
  #count = 0;

  constructor(project: Project, dir: string) {
    this.#project = project;
    const runner = OF_OPERATOR[project.ids];
    this.#canRun = runner === undefined || spawnSync(runner[0], runner.slice(1), { stdio: 'ignore' }).status === 0;
    this.#tools = runner === undefined ? TOOLS : operatorTools();
    const repo = join(dir, 'repo');
    this.#base = repositoryOf(project, repo);
    const state = join(dir, 'state');
    this.#workspaces = new GitWorkspaces({
      stateDir: state,
      project: 'planted' as ProjectId,
      commonDir: join(repo, '.git'),
      failed: (path, error) => {
        throw new Error(path, { cause: error });
      },
    });
    this.#sandbox = new BubblewrapSandbox({ runDir: join(dir, 'run'), hidden: [state] });
    const usual = { blocking: true, on_fail: 'retry' } as const;
    this.#settings = {
      gates: [
        { ...usual, name: TESTS, command: [...project.testCommand], ids: project.ids },
        { ...usual, name: 'security', kind: 'security' },
      ],
      environment: null,
      clis: {},
      defaultCli: [],
      testPaths: [],
      protect: [],
      sandbox: { worker: {}, gate: {}, backend: 'bubblewrap', image: null },
      egress: { worker: [], prepare: [] },
      packs: [],
      knowledge: [],
    };
    this.#hand = new GateHand({
      sandbox: this.#sandbox,
      sandboxName: 'bubblewrap',
      workspaces: this.#workspaces,
      environments: this.#environments(),
      settings: () => this.#settings,
      cacheDir: join(dir, 'cache'),
      tools: this.#tools,
      log: () => {},
    });
  }

  async judge(planted: Planted, ask: { readonly left: boolean }): Promise<Verdict> {
    this.#count += 1;
    const name = `t-${this.#count}.1`;
    const workspace = await this.#workspaces.make(name, { base: this.#base, tree: null });
    writeFiles(workspace.tree, planted.files);
    const captured = await workspace.capture();
    await workspace.remove();
    if (captured.type !== 'candidate') throw new Error(`${planted.task}: ${JSON.stringify(captured)}`);
    const spec: Spec = {
      version: 1,
      text: planted.task,
      own_words: true,
      ...(planted.scope === undefined ? {} : { files: [...planted.scope] }),
    };
    const work = { spec, input: null, grants: [], scope: [], made: [] } as unknown as WorkerRun;
    const outputs = this.#project.ids === 'vitest' ? ['node_modules'] : [];
    const { check } = treeChecks(this.#workspaces, this.#settings, outputs);
    const diff = await check(captured, this.#base, work);
    const { candidate } = captured;
    return {
      ours: diff.ok ? await this.#gates(candidate, spec) : { accepted: false, by: 'diff', why: diff.reason },
      leftTestsPass: ask.left && this.#canRun ? await this.#left(candidate) : null,
    };
  }

  async #gates(candidate: Candidate, spec: Spec): Promise<Judged> {
    const gates = this.#canRun ? (['security', TESTS, 'canary'] as const) : (['security'] as const);
    for (const by of gates) {
      const gate = by === 'canary' ? canaryOf(TESTS) : by;
      const work = { kind: 'gate.run', attempt: 1, gate, spec, candidate, answer: null } as GateRun;
      const effect = { key: 'k', task: `t-${this.#count}`, step: 'change', token: 1, started: false, work };
      const report = await this.#hand.run(effect as never as Effect, work, this.#context());
      const why = this.#texts.get(report.evidence ?? '') ?? '';
      if (report.status !== 'pass') return { accepted: false, by, why };
      if (by === 'canary' && /not proven/.test(why)) return { accepted: true, by, why };
    }
    return { accepted: true, by: 'all', why: '' };
  }

  /** The candidate's own test command on its own tree; nothing but the exit code counts. */
  async #left(candidate: Candidate): Promise<boolean> {
    const [check] = checksOf({ ...this.#settings.gates[0]!, ids: undefined });
    const { base, tree } = candidate;
    const ran = await runOnce(
      { sandbox: this.#sandbox, workspaces: this.#workspaces, tools: this.#tools },
      {
        ...{
          name: `left-${this.#count}`,
          check: check!,
          paths: [],
          planted: [],
          from: { base, tree },
          limits: GATE_LIMITS,
        },
        environment: this.#environment(),
        variables: {},
        services: [],
        signal: new AbortController().signal,
      },
    );
    return ran.type === 'ended' && ran.status === 'pass';
  }

  #environment() {
    if (this.#project.ids !== 'vitest') return null;
    const readable = [{ from: join(ROOT, 'node_modules'), to: '/workspace/node_modules' }];
    return { key: 'modules', readable, env: {}, path: [] };
  }

  #environments(): Environments | null {
    const environment = this.#environment();
    if (environment === null) return null;
    return {
      outputs: ['node_modules'],
      keyOf: async () => 'modules',
      changedKeys: async () => [],
      ready: async () => ({ type: 'ready', environment }),
      sweep: async () => [],
    };
  }

  #context(): HandContext {
    return {
      signal: new AbortController().signal,
      keep: async (text: string) => {
        const hash = sha256(text) as BlobHash;
        this.#texts.set(hash, text);
        return hash;
      },
      read: async (hash: BlobHash) => this.#texts.get(hash) ?? null,
      onOutput: () => {},
    } as unknown as HandContext;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workspaces.close();
  }
}

/** As the operator has them: a version manager's programs lie in a home directory. */
function operatorTools(): GateTools {
  const found = findToolChains({ path: process.env['PATH'] ?? '', home: homedir(), never: [] });
  return {
    readable: [...TOOLS.readable, ...found.readable],
    path: [...TOOLS.path, ...found.path],
    env: { ...TOOLS.env, ...found.env, PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1', CARGO_INCREMENTAL: '0' },
  };
}

function repositoryOf({ history }: Project, repo: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, ...args], {
      encoding: 'utf8',
      env: GIT_ENV,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  mkdirSync(repo, { recursive: true });
  for (const at of [dirname(repo), repo]) chmodSync(at, 0o755);
  git('init', '-q', '-b', 'main', '.');
  for (const [n, tree] of history.entries()) {
    writeFiles(repo, tree);
    git('add', '-A');
    git('commit', '-q', '-m', `part ${n + 1}`);
  }
  return git('rev-parse', 'HEAD').trim();
}

/** Null deletes the file. */
function writeFiles(dir: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files)) {
    const at = join(dir, path);
    if (text === null) rmSync(at);
    else {
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, text);
    }
  }
}
