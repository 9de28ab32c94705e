/**
 * Asks git which paths are ignored, by the base's rules and by the candidate's, each in a shadow directory with nothing
 * but .gitignore files: a worker can add a rule but not remove one, and left-out paths are listed.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytePath, type FileEntry } from '../../os/files/walk-tree.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir } from './context.ts';
import { failure } from './must-git.ts';
import { blobs, nameOf, parentsOf, type TreeEntry } from './tree-entries.ts';

const RULES = '.gitignore';
/** Larger ones are not written by hand. */
const MAX_BYTES = 1 << 20;

export class IgnoreRules {
  readonly #context: GitContext;
  readonly #scratch: string;
  readonly #tree: string;
  /** Ids by path. */
  readonly #base: ReadonlyMap<string, string>;
  readonly #candidate = new Map<string, string>();
  #baseWritten = false;
  #seen = 0;

  constructor(context: GitContext, place: { scratch: string; tree: string; base: ReadonlyMap<string, TreeEntry> }) {
    this.#context = context;
    this.#scratch = place.scratch;
    this.#tree = place.tree;
    const rules = [...place.base].filter(([path, { mode }]) => nameOf(path) === RULES && mode.startsWith('100'));
    this.#base = new Map(rules.map(([path, { id }]) => [path, id]));
    for (const shadow of ['base', 'candidate']) mkdirSync(join(this.#scratch, shadow), { mode: 0o700 });
  }

  /** The ignored ones among `paths`; a directory ends with a slash. `found`: the walk so far, parents first. */
  async ignored(paths: readonly string[], found: readonly FileEntry[]): Promise<Set<string>> {
    if (paths.length === 0) return new Set();
    this.#readCandidate(found);
    const shadows = this.#toAsk(parentsOf(paths));
    if (shadows.includes('base')) await this.#writeBase();
    const lists = await Promise.all(shadows.map((shadow) => this.#ask(shadow, paths)));
    return new Set(lists.flat());
  }

  /**
   * Depends on the rules in these directories: without any, git is not asked; if both sides agree, it is asked once.
   */
  #toAsk(directories: ReadonlySet<string>): ('base' | 'candidate')[] {
    const counts = (path: string) => path === RULES || directories.has(path.slice(0, -RULES.length - 1));
    const base = [...this.#base].filter(([path]) => counts(path));
    const candidate = [...this.#candidate].filter(([path]) => counts(path));
    if (base.length === 0 && candidate.length === 0) return [];
    const isSame = base.length === candidate.length && base.every(([path, id]) => this.#candidate.get(path) === id);
    return isSame ? ['candidate'] : ['base', 'candidate'];
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
    const call: GitCall = inPrivateDir(this.#context, this.#scratch);
    const contents = await blobs([...this.#base.values()], call);
    for (const [i, path] of [...this.#base.keys()].entries()) this.#write('base', path, contents[i] ?? '');
  }

  #readCandidate(found: readonly FileEntry[]): void {
    for (; this.#seen < found.length; this.#seen += 1) {
      const entry = found[this.#seen];
      if (entry?.kind !== 'file' || nameOf(entry.path) !== RULES) continue;
      const content = readPlain(bytePath(this.#tree, entry.path));
      this.#candidate.set(entry.path, blobId(content, this.#base.get(entry.path)));
      this.#write('candidate', entry.path, content);
    }
  }

  #write(shadow: string, path: string, content: string): void {
    const root = join(this.#scratch, shadow);
    if (path.includes('/')) mkdirSync(bytePath(root, dirname(path)), { recursive: true });
    writeFileSync(bytePath(root, path), content, 'latin1');
  }
}

/** The id that git would give; `like`: an id of the same repository, if there is one. */
function blobId(content: string, like = ''): string {
  const bytes = Buffer.from(content, 'latin1');
  return createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** The text of a regular file with only one link, else nothing. */
function readPlain(path: string | Buffer): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.nlink === 1 && stat.size <= MAX_BYTES ? readFileSync(fd, 'latin1') : '';
  } finally {
    closeSync(fd);
  }
}
