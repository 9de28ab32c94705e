/** Applies an accepted candidate: one deterministic commit on its own branch, found again after a crash. */
import type { ApplyReport, HandContext, Hands } from '../../engine/ports/hands.ts';
import { type Publication, WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import { missingEntry } from '../../mind/changes/changelog.ts';
import type { CandidateApply, Effect } from '../../mind/domain/work.ts';
import { commitMessage } from '../../mind/protocol/commit-message.ts';

export function branchApplier(
  workspaces: Pick<Workspaces, 'publish' | 'published' | 'changes' | 'paths'>,
): Hands['applier'] {
  return {
    async probe(effect, work, context) {
      const commit = await workspaces.published(await publicationOf(effect, work, context));
      return commit === null ? null : { status: 'applied', commit, branch: work.branch };
    },
    async run(effect, work, context) {
      try {
        const missing = work.requireChangelog === true ? await entryMissing(workspaces, work.candidate) : null;
        if (missing !== null) return { status: 'refused', commit: null, reason: missing };
        const done = await workspaces.publish(await publicationOf(effect, work, context));
        if (done.type === 'published') return { status: 'applied', commit: done.commit, branch: work.branch };
        const reason = `branch ${work.branch} exists and holds ${done.found}: rename or delete it, then \`supervisor resume ${effect.task}\``;
        return { status: 'conflict', commit: null, reason };
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        return { status: 'error', commit: null, reason: error.message } satisfies ApplyReport;
      }
    },
  };
}

async function entryMissing(
  workspaces: Pick<Workspaces, 'changes' | 'paths'>,
  candidate: CandidateApply['candidate'],
): Promise<string | null> {
  return missingEntry(await workspaces.changes(candidate), await workspaces.paths(candidate.tree));
}

/** Everything comes from the log, so that a repeated apply gives the same commit. */
export async function publicationOf(
  { task }: Effect,
  work: Omit<CandidateApply, 'kind' | 'onto'>,
  { read }: Pick<HandContext, 'read'>,
): Promise<Publication> {
  const { branch, candidate, title, spec, answer, created, red, degraded, judged, people, merges, replaces } = work;
  const said = answer === null ? null : await read(answer);
  const message = commitMessage({
    title,
    text: spec.text,
    answer: said,
    task,
    change: candidate.change_id,
    red,
    ...(degraded === undefined ? {} : { degraded }),
    conventional: spec.git?.conventional,
    judged,
    people,
    isMerge: merges !== undefined,
  });
  return {
    branch,
    candidate,
    message,
    time: created,
    author: spec.author,
    ...(merges === undefined ? {} : { merges }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}
