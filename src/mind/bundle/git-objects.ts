/**
 * Git's own objects as evidence. A commit names its tree and parents by hash, and trees name their entries by hash. So
 * both commits and the trees between them prove, without git, exactly which files changed. All texts are byte strings.
 */
import { gitObjectId } from '../../kernel/hash.ts';

/** By id, in git's loose form: `commit 213\0tree …`. */
export type GitObjects = ReadonlyMap<string, string>;

export const looseObject = (type: string, body: string): string => `${type} ${body.length}\0${body}`;

type CommitHead = {
  readonly tree: string;
  readonly parents: readonly string[];
  /** `Name <mail> time zone`. */
  readonly author: string;
};

/** Parses the header of a commit, without the loose form's prefix. */
export function commitHead(text: string): CommitHead {
  const end = text.indexOf('\n\n');
  const lines = (end < 0 ? text : text.slice(0, end)).split('\n');
  const of = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  return { tree: of('tree')[0] ?? '', parents: of('parent'), author: of('author')[0] ?? '' };
}

/** Returns null if it is not among the objects. */
export function commitIn(objects: GitObjects, id: string): CommitHead | null {
  const body = bodyOf(objects, 'commit', id);
  return body === null ? null : commitHead(body);
}

/** The first object whose id does not match its content; null if all match. */
export function wrongObject(objects: GitObjects): string | null {
  for (const [id, object] of objects) if (gitObjectId(object, id.length === 64) !== id) return id;
  return null;
}

function bodyOf(objects: GitObjects, type: string, id: string): string | null {
  const object = objects.get(id);
  return object?.startsWith(`${type} `) === true ? object.slice(object.indexOf('\0') + 1) : null;
}

type BundledDiff = {
  /** The output of `git diff-tree -r -z --raw --no-renames --full-index`. Incomplete while trees are missing. */
  readonly raw: string;
  /** Trees that are needed and missing. */
  readonly missing: readonly string[];
  /** Trees that were read. */
  readonly seen: readonly string[];
};

type BundledEntry = { readonly mode: string; readonly id: string };

const TREE = '040000';
/** A hostile bundle may contain a tree that holds itself many times over. */
const MAX_ENTRIES = 1_000_000;

/** The difference between two trees. */
export function treeDiff(objects: GitObjects, before: string, after: string): BundledDiff {
  const missing = new Set<string>();
  const seen = new Set<string>();
  const lines: string[] = [];
  const none = '0'.repeat(after.length);
  let read = 0;
  const entriesOf = (id: string | null): Map<string, BundledEntry> => {
    if (id === null) return new Map();
    const body = bodyOf(objects, 'tree', id);
    if (body === null) missing.add(id);
    else seen.add(id);
    const entries = treeEntriesIn(body ?? '', id.length);
    read += entries.size;
    if (read > MAX_ENTRIES) throw new Error(`its trees have more than ${MAX_ENTRIES} entries`);
    return entries;
  };
  const compare = (one: string | null, other: string | null, dir: string): void => {
    const [old, now] = [entriesOf(one), entriesOf(other)];
    // A directory sorts as if its name ended with a slash, so a file and a directory of one name are two entries.
    for (const key of [...new Set([...old.keys(), ...now.keys()])].sort((a, b) => (a < b ? -1 : 1))) {
      const [was, is] = [old.get(key), now.get(key)];
      if (was?.id === is?.id && was?.mode === is?.mode) continue;
      if (key.endsWith('/')) compare(was?.id ?? null, is?.id ?? null, `${dir}${key}`);
      else {
        const modes = `:${was?.mode ?? '000000'} ${is?.mode ?? '000000'}`;
        lines.push(`${modes} ${was?.id ?? none} ${is?.id ?? none} ${letterOf(was, is)}\0${dir}${key}\0`);
      }
    }
  };
  if (before !== after) compare(before, after, '');
  return { raw: lines.join(''), missing: [...missing], seen: [...seen] };
}

/** Added, deleted, type changed, modified. */
function letterOf(was: BundledEntry | undefined, is: BundledEntry | undefined): string {
  if (was === undefined) return 'A';
  if (is === undefined) return 'D';
  return was.mode.slice(0, 3) === is.mode.slice(0, 3) ? 'M' : 'T';
}

/** `100644 name\0` and the bytes of the id, repeated; names of directories get a slash. */
function treeEntriesIn(body: string, idLength: number): Map<string, BundledEntry> {
  const entries = new Map<string, BundledEntry>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(' ', at);
    const end = body.indexOf('\0', space);
    if (space < 0 || end < 0) throw new Error('a tree of the bundle is none that git writes');
    const mode = body.slice(at, space).padStart(6, '0');
    const bytes = body.slice(end + 1, end + 1 + idLength / 2);
    const id = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
    entries.set(`${body.slice(space + 1, end)}${mode === TREE ? '/' : ''}`, { mode, id });
    at = end + 1 + idLength / 2;
  }
  return entries;
}
