/** Reads from the history of a commit which files were changed together. */
import type { PastCommit } from '../../engine/ports/project-tree.ts';
import { textOf } from '../../mind/candidates/names.ts';
import { SubjectWords } from '../../mind/ranking/subject-words.ts';
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { firstLine } from './tree-git.ts';

/** A larger change does not show which of its files belong together. */
const MAX_PATHS = 100;

/** Estimates the memory of a history. */
export const bytesOf = (changes: readonly PastCommit[]): number =>
  changes.reduce(
    (bytes, { paths, words }) => paths.reduce((sum, path) => sum + path.length + 24, bytes + 300 + words.length * 4),
    0,
  );

/** Newest first. */
export async function pastChanges(commit: string, limit: number, call: GitCall): Promise<readonly PastCommit[]> {
  if (limit < 1) return [];
  const reader = new LogReader();
  const which = [`--max-count=${Math.floor(limit)}`, commit, '--'];
  const { code, stderr } = await streamGit(['log', ...LOG, ...which], call, (piece) => {
    reader.add(piece.toString('latin1'));
    return true;
  });
  const changes = reader.end();
  // Output before an error is still right: a partial clone may lack objects.
  if (code !== 0 && changes.length === 0) throw new GitError(`git log failed: ${firstLine(stderr)}`);
  return changes;
}

/** No path starts with `//`, so such a line is the header of a commit. */
const LOG = [
  '--format=//%H %ct%n%s',
  '--encoding=UTF-8',
  '--name-only',
  '-z',
  '--no-merges',
  '--no-renames',
  '--no-show-signature',
  '--no-notes',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-mailmap',
  '--ignore-submodules=all',
  '--root',
];

/** Git prints no time if it cannot parse it. */
const HEAD = /^\n?\/\/([0-9a-f]{40,64}) (-?\d*)\n(.*)$/s;
/** The longest field. No path is longer, and the rest of a subject is not needed. */
const LONGEST = 1 << 16;

/** Copies a part of a text, so that the whole need not stay in memory. */
const copied = (part: string): string => Buffer.from(part, 'latin1').toString('latin1');
/** A longer field means that git printed long subjects, which can be dropped. */
const WORDY = 500;

class LogReader {
  readonly #changes: PastCommit[] = [];
  readonly #texts = new Map<string, string | null>();
  #rest = '';
  readonly #words = new SubjectWords();
  #isWordy = false;
  #head: { readonly commit: string; readonly time: number; readonly words: readonly number[] } | null = null;
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

  end(): readonly PastCommit[] {
    this.#close();
    return this.#changes;
  }

  #field(field: string): void {
    if (field.startsWith('//') || field.startsWith('\n//')) {
      this.#close();
      const head = HEAD.exec(field);
      // Not a path, so it is not stored.
      if (head === null) return;
      const [, commit = '', time, subject = ''] = head;
      this.#head = { commit: this.#taken(commit), time: Number(time) * 1000 || 0, words: this.#words.of(subject) };
      this.#isFirst = true;
      return;
    }
    // Between the header and the first path is a line break that is no part of the path.
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

  /** Most paths occur many times, so each is decoded and stored once. */
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
    }
    [this.#head, this.#paths, this.#count] = [null, [], 0];
  }
}
