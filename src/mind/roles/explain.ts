/** Where each value of a role was set. */
import type { Layer } from '../fields/layers.ts';
import type { FieldPath } from '../fields/yaml.ts';
import { type Leaf, leaves, traced, without } from './merge.ts';
import type { Resolved, RoleLink } from './resolve.ts';

export type Explained = {
  readonly path: string;
  readonly value: unknown;
  /** Where the value was set; null if it is the default. */
  readonly from: { readonly role: string; readonly layer: Layer; readonly file: string; readonly line: number } | null;
};

/** Every set value of a role with its place; then the defaults. */
export function explain({ role, merged }: Resolved): Explained[] {
  // The name is the file's.
  const said = leaves(without(merged, 'name')).map((leaf) => explained(leaf));
  const paths = new Set(
    said.flatMap(({ path }) => [path, ...path.split('.').map((_, n, all) => all.slice(0, n + 1).join('.'))]),
  );
  const defaults = leaves(traced({ ...role }, null)).map(({ path, value }) => ({ path: dotted(path), value }));
  return [
    ...said,
    ...defaults.filter(({ path }) => DEFAULTED.has(path) && !paths.has(path)).map((one) => ({ ...one, from: null })),
  ];
}

const DEFAULTED: ReadonlySet<string> = new Set([
  ...['kind', 'answer', 'template', 'tier', 'allowed_tools', 'continue'],
  ...['context.strategy', 'context.token_budget', 'context.git_diff'],
]);

const dotted = (path: FieldPath): string => path.join('.');

function explained({ path, value, origin }: Leaf<RoleLink>): Explained {
  const { source, parsed } = origin.source;
  const { line } = parsed.problem(origin.path, '');
  return { path: dotted(path), value, from: { role: source.name, layer: source.layer, file: source.file, line } };
}
