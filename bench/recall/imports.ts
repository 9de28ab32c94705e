/** Which file imports which in a tree. What a file asks for is kept by its blob; where that leads depends on the tree. */
import { importsIn } from '../../src/mind/code/imports.ts';
import { makeResolver, RESOLVER_FILES } from '../../src/mind/code/resolve.ts';
import type { ImportGraph } from '../../src/mind/ranking/input.ts';

type Known = ReadonlyMap<string, { readonly entry: { readonly id: string }; readonly bytes: Uint8Array }>;

const asked = new Map<string, readonly string[]>();
const decoder = new TextDecoder();

export function importGraph(known: Known): ImportGraph {
  const configs = new Map<string, string>();
  for (const [path, { bytes }] of known) if (RESOLVER_FILES(path)) configs.set(path, decoder.decode(bytes));
  const resolve = makeResolver(new Set(known.keys()), configs);
  const of = new Map<string, readonly string[]>();
  const by = new Map<string, string[]>();
  for (const [path, { entry, bytes }] of known) {
    const key = `${entry.id} ${path.slice(path.lastIndexOf('.') + 1)}`;
    let specifiers = asked.get(key);
    if (specifiers === undefined) {
      specifiers = importsIn(path, decoder.decode(bytes));
      asked.set(key, specifiers);
    }
    const found = [...new Set(specifiers.flatMap((specifier) => resolve(path, specifier)))].filter((to) => to !== path);
    of.set(path, found);
    for (const to of found) {
      const users = by.get(to);
      if (users === undefined) by.set(to, [path]);
      else users.push(path);
    }
  }
  return { of: (path) => of.get(path) ?? [], by: (path) => by.get(path) ?? [] };
}
