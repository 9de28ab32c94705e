/** Which files tell users what changed, for workflows that require an entry (`settings.require_changelog`). */

/** A file at any depth, or one note of a folder of notes. Code with such a name does not count. */
const FILE = /(?:^|\/)(?:change[-_]?log|changes|history|news|release[-_ ]?notes)(?:[-_.][^/]*)?$/i;
const FOLDER = /(?:^|\/)(?:\.?changes|\.changeset|changelog\.d|changelogs?|news|newsfragments|releasenotes)\/[^/]+$/i;
const TEXT = /(?:^|\/)[^/.]+$|\.(?:md|markdown|rst|txt|adoc|ya?ml|json|\d+|feature|bugfix|misc|doc|removal)$/i;
const CODE = /\.(?:ya?ml|json)$/i;

export const isChangelog = (path: string): boolean =>
  TEXT.test(path) && ((FILE.test(path) && !CODE.test(path)) || FOLDER.test(path));

type ChangedEntry = { readonly path: string; readonly after: string | null };

/** Returns null if the change has an entry, else what to do. `all`: all paths of the tree. */
export function missingEntry(changed: readonly ChangedEntry[], all: readonly string[]): string | null {
  if (changed.some(({ path, after }) => after !== null && isChangelog(path))) return null;
  const known = all
    .filter(isChangelog)
    .toSorted((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const where =
    known[0] === undefined ? 'write CHANGELOG.md with one (there is no changelog yet)' : `add one to ${known[0]}`;
  return `the change has no changelog entry, and the workflow requires one: ${where}`;
}
