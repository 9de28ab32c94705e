/** A program in a real sandbox with the bridge before it, and a proxy of the proxy as its only way out. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptProxy } from '../../src/engine/ports/egress.ts';
import type { SandboxPolicy } from '../../src/engine/ports/sandbox.ts';
import { type InsidePrograms, insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import { type BridgePlan, bridgeInput } from '../../src/mind/workers/bridge.ts';
import { Outside } from './outside-server.ts';

const MIB = 1 << 20;

export class Boxed implements AsyncDisposable {
  readonly outside: Outside;
  readonly sandbox: BubblewrapSandbox;
  readonly tree: string;
  readonly inside: InsidePrograms;

  constructor(outside: Outside) {
    this.outside = outside;
    this.tree = join(outside.dir, 'tree');
    mkdirSync(this.tree);
    chmodSync(outside.dir, 0o711);
    this.inside = insidePrograms(join(outside.dir, 'inside'));
    this.sandbox = new BubblewrapSandbox({ runDir: join(outside.dir, 'run'), hidden: [join(outside.dir, 'state')] });
  }

  static async start(): Promise<Boxed> {
    return new Boxed(await Outside.start());
  }

  policy(proxy: AttemptProxy | null, policy: Partial<SandboxPolicy> = {}): SandboxPolicy {
    return {
      kind: 'worker',
      readable: this.inside.readable,
      writable: [{ from: this.tree, to: '/workspace' }],
      cwd: '/workspace',
      env: { PATH: '/usr/bin:/bin', HOME: '/tmp/home' },
      limits: {
        ...{ memoryBytes: 1024 * MIB, processes: 100, cpus: 2, wallMs: 120_000, idleMs: null, graceMs: 60_000 },
        ...{ outputBytes: 4 * MIB, diskBytes: 256 * MIB },
      },
      ...(proxy === null ? {} : { egress: proxy.socket }),
      ...policy,
    };
  }

  async run(
    argv: BridgePlan['argv'],
    proxy: AttemptProxy | null,
    more: {
      readonly input?: string;
      readonly files?: BridgePlan['files'];
      readonly policy?: Partial<SandboxPolicy>;
      readonly signal?: AbortSignal;
      readonly onOutput?: (text: string) => void;
    } = {},
  ) {
    const said = { stdout: '', stderr: '' };
    const plan = { files: more.files ?? [], argv };
    const result = await this.sandbox.run({
      argv: this.inside.argv('bridge'),
      policy: this.policy(proxy, more.policy),
      input: bridgeInput(plan, more.input ?? ''),
      onOutput: (stream, bytes) => {
        said[stream] += Buffer.from(bytes).toString();
        more.onOutput?.(said.stdout);
      },
      signal: more.signal ?? new AbortController().signal,
    });
    return { ...result, ...said };
  }

  /** A program of Node inside. */
  script(text: string, proxy: AttemptProxy | null, more: Parameters<Boxed['run']>[2] = {}) {
    const path = '/tmp/home/script.cjs';
    return this.run([this.inside.argv('bridge')[0], path], proxy, {
      ...more,
      files: [{ path, text }, ...(more.files ?? [])],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
    await this.outside[Symbol.asyncDispose]();
  }
}
