/** One run of a gate: a fresh workspace, the gate alone in its sandbox, and the workspace removed however it ended. */
import { randomBytes } from 'node:crypto';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import { type Sandbox, type SandboxEnd, SandboxError, type SandboxLimits } from '../../engine/ports/sandbox.ts';
import type { WorkspaceSource, Workspaces } from '../../engine/ports/workspace.ts';
import { assertNever } from '../../kernel/assert-never.ts';
import type { ServiceConfig } from '../../mind/environment/environment-config.ts';
import { checkArgv, type GateLimits, gateVariables, limitsOf } from '../../mind/gates/definition.ts';
import type { GateCheck } from '../../mind/gates/kinds.ts';
import { missingProgram } from '../../mind/gates/missing-program.ts';
import { limitWords } from '../../mind/gates/resource-refusals.ts';
import { withServices } from '../../mind/gates/services.ts';
import { byReports, reportsOf } from './reports.ts';
import type { CheckRunResult, GateRunEnd, GateTools, PlantedFile } from './run-result.ts';

type OneRun = {
  readonly name: string;
  readonly check: GateCheck;
  /** Changed files that the command gets. */
  readonly paths: readonly string[];
  /** Files written into the tree before anything runs: failing tests, to see whether the gate notices. */
  readonly planted: readonly PlantedFile[];
  readonly limits: GateLimits;
  readonly from: WorkspaceSource;
  readonly environment: ReadyEnvironment | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly services: readonly ServiceConfig[];
  readonly signal: AbortSignal;
};

export async function runOnce(
  ports: { readonly sandbox: Sandbox; readonly workspaces: Workspaces; readonly tools: GateTools },
  run: OneRun,
): Promise<CheckRunResult> {
  const { check, environment, services, signal } = run;
  const limits = limitsOf(check, run.limits);
  const printed = new PrintedOutput();
  const nonce = randomBytes(16).toString('hex');
  const from = { ...run.from, pinned: true, planted: run.planted, signal };
  const workspace = await ports.workspaces.make(run.name, from).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (workspace === null) return { type: 'error', problem: 'stopped before it ended', output: '' };
  try {
    // The name and the directory are new each time, so a report in it was written by this run.
    const reports = reportsOf(check) ? { from: workspace.beside('report'), to: `/report-${nonce.slice(0, 12)}` } : null;
    const { end, ms } = await ports.sandbox.run({
      argv: withServices(checkArgv(check, run.paths), services, nonce),
      policy: {
        kind: 'gate',
        readable: [...ports.tools.readable, ...(environment?.readable ?? [])],
        writable: [{ from: workspace.tree, to: '/workspace' }, ...(reports === null ? [] : [reports])],
        temporary: environment?.temporary ?? [],
        cwd: '/workspace',
        env: gateVariables([...(environment?.path ?? []), ...ports.tools.path], {
          ...ports.tools.env,
          ...run.variables,
          ...environment?.env,
          ...(reports === null ? {} : { REPORT_DIR: reports.to }),
        }),
        limits,
      },
      input: '',
      onOutput: (stream, bytes) => printed.add(stream, bytes),
      signal,
    });
    const output = printed.both.replaceAll(`${nonce}\n`, '');
    // Whatever removed it, the gate checked something else than the candidate.
    if (!workspace.isThere()) return { type: 'error', problem: 'its workspace was removed while it ran', output };
    if (services.length > 0 && !printed.stderr.includes(nonce) && end.how !== 'aborted') {
      return { type: 'error', problem: 'a service of the environment did not start', output };
    }
    const judged = judge(end, limits, check.exitCodes);
    if (judged.type === 'error') return { ...judged, output };
    const missing = judged.status === 'fail' ? missingProgram(check.command, output) : null;
    if (missing !== null) return { type: 'error', problem: missing, output };
    const ended = { ...judged, ms, output, tests: null, ran: null, listed: null, kept: null, cached: null };
    if (!judged.lasting) return { ...ended, ...unsure(judged, output) };
    const found = byReports(check, { printed, ended: judged, dir: reports?.from ?? null });
    if (found.type === 'error') return { ...found, output };
    return { ...ended, ...found, ...unsure(found, output) };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { type: 'error', problem: error.message, output: printed.both };
  } finally {
    await workspace.remove();
  }
}

type JudgedRun = GateRunEnd | { readonly type: 'error'; readonly problem: string };

/** A resource limit that refuses something may go unreported: red all the same, but perhaps not next time. */
function unsure(judged: GateRunEnd, output: string): GateRunEnd {
  const words = judged.status === 'fail' && judged.lasting ? limitWords(output) : null;
  if (words === null) return judged;
  return {
    ...judged,
    lasting: false,
    ended: `${judged.ended}; not remembered, as "${words}" may be a limit of the sandbox`,
  };
}

/** Judges only by how the program ended: no report file, no printed word. Output can only take away a pass. */
function judge(end: SandboxEnd, limits: SandboxLimits, exitCodes: readonly number[]): JudgedRun {
  switch (end.how) {
    case 'exit':
      if (exitCodes.includes(end.code))
        return { type: 'ended', status: 'pass', ended: `exit code ${end.code}`, lasting: true };
      if (end.code === 126 || end.code === 127) {
        return {
          type: 'error',
          problem: `exit code ${end.code}: the command, or a program it starts, does not exist or cannot run; install it on the gate's PATH`,
        };
      }
      // Shells report 128 + n for a program that signal n ended, and a signal may come from the machine.
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
      return `stopped: it ran longer than its timeout of ${wallMs} ms`;
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

/** The output of a gate: each stream for reading test ids, and both in order for people. The sandbox bounds it. */
class PrintedOutput {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #texts = { stdout: '', stderr: '' };
  #both = '';

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    this.#texts[stream] += text;
    this.#both += text;
  }

  get stdout(): string {
    return this.#texts.stdout;
  }

  get stderr(): string {
    return this.#texts.stderr;
  }

  get both(): string {
    return this.#both;
  }
}
