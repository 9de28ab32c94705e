/**
 * Tool chains on the operator's PATH outside the system directories, as read-only mounts at their own paths: so `node`,
 * `python3` or `cargo` of a version manager work in a sandbox as they do for the operator. Never mounted: a whole home
 * directory or project, anything with credentials beside it, anything that others can write to.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { managerOf } from './version-managers.ts';

type ToolMount = { readonly from: string; readonly to: string };

export type ToolChains = {
  readonly readable: readonly ToolMount[];
  /** The whole PATH for a sandbox, in the operator's order. */
  readonly path: readonly string[];
  /** Variables that version managers need to find themselves: their usual place is the home directory. */
  readonly env: Readonly<Record<string, string>>;
  /** What decides which version runs, beside the programs. */
  readonly identity: readonly string[];
  /** Parts of PATH that are not mounted, and why; for the operator. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
};

type ToolSearch = {
  /** The operator's PATH. */
  readonly path: string;
  readonly home: string;
  /** Nothing at, below or above these: the state directory, the repository under work. */
  readonly never: readonly string[];
};

/** The same with all names of these places. */
type Search = ToolSearch & { readonly homes: readonly string[] };

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const ALWAYS = ['/usr/local/bin', '/usr/bin', '/bin'];
/** Paths that mean something else inside. */
const TAKEN = ['/proc', '/dev', '/sys', '/etc', '/workspace', '/env', '/tmp/home', '/tmp/caches'];
/** Directories in which people and programs store secrets; a tool below one of them is left out. */
const SECRET =
  /^\.(?:ssh|aws|azure|gnupg|docker|kube|config|netrc|npmrc|password-store|mozilla|claude|codex|gemini|cursor|copilot|supervisor)$/;
/** Names in an installation that may hold a token (npm keeps its global settings in `etc/npmrc` beside `bin`). */
const NOT_SHOWN = /^(?:etc|var|\..*|credentials.*|auth\.json|secrets?(?:\..*)?)$/;
/** Signs of an installation, as opposed to a directory that happens to have a `bin`. */
const INSTALLED = ['lib', 'lib64', 'libexec', 'share', 'include', 'jre', 'jmods'];

export function findToolChains(asked: ToolSearch): ToolChains {
  const search: Search = {
    ...asked,
    homes: [...new Set([asked.home, realOf(asked.home)])],
    never: [...new Set([...asked.never, ...asked.never.map(realOf)])],
  };
  const path: string[] = [];
  const wanted: ToolMount[] = [];
  const env: Record<string, string> = {};
  const identity: string[] = [];
  const leftOut: { path: string; why: string }[] = [];
  for (const entry of new Set(search.path.split(':'))) {
    if (entry === '') continue;
    const dir = resolve('/', entry);
    if (isAbsolute(entry) && SYSTEM.some((place) => inside(place, dir))) path.push(dir);
    else if (isAbsolute(entry) && !existsSync(dir)) continue;
    else {
      const why = objection(entry, search);
      if (why !== null) {
        leftOut.push({ path: entry, why });
        continue;
      }
      const manager = managerOf(dir, search.home);
      wanted.push(...(manager === null ? installation(dir, search) : manager.parts.flatMap((part) => bothNames(part))));
      Object.assign(env, manager?.env);
      identity.push(...(manager?.version ?? []).flatMap((file) => textOf(file)));
      path.push(dir);
    }
  }
  const readable = withoutInner(wanted.filter(({ from, to }) => allowed(from, search) && allowed(to, search)));
  return { readable, path: [...new Set([...path, ...ALWAYS])], env, identity: [...new Set(identity)], leftOut };
}

/** The first executable file of that name on a PATH; an absolute name is used unchanged. */
export function findProgram(name: string, path: string): string | null {
  const places = name.includes('/') ? [name] : path.split(':').map((dir) => join(dir, name));
  return places.find((place) => isAbsolute(place) && isExecutable(place)) ?? null;
}

/**
 * How to start one program beside the tool chains, and what to mount for it: nothing, or only that file. A packaged
 * program is called by its real name, with the packages around it: it searches for them from there.
 */
export function programMount(
  program: string,
  readable: readonly ToolMount[],
): { readonly program: string; readonly readable: readonly ToolMount[] } {
  const there = [...SYSTEM.map((place) => ({ from: place, to: place })), ...readable];
  const real = realpathSync(program);
  const shown = (path: string) => there.some(({ to }) => inside(to, path));
  if (shown(program) && shown(real)) return { program, readable: [] };
  const packages = /^(.+?\/node_modules)\//.exec(real)?.[1];
  if (packages !== undefined) return { program: real, readable: [{ from: packages, to: packages }] };
  return { program, readable: [shown(program) ? { from: real, to: real } : { from: real, to: program }] };
}

/** Why a part of PATH is not mounted; null if it may be. */
function objection(entry: string, search: Search): string | null {
  if (!isAbsolute(entry)) return 'is not an absolute path';
  const real = realpathSync(entry);
  if (!statSync(real).isDirectory()) return 'is not a directory';
  if (/\/node_modules\/\.bin$/.test(real)) return 'belongs to a project, not to the machine';
  for (const path of new Set([resolve('/', entry), real])) {
    if (isHome(path) || search.homes.some((home) => inside(path, home))) return 'is a whole home directory';
    if (search.never.some((one) => related(one, path))) return 'belongs to the repository or to Supervisor itself';
    if (secret(path)) return 'lies where credentials are kept';
    if (TAKEN.some((place) => inside(place, path) || inside(path, place))) return 'means something else in a sandbox';
  }
  if (openToOthers(real)) return 'can be written to by every user';
  return null;
}

/** A `bin` with its files, and the targets of links that lead out of it to other tools. */
function installation(dir: string, search: Search): ToolMount[] {
  const real = realpathSync(dir);
  const prefix = dirname(real);
  const whole =
    basename(real) === 'bin' &&
    !isHome(prefix) &&
    !search.homes.some((home) => inside(prefix, home) || prefix === join(home, '.local')) &&
    !existsSync(join(prefix, '.git')) &&
    INSTALLED.some((name) => existsSync(join(prefix, name)));
  const parts = whole ? partsOf(prefix) : [real];
  const literal = whole && basename(dir) === 'bin' ? dirname(dir) : dir;
  const at = (part: string) => (whole ? join(literal, part.slice(prefix.length)) : literal);
  return [
    ...parts.flatMap((part) => [
      { from: part, to: part },
      ...(at(part) === part ? [] : [{ from: part, to: at(part) }]),
    ]),
    ...linkTargets(real, realOf(search.home)).flatMap((target) => bothNames(target)),
  ];
}

/** The whole directory, unless something in it must not be mounted: then the rest, piece by piece. */
function partsOf(prefix: string): string[] {
  const names = readdirSync(prefix);
  const shown = names.filter((name) => !NOT_SHOWN.test(name));
  return shown.length === names.length ? [prefix] : shown.map((name) => join(prefix, name));
}

/** Packages of known installers that links of a `bin` point into, and the interpreters of those. */
function linkTargets(dir: string, home: string): string[] {
  const packages = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .flatMap(({ name }) => packageOf(join(dir, name), home));
  const interpreters = packages.flatMap((path) => packageOf(join(path, 'bin/python3'), home));
  return [...new Set([...packages, ...interpreters])];
}

/** One version of one package; never a directory that also holds an application's data. */
const PACKAGES = [
  /^\.local\/share\/(?:pipx\/venvs|uv\/tools|uv\/python|mise\/installs\/[^/]+|[^/]+\/versions)\/[^/]+/,
  /^\.local\/(?:pipx\/venvs|lib\/node_modules)\/(?:@[^/]+\/)?[^/]+/,
  /^\.(?:pyenv|rbenv|nodenv)\/versions\/[^/]+/,
  /^\.nvm\/versions\/node\/[^/]+/,
];

function packageOf(link: string, home: string): string[] {
  try {
    const real = realpathSync(link);
    const found = inside(home, real) ? real.slice(home.length + 1) : null;
    const part = found === null ? undefined : PACKAGES.map((one) => one.exec(found)?.[0]).find(Boolean);
    if (part !== undefined) return [join(home, part)];
    return [/^\/opt\/[^/]+(?=\/)/.exec(real)?.[0] ?? []].flat();
  } catch {
    // The link points to nothing.
    return [];
  }
}

function allowed(path: string, { homes, never }: Search): boolean {
  return (
    !isHome(path) &&
    !homes.some((home) => inside(path, home)) &&
    !never.some((one) => related(one, path)) &&
    !secret(path) &&
    !TAKEN.some((one) => related(one, path))
  );
}

const bothNames = (path: string): ToolMount[] => {
  const real = realpathSync(path);
  return [{ from: real, to: path }, ...(real === path ? [] : [{ from: real, to: real }])];
};

/** One mount per place, and none that lies inside another one anyway. */
function withoutInner(mounts: readonly ToolMount[]): ToolMount[] {
  const first = mounts.filter(({ to }, index) => mounts.findIndex((one) => one.to === to) === index);
  return first.filter(
    (inner) =>
      !first.some(
        (outer) =>
          outer !== inner && inside(outer.to, inner.to) && inner.from === outer.from + inner.to.slice(outer.to.length),
      ),
  );
}

/** Somebody else could put a program there. In a sticky directory only the owner of an entry can replace it. */
function openToOthers(path: string): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    const { mode } = statSync(dir);
    if ((mode & 0o002) !== 0 && ((mode & 0o1000) === 0 || dir === path)) return true;
    if (dir === '/') return false;
  }
}

const realOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
/** Any person's home: after sudo or su, PATH may still name another person's directories. */
export const isHome = (path: string): boolean => /^\/(?:home|Users)(?:\/[^/]+)?$|^\/root$/.test(path);

const secret = (path: string): boolean => path.split('/').some((name) => SECRET.test(name));
const inside = (outer: string, path: string): boolean =>
  path === outer || path.startsWith(outer === '/' ? '/' : `${outer}/`);
const related = (one: string, path: string): boolean => inside(one, path) || inside(path, one);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function textOf(file: string): string[] {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? [`${file}: ${readFileSync(file, 'utf8').trim()}`] : [];
}
