/**
 * Asks git which paths are ignored, by the base's rules and by the candidate's, each in a shadow directory that holds
 * nothing but .gitignore files: a worker can add a rule, but not take one away, and what is left out is listed.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytePath, type Entry } from '../../os/files/walk-tree.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { type Context, failure, inPrivateDir } from './context.ts';
import { blobs, nameOf, type TreeEntry } from './tree-entries.ts';

const RULES = '.gitignore';
/** Larger ones hold no rules that anybody wrote. */
const MAX_BYTES = 1 << 20;

export class IgnoreRules {
  readonly #context: Context;
  readonly #scratch: string;
  readonly #tree: string;
  readonly #base: ReadonlyMap<string, TreeEntry>;
  #baseWritten = false;
  #seen = 0;

  constructor(context: Context, place: { scratch: string; tree: string; base: ReadonlyMap<string, TreeEntry> }) {
    this.#context = context;
    this.#scratch = place.scratch;
    this.#tree = place.tree;
    this.#base = place.base;
    for (const shadow of ['base', 'candidate']) mkdirSync(join(this.#scratch, shadow), { mode: 0o700 });
  }

  /** Those of `paths` that are ignored; a directory ends with a slash. `found`: the walk so far, parents first. */
  async ignored(paths: readonly string[], found: readonly Entry[]): Promise<Set<string>> {
    if (paths.length === 0) return new Set();
    await this.#writeBase();
    this.#writeCandidate(found);
    const lists = await Promise.all(['base', 'candidate'].map((shadow) => this.#ask(shadow, paths)));
    return new Set(lists.flat());
  }

  async #ask(shadow: string, paths: readonly string[]): Promise<string[]> {
    const call = inPrivateDir(this.#context, this.#scratch, join(this.#scratch, shadow));
    // The leading `./` keeps a name such as `:(top)x` from being read as a pattern.
    const input = paths.map((path) => `./${path}\0`).join('');
    const { code, stdout, stderr } = await tryGit(['check-ignore', '--no-index', '-z', '--stdin'], { ...call, input });
    if (code !== 0 && code !== 1) throw failure('git check-ignore', stderr);
    return stdout.split('\0').flatMap((path) => (path === '' ? [] : [path.slice(2)]));
  }

  async #writeBase(): Promise<void> {
    if (this.#baseWritten) return;
    this.#baseWritten = true;
    const files = [...this.#base].filter(([path, { mode }]) => nameOf(path) === RULES && mode.startsWith('100'));
    const call: GitCall = inPrivateDir(this.#context, this.#scratch);
    const contents = await blobs(
      files.map(([, { id }]) => id),
      call,
    );
    for (const [i, [path]] of files.entries()) this.#write('base', path, contents[i] ?? '');
  }

  #writeCandidate(found: readonly Entry[]): void {
    for (; this.#seen < found.length; this.#seen += 1) {
      const entry = found[this.#seen];
      if (entry?.kind !== 'file' || nameOf(entry.path) !== RULES) continue;
      this.#write('candidate', entry.path, readPlain(bytePath(this.#tree, entry.path)));
    }
  }

  #write(shadow: string, path: string, content: string): void {
    const root = join(this.#scratch, shadow);
    if (path.includes('/')) mkdirSync(bytePath(root, dirname(path)), { recursive: true });
    writeFileSync(bytePath(root, path), content, 'latin1');
  }
}

/** A regular file that nobody else links to, else nothing. */
function readPlain(path: string | Buffer): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.nlink === 1 && stat.size <= MAX_BYTES ? readFileSync(fd, 'latin1') : '';
  } finally {
    closeSync(fd);
  }
}
