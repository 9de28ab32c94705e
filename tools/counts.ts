/**
 * `node tools/counts.ts [REF…]` prints how large and how tangled the source is at each commit (HEAD without one), and what
 * one scripted `supervisor run` loads and executes there. Each commit is unpacked into a temporary directory.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importGraph, type Source } from '../test/support/import-graph.ts';
import { unusedExports } from '../test/support/unused-exports.ts';

const ROOT = join(import.meta.dirname, '..');
const MOST_LINES = 60;

type Row = readonly [what: string, value: number | string];

const refs = process.argv.length > 2 ? process.argv.slice(2) : ['HEAD'];
const columns = refs.map((ref) => {
  const tree = mkdtempSync(join(tmpdir(), 'counts-'));
  try {
    unpack(ref, tree);
    return [...sizes(tree), ...tangles(tree), ...run(tree)];
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
});

const line = (cells: readonly (number | string)[]) => console.log(`| ${cells.join(' | ')} |`);
line(['what', ...refs]);
line(['---', ...refs.map(() => '---:')]);
for (const [n, [what]] of (columns[0] ?? []).entries()) line([what, ...columns.map((rows) => rows[n]?.[1] ?? '')]);

function unpack(ref: string, tree: string): void {
  const archive = execFileSync('git', ['archive', ref], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
}

function sourcesIn(tree: string, folder: string): Source[] {
  const root = join(tree, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(root, path), 'utf8') }));
}

function sizes(tree: string): Row[] {
  const lines = sourcesIn(tree, 'src')
    .map(({ text }) => text.split('\n').length - 1)
    .sort((a, b) => a - b);
  const at = (share: number) => lines[Math.min(lines.length - 1, Math.floor(lines.length * share))] ?? 0;
  return [
    ['files', lines.length],
    ['lines', lines.reduce((sum, one) => sum + one, 0)],
    ['lines of a file, median', at(0.5)],
    ['lines of a file, p90', at(0.9)],
    ['lines of a file, longest', at(1)],
  ];
}

function tangles(tree: string): Row[] {
  const sources = sourcesIn(tree, 'src');
  const others = ['test', 'bench', 'tools'].flatMap((folder) => sourcesIn(tree, folder));
  const between = (groupOf: (path: string) => string) => groupsOnCycles(importGraph(sources, groupOf));
  // A room is a folder of a floor; files that lie directly on a floor are one too.
  const roomOf = (path: string) =>
    path
      .split('/')
      .slice(1, dirname(path).split('/').length > 2 ? 3 : 2)
      .join('/');
  return [
    ['rooms on a cycle of imports', between(roomOf)],
    ['files on a cycle of imports', between((path) => path)],
    [`functions over ${MOST_LINES} lines`, longFunctions(tree)],
    ['exports that nothing imports', unusedExports(sources, others).length],
    ['names of types in several rooms', sharedTypeNames(sources, roomOf)],
  ];
}

function sharedTypeNames(sources: readonly Source[], roomOf: (path: string) => string): number {
  const rooms = new Map<string, Set<string>>();
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:type|interface) (\w+)(?=[ <])/gm))
      rooms.set(name, (rooms.get(name) ?? new Set()).add(roomOf(path)));
  return [...rooms.values()].filter(({ size }) => size > 1).length;
}

function groupsOnCycles(graph: ReturnType<typeof importGraph>): number {
  const reaches = (start: string): boolean => {
    const queue = [...(graph.get(start)?.keys() ?? [])];
    const seen = new Set(queue);
    for (const node of queue)
      for (const next of graph.get(node)?.keys() ?? []) {
        if (!seen.has(next)) queue.push(next);
        seen.add(next);
      }
    return seen.has(start);
  };
  return [...graph.keys()].filter(reaches).length;
}

function longFunctions(tree: string): number {
  const rule = { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: MOST_LINES } } };
  const config = { root: true, linter: { rules: { preset: 'none', complexity: rule } } };
  writeFileSync(join(tree, 'biome.json'), JSON.stringify(config));
  const options = ['lint', '--max-diagnostics=none', '--reporter=json', 'src'];
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/biome'), options, {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return (JSON.parse(stdout) as { diagnostics: { category: string }[] }).diagnostics.filter(({ category }) =>
    category.endsWith('noExcessiveLinesPerFunction'),
  ).length;
}

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
};

/** One task, from the sources: a wrong attempt, a right one, a gate, a commit. */
function run(tree: string): Row[] {
  const [home, repository, coverage] = ['home', 'repository', 'coverage'].map((name) => `${tree}-${name}`) as [
    string,
    string,
    string,
  ];
  try {
    mkdirSync(repository);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: repository });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(repository, 'a.txt'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    const script = join(repository, '.git/script.yaml');
    const attempt = (text: string) => ({ files: { 'a.txt': text } });
    writeFileSync(script, JSON.stringify({ steps: { implement: [attempt('wrong\n'), attempt('right\n')] } }));
    const entry = join(tree, 'src/faces/cli/entry.ts');
    const args = ['run', 'make it right', '--script', script, '--gate', 'tests=grep -qx right a.txt', '--json'];
    const env = { PATH: process.env['PATH'], HOME: home, SUPERVISOR_HOME: home, NODE_V8_COVERAGE: coverage };
    const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
      cwd: repository,
      env,
      encoding: 'utf8',
    });
    if (status !== 0)
      return [
        ['files loaded by a run', `it ended with ${status}: ${stderr.split('\n')[0]}`],
        ['functions executed by a run', ''],
      ];
    return executed(tree, coverage);
  } finally {
    for (const path of [home, repository, coverage]) rmSync(path, { recursive: true, force: true });
  }
}

function executed(tree: string, coverage: string): Row[] {
  const files = new Set<string>();
  const functions = new Set<string>();
  const lists = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage);
  for (const { url, functions: list } of lists.flatMap(({ result }) => result)) {
    if (!url.startsWith(`file://${join(tree, 'src')}`)) continue;
    files.add(fileURLToPath(url));
    for (const [n, { functionName, ranges }] of list.entries())
      if (functionName !== '' && (ranges[0]?.count ?? 0) > 0) functions.add(`${url} ${functionName} ${n}`);
  }
  return [
    ['files loaded by a run', files.size],
    ['functions executed by a run', functions.size],
  ];
}
