/** A real repository, real workspaces and a real sandbox around the hand that runs gates; afterwards nothing may be left. */

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Environments } from '../../src/engine/ports/environments.ts';
import type { GateReport, HandContext } from '../../src/engine/ports/hands.ts';
import type { Sandbox } from '../../src/engine/ports/sandbox.ts';
import { GateHand } from '../../src/hands/gates/gate-hand.ts';
import type { GateTools } from '../../src/hands/gates/run-result.ts';
import type { GateHandOptions } from '../../src/hands/gates/runs.ts';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import type { BlobHash } from '../../src/kernel/ids.ts';
import type { Settings } from '../../src/mind/config/project-config.ts';
import type { Candidate, Spec } from '../../src/mind/domain/values.ts';
import type { Effect, GateRun } from '../../src/mind/domain/work.ts';
import type { GateConfig } from '../../src/mind/gates/gate-config.ts';
import { groups } from '../sandbox/box.ts';
import { keeping } from '../support/kept-texts.ts';
import { candidateOf, put, type World, world } from '../workspace/repository.ts';

/** Node lies where this machine has it, often below a home directory that nobody else may enter. */
export const TOOLS: GateTools = {
  readable: [{ from: process.execPath, to: '/opt/node/bin/node' }],
  path: ['/opt/node/bin'],
};

export type Checked = GateReport & { readonly text: string };
export type GateSketch = Pick<GateConfig, 'name' | 'command'> & Partial<GateConfig>;

export class Checks implements AsyncDisposable {
  readonly world: World;
  readonly workspaces;
  readonly sandbox;
  readonly blobs = new Map<BlobHash, string>();
  readonly cacheDir: string;
  environments: Environments | null = null;
  tools: GateTools = TOOLS;
  settings: Settings = {
    gates: [],
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
  /** Runs that really reached the sandbox. */
  runs = 0;

  constructor(files: Readonly<Record<string, string>>) {
    this.world = world(files);
    this.workspaces = this.world.open();
    this.cacheDir = join(this.world.root, 'cache');
    this.sandbox = new BubblewrapSandbox({ runDir: join(this.world.root, 'run'), hidden: [this.world.state] });
  }

  gates(...gates: GateSketch[]): this {
    const whole = gates.map((gate) => ({ blocking: true, on_fail: 'retry' as const, ...gate }));
    this.settings = { ...this.settings, gates: whole };
    return this;
  }

  /** Captured from a workspace, as from a worker; null deletes a file. */
  async candidate(files: Readonly<Record<string, string | null>>): Promise<Candidate> {
    const workspace = await this.workspaces.make('t-1.1', { base: 'HEAD', tree: null });
    put(workspace.tree, Object.fromEntries(Object.entries(files).filter(([, text]) => text !== null)) as never);
    for (const [path, text] of Object.entries(files)) {
      if (text === null) rmSync(join(workspace.tree, path));
      else if (text.startsWith('#!')) chmodSync(join(workspace.tree, path), 0o755);
    }
    const { candidate } = candidateOf(await workspace.capture());
    await workspace.remove();
    return candidate;
  }

  /** The real one, with something done at each run. */
  sandboxThat(run: Sandbox['run']): Sandbox {
    return { probe: () => this.sandbox.probe(), sweep: () => this.sandbox.sweep(), run };
  }

  hand(options: Partial<GateHandOptions> = {}): GateHand {
    return new GateHand({
      sandbox: this.sandboxThat((request) => {
        this.runs += 1;
        return this.sandbox.run(request);
      }),
      sandboxName: 'bubblewrap',
      workspaces: this.workspaces,
      environments: this.environments,
      settings: () => this.settings,
      cacheDir: this.cacheDir,
      tools: this.tools,
      // However busy the machine is.
      defectsBelowMs: 120_000,
      log: () => {},
      ...options,
    });
  }

  context(signal?: AbortSignal): HandContext {
    return keeping(this.blobs, signal);
  }

  async check(
    gate: string,
    candidate: Candidate | null,
    {
      spec = {},
      hand = this.hand(),
      signal,
      environments = [],
    }: { spec?: Partial<Spec>; hand?: GateHand; signal?: AbortSignal; environments?: readonly string[] } = {},
  ): Promise<Checked> {
    const [effect, work] = gateRun(gate, candidate, { version: 1, text: 'Do something.', ...spec } as Spec);
    const report = await hand.run(effect, { ...work, environments }, this.context(signal));
    await this.nothingLeft();
    return { ...report, text: this.blobs.get(report.evidence ?? ('' as BlobHash)) ?? '' };
  }

  /** No workspace, no note of a sandbox, no control group, no mount. */
  async nothingLeft(): Promise<void> {
    await this.workspaces.close();
    const places = [join(this.world.state, 'workspaces/demo'), join(this.world.root, 'run/runs')];
    expect(places.flatMap((place) => (existsSync(place) ? readdirSync(place) : []))).toEqual([]);
    expect(groups().filter((name) => name.includes(`-${process.pid}-`))).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(this.world.root);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.end();
  }
}

export function gateRun(gate: string, candidate: Candidate | null, spec: Spec): [Effect, GateRun] {
  const work = { kind: 'gate.run', attempt: 1, gate, spec, candidate, answer: null } as GateRun;
  return [{ key: 'k', task: 't-1', step: 'change', token: 7, started: false, work } as never as Effect, work];
}

/** The small real environment of these tests: a directory of its own, keyed by the text of `lock`. */
export function directoryEnvironment(made: World, dir: string, services = false): Environments {
  const blob = (tree: string) => made.git('rev-parse', `${tree}:lock`);
  return {
    outputs: services ? [] : ['deps'],
    keyOf: async (tree) => `key-${blob(tree)}`,
    changedKeys: async (base, tree) => (blob(base) === blob(tree) ? [] : ['lock']),
    ready: async (tree) => ({
      type: 'ready',
      environment: {
        key: `key-${blob(tree)}`,
        readable: [{ from: dir, to: '/workspace/deps' }],
        env: { DEPS: '/workspace/deps' },
        path: ['/workspace/deps/bin'],
      },
    }),
    sweep: async () => [],
  };
}
