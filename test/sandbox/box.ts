/** Plays a hostile program in the sandbox or, as the positive control, without it; afterwards nothing may be left. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SandboxLimits, SandboxPolicy, SandboxRequest, SandboxResult } from '../../src/engine/ports/sandbox.ts';
import type { BubblewrapOptions } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { processesOfUser } from '../../src/os/process/table.ts';
import { HOSTILE, setup } from './setup.ts';

export type Played = SandboxResult & { readonly stdout: string; readonly stderr: string };
type Play = {
  readonly limits?: Partial<SandboxLimits>;
  readonly policy?: Partial<SandboxPolicy>;
  readonly input?: SandboxRequest['input'];
  readonly signal?: AbortSignal;
  readonly onOutput?: (bytes: Uint8Array) => void;
  /** Ended by a limit of time before its first word, it is played again with twice the time. */
  readonly fromFirstWord?: boolean;
};

/** For a program that is looked at while it runs: it waits for `box.seen()`, however slow the one who looks is. */
export const UNTIL_SEEN = 'until [ -e /workspace/seen ]; do sleep 0.02; done; rm -f /workspace/seen';

/** Longer than a start takes on any machine. */
const FOR_EVER = 600_000;

export class Box implements AsyncDisposable {
  /** Runs of this process under way: while there is another one, its control group is no left-over. */
  static #under = 0;
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-box-'));
  readonly sandbox;
  readonly policy;
  readonly state;
  readonly tree;

  constructor(options: Partial<BubblewrapOptions> = {}) {
    ({ sandbox: this.sandbox, policy: this.policy, state: this.state, tree: this.tree } = setup(this.dir, options));
  }

  async play(argv: readonly [string, ...string[]], play: Play = {}): Promise<Played> {
    const texts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    Box.#under += 1;
    const limits = { ...this.policy.limits, ...play.limits };
    let isHeard = false;
    const run = this.sandbox.run({
      argv: programOf(argv, '/programs'),
      policy: { ...this.policy, ...play.policy, limits },
      input: play.input ?? '',
      onOutput: (stream, bytes) => {
        isHeard = true;
        if (play.onOutput) play.onOutput(bytes);
        else texts[stream].push(bytes);
      },
      signal: play.signal ?? new AbortController().signal,
    });
    const result = await run.finally(() => {
      Box.#under -= 1;
    });
    this.nothingLeft();
    const { wallMs, idleMs } = limits;
    if (play.fromFirstWord && !isHeard && result.end.how === 'limit' && wallMs < FOR_EVER) {
      const twice = { wallMs: 2 * wallMs, idleMs: idleMs === null ? null : 2 * idleMs };
      return this.play(argv, { ...play, limits: { ...play.limits, ...twice } });
    }
    const text = (of: Uint8Array[]) => Buffer.concat(of).toString();
    return { ...result, stdout: text(texts.stdout), stderr: text(texts.stderr) };
  }

  seen(): void {
    writeFileSync(join(this.tree, 'seen'), '', { mode: 0o666 });
  }

  /** Without any sandbox, in the throw-away tree. Only for attacks that do no harm here. */
  bare(argv: readonly [string, ...string[]], env: Record<string, string> = {}) {
    const [name, ...args] = programOf(argv, HOSTILE);
    const child = spawn(name, args, { cwd: this.tree, env: { PATH: '/usr/bin:/bin', ...env } });
    let stdout = '';
    child.stdout.on('data', (bytes) => {
      stdout += bytes;
    });
    child.stdin.on('error', () => {});
    const done = new Promise<string>((resolve) => child.on('close', () => resolve(stdout)));
    return { child, done };
  }

  /** No process of the user, no control group, no mount, no note. */
  nothingLeft(): void {
    const { uid } = statSync(this.tree);
    expect(isOurs(uid) ? processesOfUser(uid) : []).toEqual([]);
    const left = groups().filter((name) => name.includes(`-${process.pid}-`));
    expect(Box.#under > 0 ? [] : left).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(this.dir);
    expect(Box.#under > 0 ? [] : readdirSync(join(this.dir, 'run/runs'))).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
    chmodSync(this.dir, 0o700);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Names of all control groups of our scheme below this process's own. */
export function groups(): string[] {
  return Object.values(findPlaces().at).flatMap((dir) =>
    existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith('supervisor-sandbox-')) : [],
  );
}

function programOf([name, ...args]: readonly [string, ...string[]], dir: string): [string, ...string[]] {
  if (name.endsWith('.sh')) return ['sh', `${dir}/${name}`, ...args];
  if (name.endsWith('.mjs')) return [dir === HOSTILE ? process.execPath : 'node', `${dir}/${name}`, ...args];
  return [name, ...args];
}
