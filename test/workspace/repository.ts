/** Throw-away repositories and state directories for the tests of workspaces, and git as a person would call it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Captured, LandedChange, Workspace } from '../../src/engine/ports/workspace.ts';
import { GitWorkspaces, type GitWorkspacesOptions } from '../../src/hands/workspace/workspaces.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import { locateCommonDir } from '../../src/os/git/locate.ts';
import { eventually } from '../support/cli.ts';
import { remove } from '../support/remove.ts';
import { descendants, endProcesses } from '../support/traces.ts';

export type World = {
  readonly root: string;
  readonly repo: string;
  readonly state: string;
  git(...args: string[]): string;
  open(options?: Partial<GitWorkspacesOptions>): GitWorkspaces;
  end(): Promise<void>;
};

export function world(files: Readonly<Record<string, string>> = FILES, init: readonly string[] = []): World {
  const root = mkdtempSync(join(tmpdir(), 'supervisor-workspace-'));
  chmodSync(root, 0o755);
  const repo = join(root, 'repo');
  const state = join(root, 'state');
  mkdirSync(repo);
  const opened: GitWorkspaces[] = [];
  const made: World = {
    root,
    repo,
    state,
    git: (...args) => plain(repo, ...args),
    open(options = {}) {
      const commonDir = locateCommonDir(options.commonDir ?? repo) ?? '';
      const fail = (path: string, error: Error) => {
        throw new Error(path, { cause: error });
      };
      opened.push(
        new GitWorkspaces({ stateDir: state, project: 'demo' as ProjectId, failed: fail, ...options, commonDir }),
      );
      return opened.at(-1)!;
    },
    async end() {
      for (const one of opened) await one.close();
      endProcesses(root, []);
      remove(root);
    },
  };
  made.git('init', '-q', '-b', 'main', ...init, '.');
  put(repo, files);
  if (Object.keys(files).length > 0) commitAll(made, 'first');
  return made;
}

export const FILES = { 'src/a.py': 'if x:\n    log()\n', 'src/b.txt': 'b\n', '.gitignore': '*.log\nnode_modules/\n' };

export function plain(dir: string, ...args: string[]): string {
  return execFileSync('git', ['-C', dir, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      GIT_AUTHOR_NAME: 't',
      GIT_AUTHOR_EMAIL: 't@localhost',
      GIT_COMMITTER_NAME: 't',
      GIT_COMMITTER_EMAIL: 't@localhost',
    },
  }).trim();
}

export function commitAll(made: World, message: string): void {
  made.git('add', '-A');
  made.git('commit', '-q', '-m', message);
}

export function put(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

export function candidateOf(captured: Captured): Extract<Captured, { type: 'candidate' }> {
  if (captured.type !== 'candidate') throw new Error(JSON.stringify(captured));
  return captured;
}

export function problemsOf(captured: Captured): string[] {
  if (captured.type !== 'refused') throw new Error(JSON.stringify(captured));
  return captured.problems.map(({ path, problem }) => `${path}: ${problem}`);
}

/**
 * From now on a git that reads this file of HEAD from these objects never ends: instead of the object there is a pipe that
 * nobody writes to. `stalled` waits until one writes a tree; `free` takes the pipe away for those that come later.
 */
export function stall(made: World, path: string, objects = join(made.repo, '.git/objects')) {
  const id = made.git('rev-parse', `HEAD:${path}`);
  const object = join(objects, id.slice(0, 2), id.slice(2));
  mkdirSync(dirname(object), { recursive: true });
  if (existsSync(object)) renameSync(object, `${object}.kept`);
  execFileSync('mkfifo', [object]);
  return {
    stalled: () =>
      eventually(() => {
        const pids = descendants(process.pid).map((one) => Number.parseInt(one, 10));
        return pids.some((pid) => commandOf(pid).includes('checkout-index'));
      }, 'git writes a tree'),
    free: () => renameSync(`${object}.kept`, object),
  };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

/** Makes a workspace of HEAD, changes it, captures it. */
export async function changed(made: World, change: (tree: string) => void, name = 'one'): Promise<Captured> {
  const workspace: Workspace = await made.open().make(name, { base: 'HEAD', tree: null });
  change(workspace.tree);
  return workspace.capture();
}

/** A captured change that lands as it is. */
export function whole(captured: Captured): LandedChange {
  const { candidate } = candidateOf(captured);
  return { own: candidate, gated: candidate };
}

export const publicationOf = (captured: Captured, branch = 'ai/task-1') => ({
  branch,
  candidate: candidateOf(captured).candidate,
  message: 'Say hello\n\nTask: t-1 "quoted" $(x) \u00e9',
  time: 1_790_000_000_123,
});

/** Everything below a directory, byte for byte, with modes and times; what `skip` matches is left out. */
export function digest(dir: string, skip: RegExp = /^$/): string {
  const hash = createHash('sha256');
  const walk = (path: string) => {
    for (const name of readdirSync(join(dir, path)).sort()) {
      const at = join(path, name);
      if (skip.test(at)) continue;
      const stat = lstatSync(join(dir, at));
      hash.update(`${at} ${stat.mode} ${stat.isDirectory() ? '' : `${stat.mtimeMs} ${stat.ino}`}\n`);
      if (stat.isDirectory()) walk(at);
      else hash.update(stat.isSymbolicLink() ? readlinkSync(join(dir, at)) : readFileSync(join(dir, at)));
    }
  };
  walk('.');
  return hash.digest('hex');
}

/** A program that leaves a trace when it is run. */
export function trap(made: World): { readonly program: string; readonly trace: string } {
  const program = join(made.root, 'trap.sh');
  const trace = join(made.root, 'breach');
  writeFileSync(program, `#!/bin/sh\ntouch "${trace}"\ncat\n`);
  chmodSync(program, 0o755);
  return { program, trace };
}
