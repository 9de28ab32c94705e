/** Which files were changed together, read from the history of a commit. */
import type { PastChange } from '../../engine/ports/project-tree.ts';
import { textOf } from '../../mind/candidates/names.ts';
import { SubjectWords } from '../../mind/ranking/subject-words.ts';
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { firstLine } from './tree-git.ts';

/** A change of more files than this says nothing about which of them belong together. */
const MAX_PATHS = 100;

/** Of memory. */
export const bytesOf = (changes: readonly PastChange[]): number =>
  changes.reduce(
    (bytes, { paths, words }) => paths.reduce((sum, path) => sum + path.length + 24, bytes + 300 + words.length * 4),
    0,
  );

/** What git said of a part of the history, the newest first. */
export type Past = {
  readonly changes: readonly PastChange[];
  /** Of each change, how many commits came before it: those that say nothing are left out, and count. */
  readonly places: readonly number[];
  /** All of them. */
  readonly commits: number;
  /** Of the commit that was asked about; null: a merge, which is none of them, or it is kept elsewhere. */
  readonly tree: string | null;
};

export async function pastChanges(commit: string, limit: number, call: GitCall): Promise<Past> {
  if (limit < 1) return { changes: [], places: [], commits: 0, tree: null };
  const { past, code, stderr } = await logged(commit, [`--max-count=${Math.floor(limit)}`], call);
  // What came until something went wrong is still right: objects may be missing where a clone is not a whole one.
  if (code !== 0 && past.changes.length === 0) throw new GitError(`git log failed: ${firstLine(stderr)}`);
  return past;
}

/** With more new commits than this, all is asked for again. */
const MAX_SINCE = 500;

/** Only what came since another commit. Null: it does not follow that one in a line, and nothing can be said so simply. */
export async function pastSince(from: string, commit: string, call: GitCall): Promise<Past | null> {
  const since = [`--max-count=${MAX_SINCE}`, `^${from}`];
  const { past, code, line } = await logged(commit, since, { ...call, small: true });
  return code === 0 && line.first === commit && line.isWhole && line.next === from ? past : null;
}

async function logged(commit: string, which: readonly string[], call: GitCall) {
  const reader = new LogReader();
  const { code, stderr } = await streamGit(['log', ...LOG, ...which, commit, '--'], call, (piece) => {
    reader.add(piece.toString('latin1'));
    return true;
  });
  const { line } = reader;
  return { past: { ...reader.end(), tree: line.first === commit ? line.tree : null }, line, code, stderr };
}

/** No path begins with `//`, so a line that does is the head of a commit. */
const LOG = [
  ...[
    '--format=//%H %T %ct %P%n%s',
    '--encoding=UTF-8',
    '--name-only',
    '-z',
    '--no-merges',
    '--no-renames',
    '--no-show-signature',
    '--no-notes',
  ],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--no-mailmap', '--ignore-submodules=all', '--root'],
];

/** Git prints no time where it can not read it. */
const HEAD = /^\n?\/\/([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (-?\d*) ?([0-9a-f ]*)\n(.*)$/s;
/** Of a field: no path is so long, and of a subject nobody needs more. */
const LONGEST = 1 << 16;

/** A part of a text that does not keep all of it in memory. */
const copied = (part: string): string => Buffer.from(part, 'latin1').toString('latin1');
/** Of a field: with more, there are long subjects in what git said, which nobody needs. */
const WORDY = 500;

class LogReader {
  /** The first commit, and whether each is the parent of the one before it. */
  readonly line = { first: '', tree: '', next: '', isWhole: true };
  readonly #changes: PastChange[] = [];
  readonly #places: number[] = [];
  #commits = 0;
  readonly #texts = new Map<string, string | null>();
  #rest = '';
  readonly #words = new SubjectWords();
  #isWordy = false;
  #head: { readonly commit: string; readonly time: number; readonly words: Int32Array } | null = null;
  #paths: string[] = [];
  #count = 0;
  #isFirst = false;

  add(text: string): void {
    const all = this.#rest + text;
    const fields = all.split('\0');
    this.#isWordy = all.length > fields.length * WORDY;
    this.#rest = (fields.pop() ?? '').slice(0, LONGEST + 1);
    for (const field of fields) this.#field(field);
  }

  end(): Omit<Past, 'tree'> {
    this.#close();
    return { changes: this.#changes, places: this.#places, commits: this.#commits };
  }

  #field(field: string): void {
    if (field.startsWith('//') || field.startsWith('\n//')) {
      this.#close();
      const head = HEAD.exec(field);
      // Never a path: what it says is not to be kept.
      if (head === null) return;
      const [, commit = '', tree = '', time, parents = '', subject = ''] = head;
      this.#head = { commit: this.#taken(commit), time: Number(time) * 1000 || 0, words: this.#words.of(subject) };
      this.#follow(commit, tree, parents);
      this.#isFirst = true;
      return;
    }
    // Between the head and the first path stands a line break, which is not of the path.
    const name = this.#isFirst && field.startsWith('\n') ? field.slice(1) : field;
    this.#isFirst = false;
    if (name === '' || name.length > LONGEST) return;
    this.#count += 1;
    const path = this.#count > MAX_PATHS ? null : this.#text(name);
    if (path !== null) this.#paths.push(path);
  }

  #taken(part: string): string {
    return this.#isWordy ? copied(part) : part;
  }

  #follow(commit: string, tree: string, parents: string): void {
    if (this.#commits === 0) [this.line.first, this.line.tree] = [commit, tree];
    else if (this.line.next !== commit) this.line.isWhole = false;
    this.line.next = parents;
    this.#commits += 1;
  }

  /** Most paths come again and again: each is decoded and kept once. */
  #text(name: string): string | null {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const key = this.#taken(name);
    const text = textOf(key);
    this.#texts.set(key, text);
    return text;
  }

  #close(): void {
    if (this.#head !== null && this.#paths.length > 0 && this.#count <= MAX_PATHS) {
      this.#changes.push({ ...this.#head, paths: this.#paths });
      this.#places.push(this.#commits - 1);
    }
    [this.#head, this.#paths, this.#count] = [null, [], 0];
  }
}
