/** Applies an accepted candidate: one deterministic commit on a branch of its own, found again after a crash. */
import type { ApplyReport, Hands } from '../../engine/ports/hands.ts';
import { type Publication, WorkspaceError, type Workspaces } from '../../engine/ports/workspace.ts';
import type { CandidateApply, Effect } from '../../mind/domain/effects.ts';

export function branchApplier(workspaces: Pick<Workspaces, 'publish' | 'published'>): Hands['applier'] {
  return {
    async probe(effect, work) {
      const commit = await workspaces.published(publicationOf(effect, work));
      return commit === null ? null : { status: 'applied', commit, branch: work.branch };
    },
    async run(effect, work) {
      try {
        const done = await workspaces.publish(publicationOf(effect, work));
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

/** All of it comes from the log, so that a repeated apply gives the same commit. */
function publicationOf(effect: Effect, { branch, candidate, title, created }: CandidateApply): Publication {
  const trailers = `Supervisor-Task: ${effect.task}\nSupervisor-Change: ${candidate.change_id}`;
  return { branch, candidate, message: `${title}\n\n${trailers}`, time: created };
}
