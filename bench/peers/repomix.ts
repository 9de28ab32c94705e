/** Brings repomix, once, into .tools: it is no dependency of ours. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support.ts';

const PACKAGE = `${JSON.stringify({ private: true, dependencies: { repomix: '1.18.1' } }, null, 2)}\n`;

/** Where it is, or in one line why it is not. */
export function prepareRepomix(): { readonly directory: string } | string {
  const directory = join(ROOT, '.tools', 'bench-peers-context');
  const stamp = join(directory, 'installed.json');
  try {
    if (readFileSync(stamp, 'utf8') === PACKAGE) return { directory };
  } catch {
    // Not yet.
  }
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), PACKAGE);
  console.error('installing repomix (once, into .tools/bench-peers-context) …');
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'],
    { cwd: directory, encoding: 'utf8', timeout: 300_000 },
  );
  if (status !== 0) {
    const said = (stderr ?? '').split('\n').find((line) => /error/i.test(line));
    return `repomix could not be installed: ${(error?.message ?? said ?? 'no reason given').trim().slice(0, 200)}`;
  }
  writeFileSync(stamp, PACKAGE);
  return { directory };
}
