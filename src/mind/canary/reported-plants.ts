/** Finds planted tests in a runner's list of failed ones; each runner names tests in its own way. */
import type { Plant } from './planted.ts';

/**
 * Whether a list of failed tests names a plant. Ids are those of `ids.ts`: `file > suite > name`, `path::Class::name`,
 * `package > TestName`, `modules::name`, `modules.Class.name`. Paths may start at the gate's own folder.
 */
export function isReported({ path, test }: Plant, failedIds: readonly string[]): boolean {
  if (path.endsWith('.py'))
    return failedIds.some((id) => (id.includes('::') ? isOfPytest : isOfUnittest)(id, path, test));
  if (path.endsWith('.go')) return isOfGo(failedIds, path, test);
  if (path.endsWith('.rs')) return failedIds.some((id) => rustNames(path, test).has(id));
  return failedIds.some((id) => isOfScript(id, path, test));
}

function isOfScript(id: string, path: string, test: string): boolean {
  const first = id.indexOf(' > ');
  if (first < 0) return false;
  // Vitest puts a project's name first.
  const file = id.slice(0, first).replace(/^(?:\|[^|]*\| | ?\S+ {2})/, '');
  const names = [test, test.replaceAll('\\', '\\\\').replaceAll('#', '\\#')];
  const rest = id.slice(first);
  return isSameFile(file, path) && names.some((name) => rest.endsWith(` > ${name}`) || rest.endsWith(` › ${name}`));
}

function isOfPytest(id: string, path: string, test: string): boolean {
  const at = id.indexOf('::');
  const name = id.slice(at + 2).replace(/\[.*$/s, '');
  return isSameFile(id.slice(0, at), path) && name === test.replaceAll('.', '::');
}

function isOfUnittest(id: string, path: string, test: string): boolean {
  if (!id.endsWith(`.${test}`)) return false;
  const module = id.slice(0, -test.length - 1).replaceAll('.', '/');
  return module === '__main__' || isSameFile(module, path.replace(/(?:\/__init__)?\.py$/, ''));
}

/** In one package no two tests have the same name; its path ends like the folder, from the module's root on. */
function isOfGo(failedIds: readonly string[], path: string, test: string): boolean {
  const packages = failedIds.filter((id) => id.endsWith(` > ${test}`)).map((id) => id.slice(0, -test.length - 3));
  const folder = path.split('/').slice(0, -1);
  if (folder.length === 0 || packages.length === 1) return packages.length > 0;
  return packages.some((name) => name.split('/').at(-1) === folder.at(-1));
}

/** Names that Rust may give to a test of a file: without the folders above a target's root. */
function rustNames(path: string, test: string): ReadonlySet<string> {
  const modules = path.replace(/(?:\/(?:mod|lib|main))?\.rs$/, '').split('/');
  const source = modules.lastIndexOf('src');
  const inside = modules.slice(source + 1);
  const isBinary = source >= 0 && inside[0] === 'bin';
  const all = isBinary ? inside.slice(2) : inside;
  // In `src` the whole path counts; a file in `tests` is a target itself, or a module of one.
  const starts = source >= 0 ? [0] : all.map((_, index) => index).concat(all.length);
  return new Set(starts.map((from) => [...all.slice(from), test].join('::')));
}

/** Whether one path equals the other or is its end. */
const isSameFile = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
