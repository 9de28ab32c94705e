/**
 * How a role adds to the one it extends: scalars override, lists append without duplicates, maps merge deeply. Each
 * value remembers its source. As long as a key keeps its type, the merge is associative. Four exceptions:
 * - `cli`, `allowed_tools` and `context.priority_order` are one choice each, not a collection: the nearest counts. If
 *   they were appended, a child could neither leave out a CLI nor remove a tool.
 * - A gate of the same name is replaced as a whole, in its place.
 * - `system_prompt` replaces all earlier text, including additions.
 * - `system_prompt_additions` follow one another.
 */
import type { FieldPath } from '../fields/yaml.ts';

type ValueOrigin<S> = { readonly source: S; readonly path: FieldPath };

type TracedValue<S> =
  | { readonly type: 'one'; readonly value: unknown; readonly origin: ValueOrigin<S> }
  | { readonly type: 'list'; readonly items: readonly MergedItem<S>[]; readonly origin: ValueOrigin<S> }
  | { readonly type: 'map'; readonly entries: ReadonlyMap<string, TracedValue<S>>; readonly origin: ValueOrigin<S> };
type MergedItem<S> = { readonly type: 'one'; readonly value: unknown; readonly origin: ValueOrigin<S> };
export type TracedMap<S> = Extract<TracedValue<S>, { type: 'map' }>;

const STAND_ALONE: ReadonlySet<string> = new Set(['cli', 'allowed_tools', 'context.priority_order']);
const PROMPT = 'system_prompt';
const ADDITIONS = 'system_prompt_additions';

/** A file's own values, each with its place. `extends` says how to merge and is no value. */
export function traced<S>(file: Readonly<Record<string, unknown>>, source: S): TracedMap<S> {
  const { extends: _, ...rest } = file;
  return trace(rest, source, []) as TracedMap<S>;
}

function trace<S>(value: unknown, source: S, path: FieldPath): TracedValue<S> {
  const origin = { source, path };
  if (path.length === 1 && path[0] === ADDITIONS)
    return { type: 'list', items: [{ type: 'one', value, origin }], origin };
  if (Array.isArray(value) && !STAND_ALONE.has(path.join('.'))) {
    const items = value.map(
      (item, n): MergedItem<S> => ({ type: 'one', value: item, origin: { source, path: [...path, n] } }),
    );
    return { type: 'list', items: appended(path, items, []), origin };
  }
  if (!isMap(value)) return { type: 'one', value, origin };
  const entries = new Map(Object.entries(value).map(([key, below]) => [key, trace(below, source, [...path, key])]));
  return { type: 'map', entries, origin };
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export function merge<S>(parent: TracedMap<S>, child: TracedMap<S>): TracedMap<S> {
  const above = child.entries.has(PROMPT) ? without(parent, ADDITIONS) : parent;
  return mergeMaps(above, child, []);
}

export const without = <S>(map: TracedMap<S>, key: string): TracedMap<S> =>
  map.entries.has(key) ? { ...map, entries: new Map([...map.entries].filter(([one]) => one !== key)) } : map;

function mergeMaps<S>(parent: TracedMap<S>, child: TracedMap<S>, path: FieldPath): TracedMap<S> {
  const entries = new Map(parent.entries);
  for (const [key, below] of child.entries) {
    const above = entries.get(key);
    entries.set(key, above === undefined ? below : mergeValues(above, below, [...path, key]));
  }
  return { ...child, entries };
}

function mergeValues<S>(parent: TracedValue<S>, child: TracedValue<S>, path: FieldPath): TracedValue<S> {
  if (parent.type === 'map' && child.type === 'map') return mergeMaps(parent, child, path);
  if (parent.type === 'list' && child.type === 'list')
    return { ...child, items: appended(path, parent.items, child.items) };
  return child;
}

function appended<S>(
  path: FieldPath,
  first: readonly MergedItem<S>[],
  then: readonly MergedItem<S>[],
): readonly MergedItem<S>[] {
  if (path[0] === ADDITIONS) return [...first, ...then];
  const isGates = path.length === 1 && path[0] === 'gates';
  const kept = new Map<string, MergedItem<S>>();
  for (const item of [...first, ...then]) {
    const key = isGates ? nameOf(item.value) : textOf(item.value);
    if (isGates || !kept.has(key)) kept.set(key, item);
  }
  return [...kept.values()];
}

const nameOf = (gate: unknown): string => (isMap(gate) ? String(gate['name']) : String(gate));

/** The common text of two equal values; a person's own keys may hold any number that YAML knows. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'number' && !Number.isFinite(one) ? `number ${one}` : one));

/** Only the merged values, with the whole system prompt in one text. */
export function plain<S>(role: TracedMap<S>): Record<string, unknown> {
  const { [ADDITIONS]: additions, ...rest } = untraced(role) as Record<string, unknown>;
  const prompt = rest[PROMPT];
  if (typeof prompt === 'string')
    rest[PROMPT] = [prompt, ...((additions ?? []) as string[])].map((piece) => piece.trim()).join('\n\n');
  return rest;
}

function untraced<S>(value: TracedValue<S>): unknown {
  if (value.type === 'one') return value.value;
  if (value.type === 'list') return value.items.map(untraced);
  return Object.fromEntries([...value.entries].map(([key, below]) => [key, untraced(below)]));
}

/** Where the value at a path of the merged role was set; for a missing one, where its parent was. */
export function originAt<S>(role: TracedMap<S>, path: FieldPath): ValueOrigin<S> {
  let at: TracedValue<S> = role;
  for (const [depth, part] of path.entries()) {
    const below: TracedValue<S> | undefined =
      at.type === 'map' ? at.entries.get(String(part)) : at.type === 'list' ? at.items[Number(part)] : undefined;
    if (below === undefined) {
      const rest = at.type === 'one' ? path.slice(depth) : [];
      return { source: at.origin.source, path: [...at.origin.path, ...rest] };
    }
    at = below;
  }
  return at.origin;
}

export type Leaf<S> = { readonly path: FieldPath; readonly value: unknown; readonly origin: ValueOrigin<S> };

/** Every value without parts, in file order. */
export function leaves<S>(value: TracedValue<S>, path: FieldPath = []): Leaf<S>[] {
  if (value.type === 'one') return [{ path, value: value.value, origin: value.origin }];
  if (value.type === 'list') return value.items.flatMap((item, n) => leaves(item, [...path, n]));
  return [...value.entries].flatMap(([key, below]) => leaves(below, [...path, key]));
}
