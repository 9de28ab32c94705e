/** Checks what a bundle says about commits and landings, against the queue's events and the hashes of git objects. */
import type { StoredEvent } from '../../engine/ports/store.ts';
import { commitIn, type GitObjects, treeDiff, wrongObject } from '../../mind/bundle/git-objects.ts';
import { shown } from '../../mind/candidates/names.ts';
import { changeId, parseRawDiff, type RawChange } from '../../mind/candidates/raw-diff.ts';
import type { Task } from '../../mind/domain/task.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { Workflow } from '../../mind/workflows/workflow.ts';
import { landingsIn, type ToldLanding } from './landings.ts';

type LandingFindings = { readonly problems: string[]; readonly proves: string[]; readonly unproven: string[] };

type BundledTask = {
  readonly task: Task;
  readonly workflow: Workflow;
  /** The events of the task, and those of queues that concern it. */
  readonly events: readonly StoredEvent[];
  readonly objects: GitObjects;
};

export function checkLandings({ task, workflow, events, objects }: BundledTask): LandingFindings {
  const found: LandingFindings = { problems: [], proves: [], unproven: [] };
  const wrong = wrongObject(objects);
  const used = new Set<string>();
  if (wrong !== null) found.problems.push(`object ${wrong.slice(0, 12)} is not what git knows by that name`);
  else {
    if (task.candidate !== null && task.closed?.commit != null)
      ownCommit(found, { objects, used, lands: task.candidate, commit: task.closed.commit });
    for (const told of landingsIn(events, task.id, workflow)) {
      if (typeof told === 'string') found.problems.push(told);
      else landing(found, told, { objects, used });
    }
  }
  const foreign = [...objects.keys()].find((id) => !used.has(id));
  if (found.problems.length === 0 && foreign !== undefined)
    found.problems.push(`object ${foreign.slice(0, 12)} belongs to nothing in this task`);
  return found;
}

const short = (id: string): string => id.slice(0, 12);

type LandingCheck = {
  readonly objects: GitObjects;
  readonly used: Set<string>;
  readonly lands: Candidate;
  readonly commit: string;
};

function ownCommit(found: LandingFindings, made: LandingCheck): void {
  const { lands, commit } = made;
  const author = commitFacts(found, made);
  if (author === null) return;
  found.proves.push(
    `commit ${short(commit)} by ${author} holds the tree that was judged, on top of ${short(lands.base)}`,
  );
  if (changesOf(found, made) !== null)
    found.proves.push(`commit ${short(commit)} changes the files shown, and no other`);
}

function landing(
  found: LandingFindings,
  told: ToldLanding,
  { objects, used }: Pick<LandingCheck, 'objects' | 'used'>,
): void {
  const { onto, commit, lands, own, gates, together, agreed } = told;
  const later = `that ${onto} still holds commit ${short(commit)}, and that it was not reverted since`;
  if (lands === null) {
    found.proves.push(`${onto} held the change already at ${short(commit)} when the task landed there`);
    found.unproven.push(`whose commit brought the change onto ${onto}`, later);
    return;
  }
  found.unproven.push(later);
  if (agreed.length > 0) found.proves.push(`${agreed.join(' and ')} approved what landed on ${onto}`);
  const made = { objects, used, lands, commit };
  const author = commitFacts(found, made);
  if (author === null) return;
  const checked =
    gates === null
      ? 'that was judged'
      : `on which ${gates.length === 0 ? 'no gate ran' : `${gates.join(', ')} passed`}${together === null ? '' : ` with further changes that landed at the same time, as tree ${short(together)}`}`;
  found.proves.push(
    `it landed on ${onto} as commit ${short(commit)} by ${author}: the tree ${checked}, on top of ${short(lands.base)}`,
  );
  const changes = changesOf(found, made);
  if (changes === null) return;
  const accepted = acceptedChanges({ objects, used, own });
  if (accepted !== null) samePaths(found, { changes, accepted, told });
  else found.unproven.push(`that ${onto} got only files of the accepted change: its trees are not in the bundle`);
}

/** Returns the author; null if the commit does not match the events, or is missing. */
function commitFacts(found: LandingFindings, { objects, used, lands, commit }: LandingCheck): string | null {
  const head = commitIn(objects, commit);
  if (head === null) {
    found.unproven.push(`what commit ${short(commit)} holds: it is not in the bundle (gone, or it holds a secret)`);
    return null;
  }
  used.add(commit);
  const { tree, parents, author } = head;
  if (tree !== lands.tree)
    found.problems.push(`commit ${short(commit)} holds tree ${short(tree)}, and ${short(lands.tree)} was checked`);
  else if (parents[0] !== lands.base)
    found.problems.push(`the first parent of commit ${short(commit)} is not ${short(lands.base)}, which was read`);
  else return Buffer.from(author.replace(/ \d+ [+-]\d{4}$/, ''), 'latin1').toString('utf8');
  return null;
}

/** Returns what a commit changed, from its trees; null if a tree is missing or the change differs. */
function changesOf(
  found: LandingFindings,
  { objects, used, lands, commit }: LandingCheck,
): readonly RawChange[] | null {
  const raw = rawBetween(objects, used, lands);
  if (raw === null) {
    found.unproven.push(`which files commit ${short(commit)} changes: its trees are not in the bundle`);
    return null;
  }
  if (changeId(raw) === lands.change_id) return parseRawDiff(raw);
  found.problems.push(`commit ${short(commit)} changes other files than change ${lands.change_id.slice(0, 16)}…`);
  return null;
}

function acceptedChanges({ objects, used, own }: Pick<LandingCheck, 'objects' | 'used'> & { readonly own: Candidate }) {
  const raw = rawBetween(objects, used, own);
  return raw === null || changeId(raw) !== own.change_id ? null : parseRawDiff(raw);
}

function rawBetween(objects: GitObjects, used: Set<string>, { base, tree }: Candidate): string | null {
  const from = commitIn(objects, base);
  if (from === null) return null;
  used.add(base);
  const { raw, missing, seen } = treeDiff(objects, from.tree, tree);
  for (const id of seen) used.add(id);
  return missing.length === 0 ? raw : null;
}

type Compared = {
  readonly changes: readonly RawChange[];
  readonly accepted: readonly RawChange[];
  readonly told: ToldLanding;
};

/**
 * A landing contains what was accepted and nothing else, except files that the branch changed too: those were merged.
 */
function samePaths(found: LandingFindings, { changes, accepted, told: { onto, commit, lands, own } }: Compared): void {
  const paths = new Set(accepted.map(({ path }) => path));
  const foreign = changes.flatMap(({ path }) => (paths.has(path) ? [] : [shown(path)]));
  if (foreign.length > 0) {
    found.problems.push(
      `commit ${short(commit)} changes ${foreign.slice(0, 5).join(', ')}, which the task did not change`,
    );
    return;
  }
  if (lands?.change_id === own.change_id) {
    found.proves.push(`${onto} got exactly the accepted change, and nothing else`);
    return;
  }
  const before = new Map(changes.map((change) => [change.path, change.before?.id]));
  const both = accepted.flatMap((change) => {
    const wasThere = before.has(change.path) && before.get(change.path) === change.before?.id;
    return wasThere ? [] : [shown(change.path)];
  });
  found.proves.push(`${onto} got changes in files of the accepted change only`);
  found.unproven.push(
    `that ${both.slice(0, 5).join(', ')} ${both.length === 1 ? 'was' : 'were'} merged as git does: ${onto} had changed them too`,
  );
}
