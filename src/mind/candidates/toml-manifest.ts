/** What changed in a Cargo.toml or pyproject.toml: packages and descriptions are a task's business, as in a package.json. */

const NAME = /(?:^|\/)(?:cargo|pyproject)\.toml$/;
/** Takes a folded path. */
export const isTomlManifest = (path: string): boolean => NAME.test(path);

const PACKAGES =
  /^(?:(?:workspace|target\..{1,200})\.)?(?:dev-|build-)?dependencies(?:\..+)?$|^project\.optional-dependencies$|^dependency-groups$|^tool\.poetry(?:\.group\.[\w-]+)?\.(?:dev-)?dependencies$/;
/** Tables that describe the project itself, and what of them says nothing about how it is checked. */
const OWN = /^(?:project|package|workspace\.package|tool\.poetry)$/;
const FREE =
  /^\s*(?:version|description|keywords|categories|classifiers|authors|maintainers|readme|homepage|repository|documentation|dependencies)\s*=/;

/** Whether nothing but packages and descriptions differs. */
export function onlyPackagesDiffer(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return false;
  const [old, now] = [guardedToml(before), guardedToml(after)];
  return old !== null && old === now;
}

/** The lines besides packages and descriptions; null: a string over several lines, whose lines may look like anything. */
export function guardedToml(text: string): string | null {
  if (/"""|'''/.test(text)) return null;
  const kept: string[] = [];
  let [table, depth, isFree] = ['', 0, false];
  for (const line of text.replaceAll('\r', '').split('\n')) {
    const header = depth === 0 ? /^\s*\[{1,2}([^\]]{1,300})\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1] : undefined;
    if (header !== undefined) table = header.replace(/["'\s]/g, '');
    else if (depth === 0) isFree = PACKAGES.test(table) || (OWN.test(table) && FREE.test(line));
    const isHeaderOfOthers = header !== undefined && !PACKAGES.test(table);
    if (isHeaderOfOthers || (header === undefined && !isFree && /^\s*[^\s#]/.test(line))) kept.push(line.trimEnd());
    if (header === undefined) depth = Math.max(0, depth + openIn(line));
  }
  return kept.join('\n');
}

/** Brackets opened less those closed, outside of strings and comments. */
function openIn(line: string): number {
  let open = 0;
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*$|[[\]{}]/g)) {
    if (token === '[' || token === '{') open += 1;
    else if (token === ']' || token === '}') open -= 1;
  }
  return open;
}
