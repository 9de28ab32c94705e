/** Makes a preparation's outputs unchangeable: owned by us, not writable, with no link that leads out. */
import { chmodSync, lchownSync, lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sha256 } from '../../kernel/hash.ts';
import { linkProblem } from '../../mind/environment/links.ts';
import { writtenInside } from '../../mind/environment/plan.ts';
import { bytePath, type FileEntry, walkTree } from '../../os/files/walk-tree.ts';

/** A person can fix it; the message says how. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Far above any honest one: several of the largest front ends together have half a million files. */
const MAX_ENTRIES = 2_000_000;
/** After this many entries other work gets a turn. */
const TURN = 500;

/**
 * Moves an output out of a tree. Nothing runs in the tree any more, but earlier programs may have placed links that
 * would lead us to a directory of the operator.
 */
export function takeOut(tree: string, output: string, to: string): void {
  let at = tree;
  for (const name of output.split('/')) {
    at = join(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) throw new SealError(`it did not produce the output ${output}: check "outputs"`);
    if (stat.isSymbolicLink())
      throw new SealError(`${output}: a link lies on its path, at ${name}: make it a real one`);
  }
  const stat = lstatSync(at);
  if (!stat.isDirectory() && !stat.isFile()) throw new SealError(`${output} is neither a directory nor a file`);
  // Moving a directory rewrites its `..`, which needs write permission unless we are root.
  if (stat.isDirectory() && (stat.mode & 0o700) !== 0o700) chmodSync(at, 0o700);
  renameSync(at, to);
}

/** Seals one output and returns its listing. `shown` is its path in a sandbox. */
export async function seal(
  root: string,
  shown: string,
  tools: readonly string[],
  outputs: readonly string[] = [shown],
): Promise<string> {
  if (lstatSync(root).isFile()) {
    close(root, false);
    return listingOf(root);
  }
  const first = await entriesOf(root);
  const problems = first.flatMap((entry) => problemOf(entry, shown, tools));
  if (problems.length > 0) throw new SealError(problems.slice(0, 5).join('; '));
  makeWritten(root, shown, outputs);
  const entries = await entriesOf(root);
  for (const [index, { path, kind }] of entries.entries()) {
    close(bytePath(root, path), kind === 'link');
    if (index % TURN === TURN - 1) await setImmediate();
  }
  close(root, false);
  return digest(entries);
}

/** A hash over all paths, kinds and sizes below: an interrupted write would change it. */
export async function listingOf(root: string): Promise<string> {
  const stat = lstatSync(root);
  return stat.isFile() ? sha256(`file ${stat.size}`) : digest(await entriesOf(root));
}

const digest = (entries: readonly FileEntry[]): string =>
  sha256(
    entries
      .map(({ path, kind, size, target }) => `${path}\0${kind}\0${kind === 'file' ? size : ''}\0${target}\n`)
      .sort()
      .join(''),
  );

async function entriesOf(root: string): Promise<readonly FileEntry[]> {
  const walked = await walkTree(root, { enter: async (directories) => directories, maxEntries: MAX_ENTRIES });
  if (walked.type === 'walked') return walked.entries;
  throw new SealError(
    walked.type === 'too_many' ? `an output holds more than ${MAX_ENTRIES} entries` : `${walked.path} cannot be read`,
  );
}

function problemOf({ path, kind, target }: FileEntry, shown: string, tools: readonly string[]): string[] {
  if (kind === 'file' || kind === 'directory') return [];
  const at = `${shown}/${path}`;
  if (kind !== 'link') return [`${at} is a ${kind}, which cannot be kept`];
  const problem = linkProblem(at, target, tools);
  return problem === null ? [] : [problem];
}

/** Makes empty directories for tools that write into an output, because a mount needs a mount point. */
function makeWritten(root: string, shown: string, outputs: readonly string[]): void {
  for (const path of outputs.flatMap(writtenInside)) {
    const at = root + path.slice(shown.length);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory()) continue;
    if (stat !== undefined) unlinkSync(at);
    mkdirSync(at);
  }
}

/** Makes it ours and readable for all, without write and set-user bits. */
function close(at: string | Buffer, link: boolean): void {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  if (uid === 0) lchownSync(at, uid, gid);
  if (link) return;
  const stat = lstatSync(at);
  chmodSync(at, stat.isDirectory() || (stat.mode & 0o111) !== 0 ? 0o555 : 0o444);
}
