/** The difference between two trees, as a text for people and models. */
import type { TreeDiff } from '../../engine/ports/project-tree.ts';
import { textOf } from '../../mind/candidates/names.ts';
import { parseRawDiff } from '../../mind/candidates/raw-diff.ts';
import { type GitCall, streamGit } from '../../os/git/git.ts';
import { GitError } from '../../os/git/git-error.ts';
import { firstLine, must } from './tree-git.ts';

/** The exact difference: renames are not guessed, settings are ignored. */
const RAW = ['-z', '--raw', '--no-renames', '--full-index', '--ignore-submodules=none'];
/** Ignores programs and settings of the repository; a changed submodule is shown as two ids. */
const PATCH = [
  ...['-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--unified=3', '--abbrev=10'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--submodule=short', '--ignore-submodules=none'],
];
/** Larger files are listed but not compared, like binary ones. */
const SETTINGS = ['core.bigFileThreshold=4m'];
const NEWLINE = 10;

export async function diffTrees(from: string, tree: string, maxBytes: number, call: GitCall): Promise<TreeDiff> {
  const changes = parseRawDiff(await must(['diff-tree', '-r', ...RAW, from, tree], call));
  if (changes.length === 0) return { text: '', changed: [], removed: [], cut: false };
  const [changed, removed]: [string[], string[]] = [[], []];
  for (const { path: name, after } of changes) {
    const path = textOf(name);
    if (path === null || after?.mode === SUBMODULE) continue;
    (after === null ? removed : changed).push(path);
  }
  const { bytes, cut } = await patch(from, tree, maxBytes, call);
  return { text: textOfPatch(bytes), changed, removed, cut };
}

const SUBMODULE = '160000';

async function patch(from: string, tree: string, maxBytes: number, call: GitCall) {
  const pieces: Buffer[] = [];
  let size = 0;
  const asked = { ...call, settings: [...(call.settings ?? []), ...SETTINGS] };
  const { code, stderr, ended } = await streamGit(['diff-tree', '-r', ...PATCH, from, tree], asked, (piece) => {
    pieces.push(piece);
    size += piece.length;
    return size <= maxBytes;
  });
  if (ended === 'exit' && code !== 0) throw new GitError(`git diff-tree failed: ${firstLine(stderr)}`);
  const bytes = Buffer.concat(pieces);
  const cut = size > maxBytes;
  return { bytes: cut ? bytes.subarray(0, bytes.subarray(0, maxBytes).lastIndexOf(NEWLINE) + 1) : bytes, cut };
}

/** Leaves out files whose names are not UTF-8; invalid bytes in contents are shown as replacement characters. */
function textOfPatch(bytes: Buffer): string {
  // Lines of a patch start with ` `, `+`, `-`, `@` or `\`, except in a header.
  const files = bytes.toString('latin1').split(/^(?=diff --git )/m);
  const kept = files.filter((file) => textOf(file.slice(0, headEnd(file))) !== null);
  return kept.length === files.length ? bytes.toString() : Buffer.from(kept.join(''), 'latin1').toString();
}

function headEnd(file: string): number {
  const end = file.search(/^@@ /m);
  return end < 0 ? file.length : end;
}
