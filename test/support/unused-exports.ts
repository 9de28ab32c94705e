/** Which exports no other file imports. Reads text, as `scan-source.ts` does: declarations and imports as biome formats them. */
import { dirname, join } from 'node:path/posix';
import type { Source } from './import-graph.ts';
import { withoutComments } from './scan-source.ts';

/** `path: name` for each export of `owners` that no other file of `owners` or `others` names. Paths have one root. */
export function unusedExports(owners: readonly Source[], others: readonly Source[]): string[] {
  const used = new Set([...owners, ...others].flatMap(usedBy));
  return owners.flatMap(({ path, text }) =>
    used.has(`${path}: *`)
      ? []
      : exportsOf(text).flatMap((name) => (used.has(`${path}: ${name}`) ? [] : [`${path}: ${name}`])),
  );
}

function exportsOf(text: string): string[] {
  const code = withoutComments(text);
  const declared = code.matchAll(
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|const|let|type|interface)\s+(\w+)/gm,
  );
  const unpacked = code.matchAll(/^export\s+const\s*[{[]([^}\]]*)[}\]]\s*=/gm);
  const listed = code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm);
  return [
    ...[...declared].map(([, name]) => name ?? ''),
    ...[...unpacked].flatMap(([, names]) => namesIn(names, /\s*:\s*/)),
    ...[...listed].flatMap(([, names]) => namesIn(names, /\s+as\s+/)),
  ];
}

/** Every `path: name` that a file takes from another one; `*` for all that is there. */
function usedBy({ path, text }: Source): string[] {
  const code = withoutComments(text);
  const at = (from: string | undefined) => join(dirname(path), from ?? '');
  const found: string[] = [];
  const take = (from: string | undefined, names: readonly string[]) => {
    if (from?.startsWith('.')) found.push(...names.map((name) => `${at(from)}: ${name}`));
  };
  for (const [, names, from] of code.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g,
  ))
    take(from, originalsIn(names, /\s+as\s+/));
  for (const [, alias, from] of code.matchAll(/\bimport\s+(?:type\s+)?\*\s*as\s+(\w+)\s+from\s*['"]([^'"]+)['"]/g))
    take(
      from,
      [...code.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))].map(([, name]) => name ?? ''),
    );
  for (const [, from] of code.matchAll(/\bexport\s*\*\s*(?:as\s+\w+\s+)?from\s*['"]([^'"]+)['"]/g)) take(from, ['*']);
  for (const [, unpacked, from, member] of code.matchAll(
    /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)(?:\s*\)?\s*\.(?!then\b)(\w+))?/g,
  ))
    take(from, unpacked !== undefined ? originalsIn(unpacked, /\s*:\s*/) : [member ?? '*']);
  return found;
}

/** The names in `a, type b as c`: those inside the other file, or inside this one. */
const originalsIn = (list: string | undefined, separator: RegExp) =>
  partsOf(list, separator).map(([first]) => first ?? '');
const namesIn = (list: string | undefined, separator: RegExp) =>
  partsOf(list, separator).map((parts) => parts.at(-1) ?? '');

const partsOf = (list = '', separator: RegExp): string[][] =>
  list
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => item.split(separator));
