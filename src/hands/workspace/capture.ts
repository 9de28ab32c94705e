/** Turns a workspace into a candidate: surveyed, hashed with a fresh index, transferred, pinned; only then returned. */
import type { Captured } from '../../engine/ports/workspace.ts';
import { shown } from '../../mind/candidates/names.ts';
import { changeId, parseRawDiff } from '../../mind/candidates/raw-diff.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import { type Context, failure, inPrivateDir, must } from './context.ts';
import { loadInput } from './input.ts';
import { judge, type Problem } from './judge.ts';
import type { Made } from './make.ts';
import { keepFiles, pin, removeKeeps } from './pins.ts';
import { withScratch } from './private-dir.ts';
import { changedPath, keyOf, rawDiff } from './reading.ts';
import { survey, tooLargeText } from './survey.ts';
import { transfer } from './transfer.ts';

export async function capture(context: Context, made: Made): Promise<Captured> {
  const first = await captureOnce(context, made);
  if (first.type !== 'missing') return first;
  // Git does not write an object it can borrow; if the user's gc took it since, a fresh index writes it (tried).
  const second = await captureOnce(context, made);
  if (second.type === 'missing') throw failure('reading the captured files', second.message);
  return second;
}

/** Candidates of attempts under way; older ones are read from git again. */
const REMEMBERED = 8;

type Missing = { readonly type: 'missing'; readonly message: string };

function captureOnce(context: Context, made: Made): Promise<Captured | Missing> {
  return withScratch(context, made.name, async (scratch) => {
    const call = inPrivateDir(context, scratch);
    // Known without asking, unless some files are as the base has them.
    const loading = loadInput(made.input, call);
    const loaded = made.input.asInBase.length === 0 ? made.input.tree : await loading;
    const [input, base, [inputTree, baseTree]] = await Promise.all([
      context.trees.entries(loaded, call),
      loaded === made.base ? null : context.trees.entries(made.base, call),
      treesOf([loaded, made.base], call),
      loading,
    ]);
    const seen = await survey(context, made, { scratch, base: base ?? input, input });
    if (seen.problems.length > 0) return { type: 'refused', problems: seen.problems };
    context.failpoint('capture.surveyed');

    const tree = await hash(context, made, scratch, seen.added);
    if (typeof tree !== 'string') return { type: 'refused', problems: [tree] };
    context.failpoint('capture.hashed');
    if (tree === inputTree || tree === baseTree) return { type: 'unchanged', ignored: seen.ignored };

    const raw = await rawDiff(made.base, tree, call);
    const changes = parseRawDiff(raw);
    const problems =
      changes.length > context.limits.changedFiles
        ? [{ path: '', problem: tooLargeText(changes.length, 0, context.limits) }]
        : judge(seen, changes);
    if (problems.length > 0) return { type: 'refused', problems };

    const moved = await transfer(context, scratch, { name: made.place, include: tree, exclude: baseTree });
    if (moved.type === 'missing') return moved;
    if (moved.type === 'refused') return { type: 'refused', problems: [{ path: '', problem: moved.problem }] };
    context.failpoint('capture.transferred');
    await pin(context, [
      { kind: 'base', name: made.name, id: made.base },
      { kind: 'candidate', name: made.name, id: tree },
    ]);
    context.failpoint('capture.pinned');
    removeKeeps(keepFiles(context, made.place));
    context.failpoint('capture.released');
    const candidate = { base: made.base, tree, change_id: changeId(raw) };
    const changed = changes.map(changedPath);
    if (context.captured.size >= REMEMBERED) context.captured.clear();
    context.captured.set(keyOf(candidate), changed);
    return { type: 'candidate', candidate, changed, ignored: seen.ignored };
  });
}

async function treesOf(ids: readonly [string, string], call: GitCall): Promise<[string, string]> {
  const [first = '', second = ''] = (await must(['rev-parse', ...ids.map((id) => `${id}^{tree}`)], call)).split('\n');
  return [first, second];
}

/** Reads every file again: the index is fresh, remembers nothing, and so can not be told to overlook a change. */
async function hash(
  context: Context,
  made: Made,
  scratch: string,
  added: readonly string[],
): Promise<string | Problem> {
  const call = inPrivateDir(context, scratch, made.tree);
  const steps: readonly (readonly [readonly string[], string])[] = [
    [['add', '--update'], ''],
    [['update-index', '-z', '--add', '--stdin'], added.map((path) => `${path}\0`).join('')],
  ];
  for (const [args, input] of added.length > 0 ? steps : steps.slice(0, 1)) {
    const { code, stderr } = await tryGit(args, { ...call, input });
    const invalid = /[Ii]nvalid path '(.+)'/.exec(stderr)?.[1];
    if (invalid !== undefined) return { path: shown(invalid), problem: 'git takes no such name: rename it' };
    if (code !== 0) throw failure(`git ${args[0]}`, stderr);
  }
  return must(['write-tree'], call);
}
