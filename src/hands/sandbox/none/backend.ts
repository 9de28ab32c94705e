/**
 * No sandbox, for `--unsafe-no-sandbox`: the program runs as the operator, sees and writes whatever they can, and
 * reaches the network. Only time and output are bounded. Sandbox paths are mapped to the real places of the mounts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LimitState,
  type Sandbox,
  SandboxError,
  type SandboxReport,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { policyProblems } from '../../../mind/sandbox/check-policy.ts';
import { SANDBOX_HOME } from '../../../mind/sandbox/paths.ts';
import { launch } from '../../../os/process/launch.ts';
import { Pipes, sweepPipes } from '../../../os/process/pipes.ts';
import { killProcess, sessionOf } from '../../../os/process/table.ts';
import { Ending } from '../shared/ending.ts';
import { Output } from '../shared/output.ts';
import { Watch } from '../shared/watch.ts';
import { mapped, showInside } from './places.ts';

const KILL_MS = 2000;
const NOTHING = {
  group: null,
  bounded: { memory: true, processes: true },
  first: 0,
  trees: [],
  before: 0,
  temporary: [],
};

export class UnsafeSandbox implements Sandbox {
  readonly #runDir: string;
  readonly #pipes: Pipes;

  constructor(options: { readonly runDir: string }) {
    this.#runDir = options.runDir;
    this.#pipes = new Pipes(options.runDir);
  }

  async probe(): Promise<SandboxReport> {
    return { ready: true, backend: 'none (unsafe)', limits: LIMITS, problem: null, fix: null };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const problems = policyProblems({ argv: request.argv, ...request.policy }, []);
    if (problems.length > 0) throw new SandboxError(`the sandbox policy is refused: ${problems.join('; ')}`);
    const { policy, signal } = request;
    if (signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
    mkdirSync(this.#runDir, { recursive: true, mode: 0o711 });
    const home = mkdtempSync(join(this.#runDir, 'home-'));
    try {
      using _links = showInside(policy);
      return await this.#run(request, home);
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      // The wording of a shell in the sandbox.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return { end: { how: 'exit', code: 127 }, ms: 0, leftovers: 0, forced: false };
      throw new SandboxError(`the program could not be started: ${(error as Error).message}`, { cause: error });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }

  /** Links and homes of a killed Supervisor stay; so do its programs, which no sandbox took along. */
  async sweep(): Promise<{ readonly removed: number }> {
    mkdirSync(this.#runDir, { recursive: true, mode: 0o711 });
    await sweepPipes(this.#runDir);
    return { removed: 0 };
  }

  async #run(request: SandboxRequest, home: string): Promise<SandboxResult> {
    const { limits, cwd, env, ...policy } = request.policy;
    const real = mapped([...policy.readable, ...policy.writable, { from: home, to: SANDBOX_HOME }]);
    const [name, ...args] = request.argv.map(real) as [string, ...string[]];
    const streams = await this.#pipes.take(request.input);
    const child = await launch(name, args, {
      input: streams.input,
      output: streams.output,
      pipes: 0,
      user: null,
      cwd: real(cwd),
      env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.split(':').map(real).join(':')])),
    })
      .catch((error: unknown) => {
        for (const stream of [streams.stdout, streams.stderr]) stream.destroy();
        throw error;
      })
      .finally(streams.given);
    const begun = performance.now();
    const all = (signal: 'SIGTERM' | 'SIGKILL') => {
      for (const pid of sessionOf(child.pid)) killProcess(pid, signal);
    };
    const ending = new Ending(limits.graceMs, () => all('SIGKILL'));
    const output = new Output(streams, limits.outputBytes, request.onOutput, () =>
      ending.stop({ how: 'limit', limit: 'output' }),
    );
    const watch = new Watch({ ...NOTHING, limits, stop: (end) => ending.stop(end) });
    const abort = () => ending.stop({ how: 'aborted' });
    try {
      output.open(() => watch.heard());
      ending.begin(() => all('SIGTERM'));
      request.signal.addEventListener('abort', abort, { once: true });
      if (request.signal.aborted) abort();
      const { code, signal } = await child.exited;
      const ms = Math.round(performance.now() - begun);
      const leftovers = ending.cause === null ? sessionOf(child.pid).length : 0;
      watch.end();
      ending.over();
      await endSession(child.pid);
      await output.ended();
      const own = code === null ? ({ how: 'signal', signal: `${signal}` } as const) : ({ how: 'exit', code } as const);
      return { end: ending.cause ?? own, ms, leftovers, forced: ending.forced };
    } finally {
      watch.end();
      ending.over();
      request.signal.removeEventListener('abort', abort);
      for (const stream of [streams.stdout, streams.stderr]) stream.destroy();
    }
  }
}

/** Does not find processes that left the session on purpose; only a real sandbox can. */
async function endSession(leader: number): Promise<void> {
  const until = Date.now() + KILL_MS;
  for (let left = sessionOf(leader); left.length > 0 && Date.now() < until; left = sessionOf(leader)) {
    for (const pid of left) killProcess(pid);
    await sleep(5);
  }
}

const LIMITS: readonly LimitState[] = [
  ...(['memoryBytes', 'processes', 'cpus', 'diskBytes'] as const).map((limit) => {
    return { limit, enforced: false, how: 'there is no sandbox' };
  }),
  ...(['wallMs', 'idleMs'] as const).map((limit) => ({ limit, enforced: true, how: 'timer' })),
  { limit: 'outputBytes', enforced: true, how: 'counted while it is read' },
];
