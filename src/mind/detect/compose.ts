/**
 * Services of compose files: their names and images, read line by line (such files use more YAML features than our
 * parser).
 */

import { baseName } from './paths.ts';
import { isCompose } from './read-files.ts';
import type { RepositoryFacts } from './repository-facts.ts';

export type ComposeService = { readonly name: string; readonly image: string; readonly path: string };

const MOST = 50;

export function composeServices({ texts }: Pick<RepositoryFacts, 'texts'>): ComposeService[] {
  return [...texts]
    .filter(([path]) => isCompose(baseName(path)))
    .sort(([a], [b]) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .flatMap(([path, text]) => servicesIn(text).map((service) => ({ ...service, path })))
    .slice(0, MOST);
}

/** The first level below `services:` has the names; an `image` one level below is a service's image. */
function servicesIn(text: string): { name: string; image: string }[] {
  const found: { name: string; image: string }[] = [];
  let inside = false;
  let level: number | null = null;
  let name: string | null = null;
  for (const line of text.split('\n')) {
    const [, indent, key, value = ''] =
      /^( *)["']?([\w.-]{1,100})["']? *:(?: +(.*))?$/.exec(line.slice(0, 500).trimEnd()) ?? [];
    if (indent === undefined || key === undefined) continue;
    const depth = indent.length;
    if (depth === 0) {
      inside = key === 'services';
      level = null;
      name = null;
      continue;
    }
    if (!inside) continue;
    level ??= depth;
    if (depth === level) name = key;
    else if (depth > level && key === 'image' && name !== null) {
      const image = /^["']?([^"'\s#]+)/.exec(value)?.[1];
      if (image !== undefined) found.push({ name, image });
    }
  }
  return found;
}
