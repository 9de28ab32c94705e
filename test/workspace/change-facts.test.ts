/** The facts of a change that approval policies ask about equal those of an independent program, which reads `git diff`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { treeChecks } from '../../src/app/tree-checks.ts';
import { changeId } from '../../src/mind/candidates/raw-diff.ts';
import type { ChangeFacts } from '../../src/mind/domain/risk-facts.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import { put, type World, world } from './repository.ts';

const PATHS = [
  'a.txt',
  'src/b.js',
  'src/auth/login.js',
  'package.json',
  'package-lock.json',
  'sub/yarn.lock',
  'notes.md',
];
const BASE: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'src/b.js': 'const x = 1;\n',
  'package.json': '{"dependencies": {"ms": "1.0.0"}}\n',
  'package-lock.json': '{"lockfileVersion": 3, "packages": {}}\n',
};

const line = fc.constantFrom('one', 'two', 'three', 'const x = 1;', '', '}');
const manifest = fc
  .uniqueArray(fc.constantFrom('ms', 'zod', 'left-pad'))
  .map((names) => `${JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])) })}\n`);
const content = (path: string) =>
  path === 'package.json' ? manifest : fc.array(line, { maxLength: 8 }).map((lines) => `${lines.join('\n')}\n`);
/** Null deletes the file. */
const edits = fc
  .uniqueArray(fc.constantFrom(...PATHS))
  .chain((paths) => fc.record(Object.fromEntries(paths.map((path) => [path, fc.option(content(path), { freq: 4 })]))));

/** Everything by git and JSON.parse alone. */
function independent(repository: World, base: string, tree: string) {
  const plain = ['--no-renames', base, tree];
  const status = repository
    .git('diff', '--name-status', ...plain)
    .split('\n')
    .filter(Boolean);
  const counts = repository
    .git('diff', '--minimal', '--numstat', ...plain)
    .split('\n')
    .filter(Boolean);
  const sums = counts
    .map((row) => row.split('\t').map(Number))
    .reduce(([added, removed], [more = 0, less = 0]) => [(added ?? 0) + more, (removed ?? 0) + less], [0, 0]);
  const wanted = (at: string): string[] => {
    const has = repository.git('ls-tree', '--name-only', at, 'package.json') !== '';
    return has
      ? Object.keys((JSON.parse(repository.git('show', `${at}:package.json`)) as { dependencies: object }).dependencies)
      : [];
  };
  const before = wanted(base);
  const paths = status.map((row) => row.split('\t')[1] ?? '');
  return {
    file_count: status.length,
    net: (sums[0] ?? 0) - (sums[1] ?? 0),
    added: sums[0] ?? 0,
    lock_file: paths.some((path) => /(?:^|\/)(?:package-lock\.json|yarn\.lock)$/.test(path)),
    new_dependencies: wanted(tree).filter((name) => !before.includes(name)).length,
    auth: paths.some((path) => path.startsWith('src/auth/')),
  };
}

test('over 60 random changes', async () => {
  const repository = world(BASE);
  try {
    const workspaces = repository.open();
    const base = repository.git('rev-parse', 'HEAD');
    const checks = treeChecks(workspaces, { testPaths: [] } as never, []);
    const seen = { locks: 0, packages: 0, auth: 0 };
    await fc.assert(
      fc.asyncProperty(edits, async (files) => {
        const dir = join(repository.root, 'repo');
        repository.git('checkout', '-q', '-f', base);
        repository.git('clean', '-qfdx');
        for (const [path, text] of Object.entries(files)) {
          if (text === null) rmSync(join(dir, path), { force: true });
          else put(dir, { [path]: text });
        }
        repository.git('add', '-A');
        const tree = repository.git('write-tree');
        const work = { classes: [{}] } as unknown as WorkerRun;
        const form = ['-r', '-z', '--raw', '--no-renames', '--full-index'];
        const change_id = changeId(repository.git('diff-tree', ...form, base, tree));
        const found = (await checks.facts({ base, tree, change_id }, base, work)) as ChangeFacts;
        const { net, added, auth, ...git } = independent(repository, base, tree);
        expect(found).toMatchObject(git);
        expect((found.lines_added ?? 0) - (found.lines_removed ?? 0)).toBe(net);
        // With the fewest lines that there are.
        expect(found.lines_added).toBeGreaterThanOrEqual(added);
        expect(found.classes?.includes('auth')).toBe(auth);
        seen.locks += git.lock_file ? 1 : 0;
        seen.packages += git.new_dependencies > 0 ? 1 : 0;
        seen.auth += auth ? 1 : 0;
      }),
      { numRuns: 60 },
    );
    // Each fact was there, and was not there.
    for (const count of Object.values(seen)) expect(count > 3 && count < 57).toBe(true);
    await workspaces.close();
  } finally {
    await repository.end();
  }
});
