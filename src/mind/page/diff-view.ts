/** A unified diff for a page: line numbers on both sides, and remarks of checks below their lines. */
import { unquotedName } from '../fields/git-name.ts';
import { type Html, html } from './html.ts';

type Remark = { readonly path: string; readonly line: number; readonly by: string; readonly text: string };

type DiffRow = {
  readonly tone: 'add' | 'del' | 'same' | 'hunk';
  readonly old: string;
  readonly now: string;
  readonly text: string;
};

const MAX_ROWS = 5_000;

export function diffView(diff: string, remarks: readonly Remark[]): Html {
  const files = filesIn(diff);
  return html`${files.map(({ path, rows }) => {
    const here = remarks.filter((remark) => remark.path === path);
    const shown = rows.slice(0, MAX_ROWS);
    const left = rows.length - shown.length;
    return html`<section class="file"><h3><code>${path}</code></h3><table class="diff"><tbody>${shown.map((row) => rowView(row, here))}</tbody></table>${left === 0 ? '' : html`<p class="dim">${left} more lines: <code>supervisor diff</code> shows them.</p>`}</section>`;
  })}`;
}

function rowView({ tone, old, now, text }: DiffRow, remarks: readonly Remark[]): Html {
  const said = now === '' ? [] : remarks.filter(({ line }) => line === Number(now));
  return html`<tr class="${tone}"><td>${old}</td><td>${now}</td><td><code>${text}</code></td></tr>${said.map(
    ({ by, text: what }) => html`<tr class="remark"><td></td><td></td><td><b>${by}</b> ${what}</td></tr>`,
  )}`;
}

/** What git says about a file without lines: a new, deleted or binary one, or another mode. */
const ABOUT_FILE = /^(?:new file|deleted file|old mode|new mode|Binary files) /;

/** The changed files, in their order. */
export const pathsIn = (diff: string): string[] => filesIn(diff).map(({ path }) => path);

type DiffFile = { path: string; rows: DiffRow[] };

function filesIn(diff: string): readonly DiffFile[] {
  const files: DiffFile[] = [];
  let [old, now] = [0, 0];
  for (const line of diff.split('\n')) {
    const file = files.at(-1);
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (line.startsWith('diff --git ')) files.push({ path: pathIn(line), rows: [] });
    else if (file === undefined) continue;
    else if (hunk !== null) {
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      file.rows.push({ tone: 'hunk', old: '', now: '', text: line });
    } else if (old === 0 && now === 0) {
      if (ABOUT_FILE.test(line)) file.rows.push({ tone: 'hunk', old: '', now: '', text: line });
    } else if (line.startsWith('+')) file.rows.push({ tone: 'add', old: '', now: String(now++), text: line });
    else if (line.startsWith('-')) file.rows.push({ tone: 'del', old: String(old++), now: '', text: line });
    else if (line.startsWith(' ')) file.rows.push({ tone: 'same', old: String(old++), now: String(now++), text: line });
    if (line.startsWith('diff --git ')) [old, now] = [0, 0];
  }
  return files;
}

/** `diff --git a/X b/X`: both names are equal, since renames are not followed. */
function pathIn(line: string): string {
  const both = line.slice('diff --git '.length);
  const name = unquotedName(both.slice((both.length + 1) / 2));
  return name?.startsWith('b/') ? name.slice(2) : both;
}

/** Remarks of checks on a place in one of these files, such as `src/a.ts:12:3 - error …`. */
export function remarksIn(by: string, text: string, paths: readonly string[], most = 100): Remark[] {
  const found: Remark[] = [];
  for (const line of text.split('\n')) {
    if (found.length === most) break;
    if (line.startsWith('command: ')) continue;
    const place = /(?<path>[\w@./+-]{1,300}?)[:(](?<line>\d{1,7})\b/.exec(line.slice(0, 2_000));
    // Programs print absolute paths as well: the longest name that fits is the one that is meant.
    const fitting = paths.filter((one) => `/${place?.groups?.['path']}`.endsWith(`/${one}`));
    const [path] = fitting.sort((one, other) => other.length - one.length);
    if (path === undefined) continue;
    found.push({ path, line: Number(place?.groups?.['line']), by, text: line.trim().slice(0, 400) });
  }
  return found;
}
