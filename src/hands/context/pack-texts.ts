/** Files of a tree as text that may be shown: decoded, redacted, and cached by content id. */
import type { ProjectTree, TreeFile } from '../../engine/ports/project-tree.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { isBinary, skipReason } from '../../mind/code/kinds.ts';
import { MAX_FILE_BYTES } from '../../mind/context/limits.ts';
import { shownPath } from '../../mind/context/render.ts';
import type { ContentCache } from './content-cache.ts';

/** A redacted text, and the numbers of its changed lines. */
export type Clean = { readonly text: string; readonly head: string; readonly hidden: ReadonlySet<string> };

const HEAD = 2_000;
const NOTHING: ReadonlySet<string> = new Set();
/** Bytes that are not UTF-8 become replacement characters: odd, but no reason to show nothing. */
const decoder = new TextDecoder();
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

export class Texts {
  readonly #redact: Redact;
  readonly #cache: ContentCache;

  constructor(redact: Redact, cache: ContentCache) {
    this.#redact = redact;
    this.#cache = cache;
  }

  /** In the order of `files`; a string is the reason why there is no text. */
  async read(tree: ProjectTree, files: readonly TreeFile[]): Promise<readonly (Clean | string)[]> {
    const missing = files.filter((file) => this.#known(file) === undefined);
    const found = new Map<TreeFile, Clean | string>();
    const contents = await tree.read(
      missing.map(({ path }) => path),
      MAX_FILE_BYTES,
    );
    const raws: [TreeFile, string][] = [];
    for (const [n, file] of missing.entries()) {
      const bytes = contents[n];
      if (bytes === null || bytes === undefined) found.set(file, 'cannot be read');
      else if (isBinary(bytes)) found.set(file, 'is binary');
      else raws.push([file, decode(bytes)]);
    }
    const [texts, paths] = [raws.map(([, raw]) => raw), raws.map(([{ path }]) => path)];
    const clean = raws.length === 0 ? [] : await this.#redact(texts, paths);
    for (const [n, [file, raw]] of raws.entries()) found.set(file, cleanOf(raw, clean[n] ?? ''));
    for (const [file, one] of found)
      this.#cache.set(nameOf(file), one, typeof one === 'string' ? 200 : one.text.length * 2 + HEAD);
    return files.map((file) => found.get(file) ?? this.#known(file) ?? 'cannot be read');
  }

  #known(file: TreeFile): Clean | string | undefined {
    return this.#cache.get<Clean | string>(nameOf(file));
  }

  /** Redacts texts that are generated, such as diffs. */
  async clean(texts: readonly string[]): Promise<readonly string[]> {
    return texts.length === 0 ? [] : this.#redact(texts);
  }

  /** Redacts names, which may hold secrets too; each stays on one line. */
  async names(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const known = new Map(paths.map((path) => [path, this.#cache.get<string>(`name ${path}`)]));
    const missing = paths.filter((path) => known.get(path) === undefined);
    const lines = missing.map(shownPath);
    // One long text is searched faster than many short ones; a secret in a name has no second line.
    const [all = ''] = await this.clean(lines.length === 0 ? [] : [lines.join('\n')]);
    const together = all.split('\n');
    const clean = together.length === lines.length ? together : await this.clean(lines);
    for (const [n, path] of missing.entries()) {
      known.set(path, clean[n] ?? '');
      this.#cache.set(`name ${path}`, clean[n] ?? '', path.length * 4 + 100);
    }
    return new Map(paths.map((path) => [path, known.get(path) ?? '']));
  }
}

const NO_BYTES = new Uint8Array(0);
/** Generated files are shown only if they are named. */
export const notOurs = (path: string, { head }: Clean): string | null => {
  const reason = skipReason(path, NO_BYTES, head);
  return reason === null ? null : `is ${reason}`;
};

/** Content that is harmless at one path may be a secret at another. */
const nameOf = ({ id, path }: TreeFile): string => `clean ${id} ${path}`;

function cleanOf(raw: string, text: string): Clean {
  const head = text.slice(0, HEAD);
  if (raw === text) return { text, head, hidden: NOTHING };
  const kept = new Set(text.split('\n'));
  return { text, head, hidden: new Set(raw.split('\n').filter((line) => !kept.has(line))) };
}
