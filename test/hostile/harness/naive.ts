/** Runs the naive orchestrator inside an outer sandbox: nothing of the host can be written, and no network is there. */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BASE, type Control, GATE, type HostileCase, type Outside } from './case.ts';

const PROGRAM = fileURLToPath(new URL('../naive', import.meta.url));
export const NAIVE_CANARY = 'canary naive plain words';

export type NaiveReport = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ms: number;
  readonly timedOut: boolean;
  /** What the worker printed on both streams (its end), and how much it was. */
  readonly said: string;
  readonly bytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the worker wrote
  readonly answer: any;
  /** Gates were left out because the answer said so. */
  readonly skipped: boolean;
  /** Merged into main. */
  readonly accepted: boolean;
  readonly gate: number | null;
  readonly gateSaid: string;
  /** Main was moved by the worker itself. */
  readonly moved: boolean;
  /** Processes that live on after the worker. */
  readonly survivors: number;
  /** The function is really right, on main. */
  readonly fixed: boolean;
  readonly landed: readonly string[];
  readonly configChanged: boolean;
  readonly connections: { readonly worker: number; readonly gate: number };
  readonly outside: readonly string[];
  readonly leaked: boolean;
  readonly committed: string | null;
  readonly tree: boolean;
  readonly looked: string;
};

const AT: Outside = {
  repository: '/outer/repository',
  home: '/outer/home',
  secret: '/outer/host-secret',
  breach: '/outer/breach',
  port: 7_777,
  state: '/outer/home/.local/state/supervisor',
};

export async function runNaively(
  one: HostileCase,
  control: Extract<Control, { naive: unknown }>,
): Promise<NaiveReport> {
  const gate = control.gate ?? (one.gates?.[0] ?? GATE).replace(/^[^=]*=/, '');
  const files = Object.fromEntries(Object.entries({ ...BASE, ...one.files }).filter(([, text]) => text !== null));
  const input = JSON.stringify({
    ...{ files, gate, port: AT.port, canary: NAIVE_CANARY, look: control.look ?? null },
    ...{ worker: (control.worker ?? one.worker)(AT), timeoutMs: control.timeoutMs ?? 60_000 },
  });
  const child = spawn('bwrap', outerWall(), { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  child.stdin.end(input);
  await new Promise((resolve) => child.on('close', resolve));
  try {
    return JSON.parse(stdout) as NaiveReport;
  } catch {
    throw new Error(`the naive orchestrator did not get to its end: ${stdout}${stderr}`);
  }
}

function outerWall(): string[] {
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64'].filter((path) => existsSync(path));
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...system.flatMap((path) =>
      lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
    ),
    ...['--ro-bind', process.execPath, '/opt/node/bin/node', '--ro-bind', PROGRAM, '/naive'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', `${1 << 28}`, '--tmpfs', '/tmp'],
    ...['--size', `${1 << 30}`, '--tmpfs', dirname(AT.repository), '--chdir', '/outer'],
    ...['--setenv', 'PATH', '/opt/node/bin:/usr/bin:/bin', '/opt/node/bin/node', '/naive/orchestrator.mjs'],
  ];
}
