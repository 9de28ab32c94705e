/**
 * Turns a workspace into a candidate: surveys it, hashes it with a fresh index, transfers and pins it, and only then
 * returns it.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Captured } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import { changeId, parseRawDiff } from '../../mind/candidates/raw-diff.ts';
import { tryGit } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir } from './context.ts';
import { loadInput } from './input.ts';
import { type MadeWorkspace, writeTree } from './make.ts';
import { failure, must } from './must-git.ts';
import { keepFiles, pin, removeKeeps } from './pins.ts';
import { withScratch } from './private-dir.ts';
import { changedPath, EXACT, keyOf } from './reading.ts';
import { survey, type TreeSurvey, tooLargeText } from './survey.ts';
import { type Transferred, transfer } from './transfer.ts';
import { type TreeProblem, treeProblems } from './tree-problems.ts';

export async function capture(context: GitContext, made: MadeWorkspace): Promise<Captured> {
  const first = await captureOnce(context, made);
  if (first.type !== 'missing') return first;
  // Git does not write an object it can borrow; if the user's gc removed it since, a fresh index writes it (tested).
  const second = await captureOnce(context, made);
  if (second.type === 'missing') throw failure('reading the captured files', second.message);
  return second;
}

type MissingTree = { readonly type: 'missing'; readonly message: string };

function captureOnce(context: GitContext, made: MadeWorkspace): Promise<Captured | MissingTree> {
  return withScratch(context, made.name, async (scratch, hold) => {
    const call = inPrivateDir(context, scratch);
    const { known } = context;
    // Known without git, unless some files come from the base.
    const loading = loadInput(context, scratch, made.input);
    const { asInBase, planted } = made.input;
    const loaded = asInBase.length + planted.length === 0 ? made.input.tree : await loading;
    const other = loaded === made.base ? null : loaded;
    const [base, baseTree, others, otherTree] = await Promise.all([
      known.trees.entries(made.base, call),
      known.treeOf(made.base, call),
      other === null ? null : known.trees.entries(other, call),
      other === null ? null : known.treeOf(other, call),
      loading,
    ]);
    const input = others ?? base;
    const seen = await survey(context, made, { scratch, base, input });
    if (seen.problems.length > 0) return { type: 'refused', problems: seen.problems };
    context.failpoint('capture.surveyed');

    const isWhole = seen.present.length - seen.added.length === input.size;
    const hashed = await hash(context, made, scratch, { ...seen, isWhole });
    if ('problem' in hashed) return { type: 'refused', problems: [hashed] };
    const { tree, raw } = hashed;
    context.failpoint('capture.hashed');
    if (tree === otherTree || tree === baseTree) return { type: 'unchanged', ignored: seen.ignored };

    const changes = parseRawDiff(raw);
    const problems =
      changes.length > context.limits.changedFiles
        ? [{ path: '', problem: tooLargeText(changes.length, 0, context.limits) }]
        : treeProblems(seen, changes);
    if (problems.length > 0) return { type: 'refused', problems };

    const moving = transfer(context, scratch, { name: made.place, include: tree, exclude: baseTree });
    hold(makeAhead(context, made, scratch, tree));
    let isKept = false;
    try {
      const missed = await keep(context, made, { tree, moving });
      if (missed !== null) return missed;
      isKept = true;
    } finally {
      if (!isKept) context.ahead.drop(tree);
    }
    const candidate = { base: made.base, tree, change_id: changeId(raw) };
    const changed = changes.map(changedPath);
    known.changes.set(keyOf(candidate), changed);
    known.trees.derive(tree, base, changes, (path) => seen.sizes.get(path) ?? 0);
    return { type: 'candidate', candidate, changed, ignored: seen.ignored };
  });
}

/** Returns null if the user's repository already has the tree and keeps it. */
async function keep(
  context: GitContext,
  { name, place, base }: MadeWorkspace,
  { tree, moving }: { readonly tree: string; readonly moving: Promise<Transferred> },
): Promise<Extract<Captured, { type: 'refused' }> | MissingTree | null> {
  const moved = await moving;
  if (moved.type === 'missing') return moved;
  if (moved.type === 'refused') return { type: 'refused', problems: [{ path: '', problem: moved.problem }] };
  context.failpoint('capture.transferred');
  await pin(context, [
    { kind: 'base', name, id: base },
    { kind: 'candidate', name, id: tree },
  ]);
  context.failpoint('capture.pinned');
  removeKeeps(keepFiles(context, place));
  context.failpoint('capture.released');
  return null;
}

/** The gate's tree, from the index that the candidate was hashed with. */
function makeAhead(context: GitContext, { name }: MadeWorkspace, scratch: string, tree: string): Promise<void> {
  const place = `${name}.${randomBytes(6).toString('hex')}`;
  context.begun.add(place);
  const at = join(context.workspaces, place, 'tree');
  return context.ahead.begin(tree, place, (_, signal) => writeTree(context, scratch, at, signal));
}

type Hashed = { readonly tree: string; readonly raw: string };

/** Reads every file again: the index is fresh and remembers nothing, so it cannot be made to overlook a change. */
async function hash(
  context: GitContext,
  made: MadeWorkspace,
  scratch: string,
  { present, added, isWhole }: Pick<TreeSurvey, 'present' | 'added'> & { readonly isWhole: boolean },
): Promise<Hashed | TreeProblem> {
  const call = inPrivateDir(context, scratch, made.tree);
  // If no file is gone, one git command with all names replaces two.
  if (!isWhole) await must(['add', '--update'], call);
  const names = isWhole ? present : added;
  if (names.length > 0) {
    const input = names.map((path) => `${path}\0`).join('');
    // `--remove`: a file that is gone since the survey counts as deleted.
    const { code, stderr } = await tryGit(['update-index', '-z', '--add', '--remove', '--stdin'], { ...call, input });
    const invalid = /[Ii]nvalid path '(.+)'/.exec(stderr)?.[1];
    if (invalid !== undefined) return { path: shown(invalid), problem: 'git does not accept this name: rename it' };
    if (code !== 0) throw failure('reading the files', stderr);
  }
  const tree = await must(['write-tree'], call);
  return { tree, raw: await must(['diff-index', '--cached', ...EXACT, made.base], call) };
}
