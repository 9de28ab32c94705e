/** Brings the projects we measure ourselves against, once, into .tools: they are no dependency of ours. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support.ts';

/**
 * better-sqlite3 comes with binaries from 13 on; the peer itself asks for 12, which would have to be compiled.
 * Newer patches of langgraph-sdk want a newer core than the one measured here, and npm's resolver then runs without end.
 */
const PACKAGE = `${JSON.stringify(
  {
    private: true,
    dependencies: {
      '@langchain/core': '1.2.13',
      '@langchain/langgraph': '1.4.18',
      '@langchain/langgraph-checkpoint-sqlite': '1.0.4',
      'better-sqlite3': '13.0.3',
    },
    overrides: {
      'better-sqlite3': '$better-sqlite3',
      '@langchain/core': '$@langchain/core',
      '@langchain/langgraph-sdk': '1.12.0',
    },
  },
  null,
  2,
)}\n`;

const TRY = "new (require('better-sqlite3'))(':memory:'); require('@langchain/langgraph-checkpoint-sqlite')";

/** Where the peers are, or in one line why they are not. */
export function preparePeers(): { readonly directory: string } | string {
  const directory = join(ROOT, '.tools', 'bench-peers');
  const stamp = join(directory, 'installed.json');
  if (contentOf(stamp) === PACKAGE) return { directory };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), PACKAGE);
  console.error('installing the peers (once, into .tools/bench-peers) …');
  const run = (command: string, args: string[]) =>
    spawnSync(command, args, { cwd: directory, encoding: 'utf8', timeout: 300_000 });
  const install = run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']);
  if (install.status !== 0) return `the peer could not be installed: ${reasonOf(install)}`;
  const trial = run(process.execPath, ['-e', TRY]);
  if (trial.status !== 0) return `the peer does not run on this Node: ${reasonOf(trial)}`;
  writeFileSync(stamp, PACKAGE);
  return { directory };
}

function reasonOf({ stderr, error }: { stderr: string | null; error?: Error }): string {
  const lines = (stderr ?? '').split('\n').filter((line) => /error/i.test(line));
  return (error?.message ?? lines[0] ?? 'no reason given').trim().slice(0, 200);
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
