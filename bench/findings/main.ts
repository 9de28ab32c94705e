/**
 * Measures how often the rules over a change's text block or warn on real commits, with the commit message as the task:
 *
 *   node bench/findings/main.ts [--commits 400] [--skip 0] [--show RULE] [--warnings] [--gates] REPOSITORY ...
 *
 * A repository is a checkout or a bare directory of git. Every blocking hit is shown, to be judged by eye; `--warnings`
 * shows the others too. Merges are left out. "Recent" are the 50 commits before. `--gates` adds what `judge` says of files and
 * scripts that gates run, with the gates that `init` would write for the base: its test and lint scripts, or `make test`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { namedPaths } from '../../src/app/diff-checks.ts';
import { scriptFilesWanted } from '../../src/mind/candidates/base-scripts.ts';
import { type ChangedFile, removedLines } from '../../src/mind/changes/changed-file.ts';
import { diffFindings, goPackages, isEntry, offeredIn, type RuleFinding } from '../../src/mind/findings/index.ts';
import { gateChanges } from '../../src/mind/judgement/gate-changes.ts';

type Commit = { readonly id: string; readonly message: string; readonly entries: readonly Entry[] };
type Entry = { readonly path: string; readonly before: string; readonly after: string };
type Removed = { readonly commit: string; readonly path: string; readonly removed: readonly string[] };

const RECENT = 50;
/** No task ends with who signed it. */
const TRAILERS = /^(?:[A-Z][\w-]+-by|Change-Id|PR-URL|Fixes|Closes|Refs): .*$/gm;
const MAX_BYTES = 2_000_000;
const GATES: readonly (readonly [file: RegExp, holds: RegExp, command: string])[] = [
  [/^package\.json$/, /"test"\s*:/, 'npm test'],
  [/^package\.json$/, /"lint"\s*:/, 'npm run lint'],
  [/^(?:GNUm|[mM])akefile$/, /^test\s*:/m, 'make test'],
];
const GATE = { blocking: true, on_fail: 'retry' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '400' },
    skip: { type: 'string', default: '0' },
    show: { type: 'string' },
    warnings: { type: 'boolean', default: false },
    gates: { type: 'boolean', default: false },
  },
});

const total = { commits: 0, blocked: 0, rules: new Map<string, number>(), warned: new Map<string, number>() };
let [lines, milliseconds] = [0, 0];
for (const directory of positionals) measure(directory);
if (positionals.length > 1) report('all', total.commits, total.blocked, total.rules, total.warned);
console.log(`time\t${((1_000 * milliseconds) / Math.max(1, lines)).toFixed(2)} ms per 1,000 lines of changed files`);

/** What the newest commit's entries pass on stands for all commits: those of every single one would take too long. */
function offeredAt(git: (args: readonly string[]) => Buffer): ReadonlySet<string> {
  const paths = git(['ls-tree', '-r', '--name-only', 'HEAD']).toString('utf8').split('\n');
  const entries = paths.filter(isEntry).slice(0, 50);
  const names = entries.flatMap((path) => offeredIn(path, git(['show', `HEAD:${path}`]).toString('utf8')));
  return new Set([...names, ...goPackages(paths)]);
}

function measure(directory: string): void {
  const name = nameOf(directory);
  const git = (args: readonly string[], input?: string): Buffer =>
    execFileSync('git', [`--git-dir=${gitDirectory(directory)}`, ...args], {
      maxBuffer: 2 ** 31,
      ...(input === undefined ? {} : { input }),
    });
  const count = Number(values.commits);
  const commits = commitsOf(git, count + RECENT, Number(values.skip));
  const texts = textsOf(git, commits);
  const rules = new Map<string, number>();
  const warned = new Map<string, number>();
  const history = commits.map(({ id, entries }): Removed[] =>
    filesOf(entries, texts).flatMap((file) => {
      const removed = removedLines(file).map(({ text }) => text);
      return removed.length === 0 ? [] : [{ commit: id, path: file.path, removed }];
    }),
  );
  const offered = offeredAt(git);
  let [judged, blocked] = [0, 0];
  commits.slice(0, count).forEach(({ id, message, entries }, i) => {
    const files = filesOf(entries, texts);
    if (files.length === 0) return;
    judged += 1;
    lines += files.reduce((sum, { after }) => sum + (after?.split('\n').length ?? 0), 0);
    const began = performance.now();
    const recent = history.slice(i + 1, i + 1 + RECENT).flat();
    const ask = { files, task: message, testPaths: [], claims: [], grants: [], recent, offered, generated: () => null };
    const ofDiff = diffFindings(ask);
    milliseconds += performance.now() - began;
    const findings = values.gates ? [...gateFindings(git, { id, message, entries }, files), ...ofDiff] : ofDiff;
    const blocking = findings.filter(({ blocks }) => blocks);
    if (blocking.length > 0) blocked += 1;
    for (const rule of new Set(blocking.map((one) => one.rule))) rules.set(rule, (rules.get(rule) ?? 0) + 1);
    const soft = findings.filter((one) => !one.blocks);
    for (const rule of new Set(soft.map((one) => one.rule))) warned.set(rule, (warned.get(rule) ?? 0) + 1);
    for (const one of values.warnings ? findings : blocking) show(name, id, message, one);
  });
  report(name, judged, blocked, rules, warned);
  total.commits += judged;
  total.blocked += blocked;
  for (const [rule, n] of rules) total.rules.set(rule, (total.rules.get(rule) ?? 0) + n);
  for (const [rule, n] of warned) total.warned.set(rule, (total.warned.get(rule) ?? 0) + n);
}

function gateFindings(
  git: Git,
  { id, message, entries }: Commit,
  files: readonly ChangedFile[],
): readonly RuleFinding[] {
  const tree = git(['ls-tree', '-r', '-z', `${id}^`])
    .toString()
    .split('\0')
    .filter((line) => line !== '');
  const blobs = new Map(tree.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? '']));
  const basePaths = [...blobs.keys()];
  const wanted = scriptFilesWanted(basePaths);
  const baseTexts = new Map(wanted.map((path) => [path, git(['cat-file', 'blob', blobs.get(path) ?? '']).toString()]));
  const gates = GATES.flatMap(([file, holds, command]) => {
    const path = wanted.find((one) => file.test(one));
    return path !== undefined && holds.test(baseTexts.get(path) ?? '') ? [{ ...GATE, name: command, command }] : [];
  });
  const changed = entries.map(({ path, before, after }) => ({
    path,
    before: isNothing(before) ? null : `100644 ${before}`,
    after: isNothing(after) ? null : `100644 ${after}`,
  }));
  const named = new Set(namedPaths(message, files).paths);
  const settings = { testPaths: [], protect: [], gates };
  return gateChanges({ basePaths, baseTexts, changed, files, words: message, named, settings, outputs: [] });
}

function show(name: string, id: string, message: string, finding: RuleFinding): void {
  if (values.show !== undefined && values.show !== finding.rule) return;
  const { rule, path, line, blocks } = finding;
  const task = JSON.stringify(message.trim().slice(0, 160));
  console.log(
    `${blocks ? 'block' : 'warn'}\t${name}@${id.slice(0, 9)}\t${rule}\t${path}:${line ?? ''}\t${task}\t${finding.message.slice(0, 200)}`,
  );
}

function report(
  name: string,
  commits: number,
  blocked: number,
  rules: Map<string, number>,
  warned: Map<string, number>,
) {
  const share = (n: number): string => ((100 * n) / Math.max(1, commits)).toFixed(2);
  console.log(`${name}\t${commits} commits\t${blocked} blocked\t${share(blocked)} per 100`);
  for (const [rule, n] of [...rules].sort((a, b) => b[1] - a[1])) console.log(`\tblocks\t${rule}\t${n}\t${share(n)}`);
  for (const [rule, n] of [...warned].sort((a, b) => b[1] - a[1])) console.log(`\twarns\t${rule}\t${n}\t${share(n)}`);
}

type Git = (args: readonly string[], input?: string) => Buffer;

function commitsOf(git: Git, count: number, skip: number): Commit[] {
  const ids = git(['rev-list', '--no-merges', `--max-count=${count}`, `--skip=${skip}`, 'HEAD'])
    .toString()
    .trim()
    .split('\n');
  return ids.map((id) => {
    const message = git(['show', '-s', '--format=%B', id]).toString().replace(TRAILERS, '');
    const fields = git(['diff-tree', '-r', '-z', '--root', '--no-renames', '--no-commit-id', id])
      .toString()
      .split('\0');
    const entries: Entry[] = [];
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const [oldMode = '', newMode = '', before = '', after = ''] = (fields[i] ?? '').slice(1).split(' ');
      // Links and submodules have no text.
      if (!/^(?:100|000)/.test(oldMode) || !/^(?:100|000)/.test(newMode)) continue;
      entries.push({ path: fields[i + 1] ?? '', before, after });
    }
    return { id, message, entries };
  });
}

function isNothing(id: string): boolean {
  return /^0+$/.test(id);
}

function textsOf(git: Git, commits: readonly Commit[]): ReadonlyMap<string, string> {
  const ids = new Set(commits.flatMap(({ entries }) => entries.flatMap(({ before, after }) => [before, after])));
  const wanted = [...ids].filter((id) => !isNothing(id));
  const texts = new Map<string, string>();
  const out = git(['cat-file', '--batch'], `${wanted.join('\n')}\n`);
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at);
    const [id = '', type, size = '0'] = out.toString('latin1', at, end).split(' ');
    const bytes = type === 'missing' ? 0 : Number(size);
    if (type === 'blob' && bytes <= MAX_BYTES) texts.set(id, out.toString('utf8', end + 1, end + 1 + bytes));
    at = end + 1 + (type === 'missing' ? 0 : bytes + 1);
  }
  return texts;
}

function filesOf(entries: readonly Entry[], texts: ReadonlyMap<string, string>): ChangedFile[] {
  return entries.map(({ path, before, after }) => ({
    path,
    before: isNothing(before) ? null : (texts.get(before) ?? ''),
    after: isNothing(after) ? null : (texts.get(after) ?? ''),
  }));
}

function gitDirectory(directory: string): string {
  return existsSync(join(directory, '.git')) ? join(directory, '.git') : directory;
}

function nameOf(directory: string): string {
  const name = basename(directory);
  return name === 'repo' || name === '.git' ? basename(dirname(directory)) : name;
}
