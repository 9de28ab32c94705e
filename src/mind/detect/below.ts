/** Detects projects in folders of a repository, as if each were the top, and reports paths from the top. */

import { baseName, dirName, isAside, joinPath } from './paths.ts';
import {
  isPlainPath,
  type RepositoryFacts,
  type SuggestedEnvironment,
  type ToolChainFacts,
} from './repository-facts.ts';

export type Detector = (found: RepositoryFacts) => ToolChainFacts | null;
type PartBelow = ToolChainFacts & { readonly dir: string };

const DEEPEST = 2;
const MOST = 8;

/** What a tool chain finds in folders with one of its manifests; none inside another one. */
export function below(found: RepositoryFacts, manifests: RegExp, detector: Detector): PartBelow[] {
  const dirs = new Set<string>();
  const paths = [...found.paths].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  for (const path of paths) {
    const dir = dirName(path);
    const parts = dir.split('/');
    if (dir === '' || parts.length > DEEPEST || !manifests.test(baseName(path))) continue;
    if (!isPlainPath(dir) || isAside(dir) || parts.some((_, n) => dirs.has(parts.slice(0, n).join('/')))) continue;
    dirs.add(dir);
  }
  return [...dirs].slice(0, MOST).flatMap((dir) => {
    const part = detector(within(found, dir));
    return part === null ? [] : [fromTop(part, dir)];
  });
}

function within({ texts, paths, executables }: RepositoryFacts, dir: string): RepositoryFacts {
  const inside = (path: string) => path.startsWith(`${dir}/`);
  const cut = (path: string) => path.slice(dir.length + 1);
  const own = paths.filter(inside).map(cut);
  return {
    names: new Set(own.map((path) => (path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path))),
    executables: new Set([...executables].filter(inside).map(cut)),
    texts: new Map([...texts].filter(([path]) => inside(path)).map(([path, text]) => [cut(path), text])),
    paths: own,
  };
}

/** Several projects can share their caches; what others install cannot be shared. */
const SHARED = ['go', 'cargo'];

function fromTop({ tool, gate, make, checks, environment, notes }: ToolChainFacts, dir: string): PartBelow {
  const apart = (text: string) => (SHARED.includes(tool) ? text : text.replaceAll('/env/', `/env/at-${slug(dir)}/`));
  const inDir = (command: string) => `cd ${dir} && ${apart(command)}`;
  const said = (reason: string) => `in ${dir}/: ${reason}`;
  return {
    tool,
    dir,
    gate: gate === null ? null : { ...gate, command: inDir(gate.command), reason: said(gate.reason) },
    ...(make === undefined ? {} : { make }),
    checks: checks.map((check) => ({ ...check, command: inDir(check.command), reason: said(check.reason) })),
    environment: environment === null ? null : environmentFromTop(environment),
    notes: notes.map(said),
  };

  function environmentFromTop({ prepare, key, outputs, env, reason }: SuggestedEnvironment): SuggestedEnvironment {
    // A variable has one value for all projects, so one that is only needed for installing is set in that command.
    const own = SHARED.includes(tool) ? [] : Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return {
      prepare: `(${inDir(own.length === 0 ? prepare : `export ${own.join(' ')} && ${prepare}`)})`,
      key: key.map((path) => joinPath(dir, path)),
      outputs: outputs.map((path) => (path.startsWith('/') ? apart(path) : joinPath(dir, path))),
      env: own.length === 0 ? env : {},
      reason: said(reason),
    };
  }
}

/** A folder as a part of a gate's name. */
export const slug = (dir: string): string =>
  dir
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40) || 'x';
