/** Makes two recordings of one scenario comparable: ids, times, durations and paths become names that say what they are. */
import { locateProject } from '../../src/app/open-store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { World } from '../support/cli.ts';

/** Texts with times or ids of commits in them: their hashes are new every time. What trees and answers hash to stays. */
const VOLATILE_HASHES = new Set(['evidence', 'record']);
const DURATIONS = new Set(['ms', 'duration_ms', 'task_ms', 'attempt_ms', 'bytes']);
/** Everything later than 2020 is a time; no number of a scenario is as large otherwise. */
const FIRST_TIME = 1_577_836_800_000;

/** `hashes`: of the events of the log. */
type Known = { readonly tasks: readonly string[]; readonly hashes: readonly string[] };

export function normalised(world: World, known: Known, recorded: unknown): unknown {
  const names = namesIn(world, known);
  const inText = (text: string): string => {
    let named = text;
    for (const [volatile, name] of names) named = named.replaceAll(volatile, name);
    return named
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?/g, '<time>')
      .replaceAll(/\d\d:\d\d(?::\d\d)? UTC/g, '<time>')
      .replaceAll(/\boperator:[\w.@-]+/g, 'operator:<user>')
      .replaceAll(/\bc-[0-9a-z]{8}\b/g, '<command>');
  };
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return VOLATILE_HASHES.has(key) ? `<${key}>` : inText(value);
    if (typeof value === 'number') return DURATIONS.has(key) ? `<${key}>` : value > FIRST_TIME ? '<time>' : value;
    if (Array.isArray(value)) return inOrder(key, value).map((item) => walk(item, key));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => [inText(name), walk(item, name)]);
    // Git sorts refs by names that have ids in them.
    return Object.fromEntries(key === 'refs' ? entries.sort(([one], [other]) => (one < other ? -1 : 1)) : entries);
  };
  return walk(recorded, '');
}

/** Gates of one attempt run beside each other: their reports come in any order. */
function inOrder(key: string, list: readonly unknown[]): readonly unknown[] {
  if (key !== 'evidence') return list;
  const rank = (item: unknown) => {
    const { attempt, gate } = item as { attempt: number; gate: string };
    return `${String(attempt).padStart(3, '0')} ${gate}`;
  };
  return list.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function namesIn(world: World, { tasks, hashes }: Known): [volatile: string, name: string][] {
  const commits = commitsIn(world);
  return [
    ...tasks.map((id, nth): [string, string] => [id, `t-${nth + 1}`]),
    ...commits,
    // Names of branches have the beginning of an id.
    ...commits.map(([id, name]): [string, string] => [id.slice(0, 12), name]),
    [world.dir, '<world>'],
    [locateProject(world.repository).id, '<project>'],
    [sha256(world.state).slice(0, 12), '<state>'],
    ...anchorsIn(world),
    ...hashes.map((hash): [string, string] => [hash, '<hash>']),
  ];
}

/** A commit is known by its subject. Its id has the time in it. */
function commitsIn(world: World): [string, string][] {
  const objects = world.git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)').split('\n');
  const ids = objects.flatMap((line) => (line.startsWith('commit ') ? [line.slice('commit '.length)] : []));
  const lines = world.git('log', '--no-walk', '--format=%H %T %P|%s', ...ids).split('\n');
  const commits = new Map(
    lines.map((line) => {
      const [head = '', subject = ''] = line.split('|');
      const [id = '', tree = '', ...parents] = head.split(' ').filter((word) => word !== '');
      return [id, { id, tree, parents, subject }];
    }),
  );
  const depth = (id: string): number => 1 + Math.max(0, ...(commits.get(id)?.parents ?? []).map(depth));
  const sorted = [...commits.values()].sort((a, b) => depth(a.id) - depth(b.id) || (a.tree < b.tree ? -1 : 1));
  const counts = new Map<string, number>();
  return sorted.map(({ id, subject }) => {
    const count = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, count);
    return [id, `<commit ${subject}${count === 1 ? '' : ` (${count})`}>`];
  });
}

/** They hold the hash of the log's head, which has times in it. */
function anchorsIn(world: World): [string, string][] {
  const ids = world.git('for-each-ref', '--format=%(objectname)', 'refs/supervisor/anchor');
  return ids === '' ? [] : ids.split('\n').map((id) => [id, '<anchor>']);
}

const WIDTH = 150;

/** JSON for people: what fits on a line is on one. */
export function pretty(value: unknown, indent = '', before = 0): string {
  const flat = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null';
  if (indent.length + before + flat.length <= WIDTH || value === null || typeof value !== 'object') return flat;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((item) => pretty(item, inner))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return name + pretty(item, inner, name.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}\n${indent}${close}`;
}
