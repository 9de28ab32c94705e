/** A repository for detection, from its files alone; the packs are those that come with Supervisor. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Suggestion } from '../../src/mind/detect/detect.ts';
import type { RepositoryFacts } from '../../src/mind/detect/repository-facts.ts';

const ROLES = fileURLToPath(new URL('../../templates/roles', import.meta.url));

export const PACKS: ReadonlyMap<string, readonly string[]> = new Map(
  readdirSync(ROLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, readdirSync(`${ROLES}/${name}`).map((file) => basename(file, '.yaml'))]),
);

/** A name that ends in a slash is an empty folder. */
export function foundIn(files: Readonly<Record<string, string>>, executables: readonly string[] = []): RepositoryFacts {
  const paths = [...Object.keys(files), ...executables];
  return {
    names: new Set(paths.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : path))),
    executables: new Set(executables),
    texts: new Map(Object.entries(files).filter(([path]) => !path.endsWith('/'))),
    paths: paths.filter((path) => !path.endsWith('/')),
  };
}

/** What was found in the repository itself, without the gates that come with Supervisor. */
export function withoutBuiltIn(suggestion: Suggestion): Suggestion {
  const own = ({ command }: { readonly command: string | null }) => command !== null;
  return { ...suggestion, gates: suggestion.gates.filter(own), ideas: suggestion.ideas.filter(own) };
}
