/** Which files were changed together, read from the history of a commit. */
import type { PastChange } from '../../engine/ports/project-tree.ts';
import { textOf } from '../../mind/candidates/names.ts';
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { firstLine } from './tree-git.ts';

/** A change of more files than this says nothing about which of them belong together. */
const MAX_PATHS = 100;

/** Of memory. */
export const bytesOf = (changes: readonly PastChange[]): number =>
  changes.reduce((bytes, { paths }) => paths.reduce((sum, path) => sum + path.length + 24, bytes + 200), 0);

export async function pastChanges(commit: string, limit: number, call: GitCall): Promise<PastChange[]> {
  if (limit < 1) return [];
  const reader = new LogReader();
  const { code, stderr } = await streamGit(
    ['log', ...LOG, `--max-count=${Math.floor(limit)}`, commit, '--'],
    call,
    (piece) => {
      reader.add(piece.toString('latin1'));
      return true;
    },
  );
  const changes = reader.end();
  // What came until something went wrong is still right: objects may be missing where a clone is not a whole one.
  if (code !== 0 && changes.length === 0) throw new GitError(`git log failed: ${firstLine(stderr)}`);
  return changes;
}

/** No path begins with `//`, so a line that does is the head of a commit. */
const LOG = [
  ...['--format=//%H %ct', '--name-only', '-z', '--no-merges', '--no-renames', '--no-show-signature', '--no-notes'],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--no-mailmap', '--ignore-submodules=all', '--root'],
];

const HEAD = /^\n?\/\/([0-9a-f]{40,64}) (\d+)$/;

class LogReader {
  readonly #changes: PastChange[] = [];
  readonly #texts = new Map<string, string | null>();
  #rest = '';
  #head: { readonly commit: string; readonly time: number } | null = null;
  #paths: string[] = [];
  #count = 0;
  #isFirst = false;

  add(text: string): void {
    const fields = (this.#rest + text).split('\0');
    this.#rest = fields.pop() ?? '';
    for (const field of fields) this.#field(field);
  }

  end(): PastChange[] {
    this.#close();
    return this.#changes;
  }

  #field(field: string): void {
    const head = field.startsWith('//') || field.startsWith('\n//') ? HEAD.exec(field) : null;
    if (head !== null) {
      this.#close();
      this.#head = { commit: head[1] ?? '', time: Number(head[2]) * 1000 };
      this.#isFirst = true;
      return;
    }
    // Between the head and the first path stands a line break, which is not of the path.
    const name = this.#isFirst && field.startsWith('\n') ? field.slice(1) : field;
    this.#isFirst = false;
    if (name === '') return;
    this.#count += 1;
    const path = this.#count > MAX_PATHS ? null : this.#text(name);
    if (path !== null) this.#paths.push(path);
  }

  /** Most paths come again and again: each is decoded and kept once. */
  #text(name: string): string | null {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const text = textOf(name);
    this.#texts.set(name, text);
    return text;
  }

  #close(): void {
    if (this.#head !== null && this.#paths.length > 0 && this.#count <= MAX_PATHS) {
      this.#changes.push({ ...this.#head, paths: this.#paths });
    }
    [this.#head, this.#paths, this.#count] = [null, [], 0];
  }
}
