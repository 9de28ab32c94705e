/** Reads old trees, blobs, histories and diffs of a repository. Blobs are kept by their id, for most trees share them. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { SubjectWords } from '../../src/mind/ranking/subject-words.ts';

export type Entry = { readonly path: string; readonly id: string; readonly bytes: number };
export type Past = { readonly time: number; readonly paths: readonly string[]; readonly words: readonly number[] };
/** A changed piece in the old file: `count` lines from `from`, or none and the change is after line `from`. */
export type Hunk = { readonly from: number; readonly count: number };

const MOST_BYTES = 400_000;

export class Repository {
  readonly #dir: string;
  readonly #blobs = new Map<string, Uint8Array | null>();
  readonly #past = new Map<string, Past>();
  readonly #words = new SubjectWords();
  #reader: BatchReader | null = null;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Plain files that are not too large; links and submodules are left out. */
  async tree(commit: string): Promise<Entry[]> {
    const out = await this.#git(['ls-tree', '-r', '-l', '-z', commit]);
    const entries: Entry[] = [];
    for (const line of out.split('\0')) {
      const found = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line);
      if (found === null) continue;
      const bytes = Number(found[2]);
      if (bytes <= MOST_BYTES) entries.push({ path: found[3]!, id: found[1]!, bytes });
    }
    return entries;
  }

  /** Null if the object is absent, as in partial copies. */
  async blobs(ids: readonly string[]): Promise<(Uint8Array | null)[]> {
    const missing = [...new Set(ids.filter((id) => !this.#blobs.has(id)))];
    this.#reader ??= new BatchReader(this.#dir);
    if (missing.length > 0) {
      for (const [id, bytes] of await this.#reader.read(missing)) this.#blobs.set(id, bytes);
    }
    return ids.map((id) => this.#blobs.get(id) ?? null);
  }

  /** Changes on the way to the commit, the newest first; itself included, for it is the parent of the one asked about. */
  async history(commit: string, limit: number): Promise<Past[]> {
    const out = await this.#git(['rev-list', '--no-merges', '-n', String(limit), commit]);
    const ids = out.split('\n').filter((id) => id !== '');
    const missing = ids.filter((id) => !this.#past.has(id));
    if (missing.length > 0) await this.#readPast(missing);
    return ids.flatMap((id) => this.#past.get(id) ?? []);
  }

  async #readPast(ids: readonly string[]): Promise<void> {
    const format = '--format=%x01%H %ct %s';
    const args = ['log', '--no-walk=unsorted', '--stdin', '--no-renames', '--name-only', format];
    const out = await this.#git(args, ids.join('\n'));
    for (const record of out.split('\u0001').slice(1)) {
      const [head = '', ...paths] = record.split('\n').filter((line) => line !== '');
      const [id = '', time = '0'] = head.split(' ', 2);
      const subject = Buffer.from(head.slice(id.length + time.length + 2)).toString('latin1');
      this.#past.set(id, { time: Number(time), paths, words: this.#words.of(subject) });
    }
  }

  async hunks(parent: string, commit: string): Promise<Map<string, Hunk[]>> {
    const out = await this.#git(['diff', '-U0', '--no-renames', '--no-color', '--no-ext-diff', parent, commit]);
    const found = new Map<string, Hunk[]>();
    let hunks: Hunk[] | null = null;
    let inHead = false;
    for (const line of out.split('\n')) {
      if (line.startsWith('diff --git ')) inHead = true;
      if (inHead && line.startsWith('--- ')) {
        hunks = [];
        if (line.startsWith('--- a/')) found.set(line.slice(6).replace(/\t$/, ''), hunks);
      }
      const at = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
      if (at === null) continue;
      inHead = false;
      hunks?.push({ from: Number(at[1]), count: at[2] === undefined ? 1 : Number(at[2]) });
    }
    return found;
  }

  /** Where its objects are, for others who read them. */
  async gitDir(): Promise<string> {
    return (await this.#git(['rev-parse', '--path-format=absolute', '--git-common-dir'])).trim();
  }

  /** Any git command that only reads. */
  git(args: readonly string[]): Promise<string> {
    return this.#git(args);
  }

  close(): void {
    this.#reader?.close();
  }

  #git(args: readonly string[], input = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { maxBuffer: 2 ** 30, encoding: 'utf8' as const };
      const command = ['-c', 'core.quotePath=false', '-C', this.#dir, ...args];
      const child = execFile('git', command, options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }
}

/** One `git cat-file --batch` for the whole run. */
class BatchReader {
  readonly #child: ChildProcessWithoutNullStreams;
  #rest: Buffer[] = [];
  #have = 0;
  #wake: () => void = () => {};

  constructor(dir: string) {
    this.#child = spawn('git', ['-C', dir, 'cat-file', '--batch']);
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#rest.push(chunk);
      this.#have += chunk.length;
      this.#wake();
    });
  }

  async read(ids: readonly string[]): Promise<[string, Uint8Array | null][]> {
    const found: [string, Uint8Array | null][] = [];
    const groups = Math.ceil(ids.length / 500);
    for (let group = 0; group < groups; group++) {
      const asked = ids.slice(group * 500, group * 500 + 500);
      this.#child.stdin.write(`${asked.join('\n')}\n`);
      for (const id of asked) found.push([id, await this.#one()]);
    }
    return found;
  }

  async #one(): Promise<Uint8Array | null> {
    const head = await this.#line();
    const size = / blob (\d+)$/.exec(head)?.[1];
    if (size === undefined) return null;
    const bytes = await this.#take(Number(size) + 1);
    return new Uint8Array(bytes.subarray(0, Number(size)));
  }

  async #line(): Promise<string> {
    for (;;) {
      const first = this.#rest[0];
      const end = first?.indexOf(10) ?? -1;
      if (end >= 0) return (await this.#take(end + 1)).toString('utf8', 0, end);
      if (this.#rest.length > 1) this.#rest = [Buffer.concat(this.#rest)];
      else await this.#more();
    }
  }

  async #take(count: number): Promise<Buffer> {
    while (this.#have < count) await this.#more();
    if ((this.#rest[0]?.length ?? 0) < count) this.#rest = [Buffer.concat(this.#rest)];
    const first = this.#rest[0] ?? Buffer.alloc(0);
    if (first.length === count) this.#rest.shift();
    else this.#rest[0] = first.subarray(count);
    this.#have -= count;
    return first.subarray(0, count);
  }

  #more(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      this.#child.once('exit', () => reject(new Error('git cat-file ended early')));
    }).finally(() => this.#child.removeAllListeners('exit'));
  }

  close(): void {
    this.#child.stdin.end();
  }
}
