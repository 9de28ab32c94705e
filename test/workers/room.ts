/** A repository, a sandbox and the hand for workers over them; plays small programs as workers. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WorkerContext, WorkerReport } from '../../src/engine/ports/hands.ts';
import type { SandboxLimits } from '../../src/engine/ports/sandbox.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import type { GroupPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import type { WorkerOptions } from '../../src/hands/workers/options.ts';
import { workerHand } from '../../src/hands/workers/worker.ts';
import type { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import type { StepId, TaskId } from '../../src/kernel/ids.ts';
import type { Effect } from '../../src/mind/domain/work.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import type { Role } from '../../src/mind/roles/role.ts';
import type { DeclaredCli } from '../../src/mind/workers/cli-config.ts';
import { keeping } from '../support/kept-texts.ts';
import { role } from '../support/role.ts';
import { NOTHING_SENT_BACK } from '../support/sent-back.ts';
import { TEMPLATES } from '../support/templates.ts';
import { world } from '../workspace/repository.ts';

export const MIB = 1 << 20;
const LIMITS: Partial<SandboxLimits> = {
  memoryBytes: 512 * MIB,
  diskBytes: 256 * MIB,
  processes: 100,
  // Longer than a test may take, as is the deadline of an attempt: whoever waits for their end does not pass.
  wallMs: 600_000,
  graceMs: 200,
};

export type Done = {
  readonly report: WorkerReport;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON text as a reader of the log would see it
  readonly record: any;
  readonly answer: string | null;
  readonly transcript: string;
};

export type Part = {
  readonly cli?: Partial<DeclaredCli>;
  readonly work?: Partial<WorkerRun>;
  readonly attempt?: Partial<WorkerRun['attempt']>;
  readonly limits?: Partial<SandboxLimits>;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Partial<WorkerOptions>;
  readonly signal?: AbortSignal;
  /** Looks on while the hand is at work. */
  readonly around?: <T>(run: Promise<T>) => Promise<T>;
};

const READERS: Readonly<Record<string, Pick<Role, 'answer' | 'template'>>> = {
  reviewer: { answer: 'review', template: 'review' },
  'reviewer-security': { answer: 'review', template: 'review' },
  planner: { answer: 'plan', template: 'planning' },
  analyst: { answer: 'generic', template: 'investigate' },
};

export class Room {
  readonly world;
  readonly sandbox;
  readonly workspaces: GitWorkspaces;
  readonly blobs = new Map<string, string>();
  readonly redact = createRedactor();
  #token = 0;

  constructor(files?: Readonly<Record<string, string>>, groups?: GroupPlaces) {
    this.world = world(files);
    this.workspaces = this.world.open();
    this.sandbox = new BubblewrapSandbox({
      runDir: join(this.world.root, 'run'),
      hidden: [this.world.state],
      ...(groups === undefined ? {} : { groups }),
    });
    mkdirSync(this.programs);
    chmodSync(this.programs, 0o755);
  }

  get programs(): string {
    return join(this.world.root, 'programs');
  }

  /** Runs a shell script (or, with `cli.command`, anything else) as the worker of a fresh attempt. */
  async work(script: string, part: Part = {}): Promise<Done> {
    writeFileSync(join(this.programs, 'worker.sh'), script);
    const cli: DeclaredCli = {
      type: 'declared',
      command: ['sh', '/programs/worker.sh'],
      prompt: 'stdin',
      output: 'text',
      env: [],
      ...part.cli,
    };
    this.#token += 1;
    const effect = this.effect();
    const { run } = workerHand(this.options({ ...part, cli }));
    const running = run(effect, this.workOf(part), this.context(part.signal));
    const report = await (part.around?.(running) ?? running);
    await this.workspaces.close();
    this.nothingLeft();
    return {
      report,
      record: JSON.parse(this.blobs.get(report.record ?? '') ?? 'null'),
      answer: this.blobs.get(report.answer ?? '') ?? null,
      transcript: this.transcript(),
    };
  }

  options(part: Part & { readonly cli?: DeclaredCli } = {}): WorkerOptions {
    return {
      sandbox: this.sandbox,
      workspaces: this.workspaces,
      environments: null,
      opinions: () => Promise.resolve([]),
      seed: (task, step) => `${task} ${step}`,
      settings: () => ({
        gates: [],
        environment: null,
        clis: part.cli === undefined ? {} : { acme: part.cli },
        defaultCli: ['acme'],
        testPaths: ['test/**'],
        protect: [],
        sandbox: { worker: {}, gate: {}, backend: 'bubblewrap', image: null },
        egress: { worker: [], prepare: [] },
        packs: [],
        knowledge: [],
      }),
      tools: {
        readable: [
          { from: this.programs, to: '/programs' },
          { from: process.execPath, to: '/opt/node/bin/node' },
        ],
        path: ['/opt/node/bin'],
        find: (program) => (program === 'sh' ? { program: '/bin/sh', readable: [] } : null),
      },
      egress: { open: () => Promise.reject(new Error('a declared CLI has no way out')) },
      inside: { readable: [], argv: () => ['false'] },
      home: null,
      env: (name) => part.env?.[name],
      redact: this.redact,
      check: async () => ({ ok: true, notes: [] }),
      role: (name) => role(name, READERS[name] && { ...READERS[name], kind: 'answer' }),
      templates: () => TEMPLATES,
      contexts: { pack: async () => ({ text: '', parts: [], left: [], tokens: 0, warnings: [], strategy: 'none' }) },
      count: async () => (text) => text.length,
      script: () => ({ steps: {} }),
      transcriptPath: (task, step, attempt) => join(this.world.state, 'transcripts', task, `${step}.${attempt}.log`),
      stateDir: this.world.state,
      clock: { now: () => Date.now() },
      limits: { ...LIMITS, ...part.limits },
      log: () => {},
      ...part.options,
    };
  }

  effect(): Effect {
    const [task, step] = ['t-1' as TaskId, 'build' as StepId];
    return {
      key: `${task}/${this.#token}`,
      stream: `task/${task}`,
      task,
      step,
      token: this.#token,
      started: true,
      work: this.workOf(),
    };
  }

  workOf(part: Part = {}): WorkerRun {
    return {
      kind: 'worker.run',
      attempts: 3,
      role: 'implementer',
      turns: 0,
      gates: [],
      grants: [],
      scope: [],
      before: [],
      spec: { version: 1, text: 'Say hello.' },
      input: null,
      start: null,
      config: {},
      contextScope: null,
      handOver: false,
      made: [],
      base: this.world.git('rev-parse', 'HEAD'),
      feedback: null,
      repeated: false,
      findings: [],
      reviews: [],
      sentBack: { ...NOTHING_SENT_BACK.sentBack, until: Date.now() + 86_400_000 },
      ...part.work,
      attempt: {
        number: this.#token,
        token: this.#token,
        kind: 'change',
        cli: 'acme',
        chain: 0,
        round: 1,
        on: null,
        reserve: 0,
        started: Date.now(),
        deadline: Date.now() + 600_000,
        ...part.attempt,
      },
    };
  }

  context(signal?: AbortSignal): WorkerContext {
    return keeping(this.blobs, signal);
  }

  transcript(): string {
    try {
      return readFileSync(join(this.world.state, 'transcripts/t-1', `build.${this.#token}.log`), 'utf8');
    } catch {
      return '';
    }
  }

  /** What the candidate has at a path. */
  file(report: WorkerReport, path: string): string {
    return this.world.git('cat-file', 'blob', `${report.candidate?.tree}:${path}`);
  }

  nothingLeft(): void {
    const list = (dir: string) => {
      try {
        return readdirSync(join(this.world.root, dir));
      } catch {
        return [];
      }
    };
    expect([...list('state/workspaces/demo'), ...list('run/runs')]).toEqual([]);
  }

  end(): Promise<void> {
    return this.world.end();
  }
}

/** A shell line that prints exactly this text. */
export const print = (text: string): string => `cat <<'END-OF-TEXT'\n${text}\nEND-OF-TEXT`;
export const block = (answer: object | string, fence = '```', info = 'json'): string =>
  `${fence}${info}\n${typeof answer === 'string' ? answer : JSON.stringify(answer)}\n${fence}`;
export const GOOD = { status: 'SUCCESS', action_taken: 'did it', files_modified: ['src/b.txt'] };
export const CHANGE = 'echo changed >src/b.txt';
export const HONEST = `${CHANGE}\n${print(`All is well.\n${block(GOOD)}`)}`;
