/** Role files in memory, for tests: what is written, and what comes of it. */
import { LAYERS, type Layer } from '../../../src/mind/fields/layers.ts';
import { parseFile, problemText } from '../../../src/mind/fields/parse-file.ts';
import { type KnownToRoles, knownClis } from '../../../src/mind/roles/known.ts';
import { type Resolved, type RoleSource, resolveRole } from '../../../src/mind/roles/resolve.ts';
import type { Role } from '../../../src/mind/roles/role.ts';
import { roleFile } from '../../../src/mind/roles/schema.ts';

export const KNOWN: KnownToRoles = { clis: knownClis({}), strategies: null, templates: null };

/** Texts by name, those of the project by default; `user:NAME` and `built-in:NAME` lie in another layer. */
export type Texts = Readonly<Record<string, string>>;

export const ROOT = 'description: a root\nsystem_prompt: You work.\n';

export function resolveIn(texts: Texts, name: string, known = KNOWN): Resolved | string {
  const sources = Object.entries(texts).map(([key, text]): RoleSource => {
    const [layer, own] = key.includes(':') ? (key.split(':') as [Layer, string]) : (['project', key] as const);
    return { name: own, layer, pack: null, file: `${own}.yaml`, text };
  });
  const find = (wanted: string, below: Layer | null): RoleSource | null => {
    const layers = LAYERS.slice(below === null ? 0 : LAYERS.indexOf(below) + 1);
    return layers.flatMap((layer) => sources.filter((one) => one.layer === layer && one.name === wanted))[0] ?? null;
  };
  const source = find(name, null);
  if (source === null) throw new Error(`the test has no role ${name}`);
  const resolved = resolveRole(source, { find, names: () => sources.map((one) => one.name) }, known);
  return resolved.type === 'problem' ? problemText(resolved) : resolved;
}

export function roleIn(texts: Texts, name: string, known = KNOWN): Role {
  const resolved = resolveIn(texts, name, known);
  if (typeof resolved === 'string') throw new Error(resolved);
  return resolved.role;
}

/** The problem in words, or `no problem`. */
export function problemIn(texts: Texts, name = 'a', known = KNOWN): string {
  const resolved = resolveIn(texts, name, known);
  return typeof resolved === 'string' ? resolved : 'no problem';
}

/** One file by itself, before any merge. */
export function shapeProblem(text: string): string {
  const parsed = parseFile(roleFile, text, 'a.yaml');
  return parsed.type === 'problem' ? problemText(parsed) : 'no problem';
}
