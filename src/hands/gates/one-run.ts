/** One run of a gate: a fresh workspace, the gate alone in its sandbox, and the workspace gone again however it ended. */
import { randomBytes } from 'node:crypto';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import {
  type Mount,
  type Sandbox,
  type SandboxEnd,
  SandboxError,
  type SandboxLimits,
} from '../../engine/ports/sandbox.ts';
import type { WorkspaceSource, Workspaces } from '../../engine/ports/workspace.ts';
import { assertNever } from '../../kernel/assert-never.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import type { GateConfig, ServiceConfig } from '../../mind/config/project-config.ts';
import { argvOf, type GateLimits, gateVariables, limitsOf } from '../../mind/gates/definition.ts';
import { type FailedTests, failedTests } from '../../mind/gates/ids.ts';
import { withServices } from '../../mind/gates/services.ts';
import { PrintedOutput } from './printed.ts';

export type Tools = {
  readonly readable: readonly Mount[];
  readonly path: readonly string[];
  /** Variables by which version managers find themselves. */
  readonly env?: Readonly<Record<string, string>>;
};

export type Ran =
  | {
      readonly type: 'ended';
      readonly status: 'pass' | 'fail';
      /** How, as a part of a sentence. */
      readonly ended: string;
      readonly ms: number;
      readonly output: string;
      /** Of a red run whose gate says how it names tests. */
      readonly tests: FailedTests | null;
      /** Whether the same run again would end the same; a limit that was hit may be the machine's fault. */
      readonly lasting: boolean;
      /** The evidence of the earlier run, when it was not run now. */
      readonly cached: BlobHash | null;
    }
  /** The gate could not do its work: nobody knows about the code. */
  | { readonly type: 'error'; readonly problem: string; readonly output: string };

export type OneRun = {
  readonly name: string;
  readonly gate: GateConfig;
  readonly limits: GateLimits;
  readonly from: WorkspaceSource;
  readonly environment: ReadyEnvironment | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly services: readonly ServiceConfig[];
  readonly signal: AbortSignal;
};

export async function runOnce(
  ports: { readonly sandbox: Sandbox; readonly workspaces: Workspaces; readonly tools: Tools },
  run: OneRun,
): Promise<Ran> {
  const { gate, environment, services, signal } = run;
  const limits = limitsOf(gate, run.limits);
  const printed = new PrintedOutput();
  const nonce = randomBytes(16).toString('hex');
  const workspace = await ports.workspaces.make(run.name, { ...run.from, pinned: true }, null);
  try {
    const { end, ms } = await ports.sandbox.run({
      argv: withServices(argvOf(gate.command), services, nonce),
      policy: {
        kind: 'gate',
        readable: [...ports.tools.readable, ...(environment?.readable ?? [])],
        writable: [{ from: workspace.tree, to: '/workspace' }],
        temporary: environment?.temporary ?? [],
        cwd: '/workspace',
        env: gateVariables([...(environment?.path ?? []), ...ports.tools.path], {
          ...ports.tools.env,
          ...run.variables,
          ...environment?.env,
        }),
        limits,
      },
      input: '',
      onOutput: (stream, bytes) => printed.add(stream, bytes),
      signal,
    });
    const output = printed.both.replaceAll(`${nonce}\n`, '');
    // Whatever took it away, the gate looked at something else than the candidate.
    if (!workspace.isThere()) return { type: 'error', problem: 'its workspace was taken away while it ran', output };
    if (services.length > 0 && !printed.stderr.includes(nonce) && end.how !== 'aborted') {
      return { type: 'error', problem: 'a service of the environment did not come up', output };
    }
    const judged = judge(end, limits);
    if (judged.type === 'error') return { ...judged, output };
    const tests = judged.status === 'fail' && judged.lasting && gate.ids ? failedTests(gate.ids, printed) : null;
    return { ...judged, ms, output, tests, cached: null };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { type: 'error', problem: error.message, output: printed.both };
  } finally {
    await workspace.remove();
  }
}

type Judged =
  | Pick<Extract<Ran, { type: 'ended' }>, 'type' | 'status' | 'ended' | 'lasting'>
  | { readonly type: 'error'; readonly problem: string };

/** Nothing but how the program ended counts: no report file, no printed word. */
function judge(end: SandboxEnd, limits: SandboxLimits): Judged {
  switch (end.how) {
    case 'exit':
      if (end.code === 0) return { type: 'ended', status: 'pass', ended: 'exit code 0', lasting: true };
      if (end.code === 126 || end.code === 127) {
        return {
          type: 'error',
          problem: `exit code ${end.code}: the command, or a program it starts, is not there or can not be run; see that it is installed and on the gate's PATH`,
        };
      }
      // Shells say 128 + n for a program that signal n ended, and a signal may come from the machine.
      return { type: 'ended', status: 'fail', ended: `exit code ${end.code}`, lasting: end.code <= 128 };
    case 'signal':
      return { type: 'ended', status: 'fail', ended: `ended by ${end.signal}`, lasting: false };
    case 'limit':
      return { type: 'ended', status: 'fail', ended: limitText(end.limit, limits), lasting: false };
    case 'aborted':
      return { type: 'error', problem: 'stopped before it ended' };
    default:
      return assertNever(end, 'end of a gate');
  }
}

function limitText(limit: Extract<SandboxEnd, { how: 'limit' }>['limit'], limits: SandboxLimits): string {
  const { wallMs, memoryBytes, processes, diskBytes, outputBytes } = limits;
  switch (limit) {
    case 'wall':
      return `stopped: it ran longer than its time of ${wallMs} ms`;
    case 'memory':
      return `stopped: it used more than ${memoryBytes / 2 ** 20} MiB of memory`;
    case 'processes':
      return `stopped: it had more than ${processes} processes and threads`;
    case 'disk':
      return `stopped: it wrote more than ${diskBytes / 2 ** 20} MiB`;
    case 'output':
      return `stopped: it printed more than ${outputBytes >> 20} MiB`;
    case 'idle':
      return 'stopped: it printed nothing for too long';
    default:
      return assertNever(limit, 'limit');
  }
}
