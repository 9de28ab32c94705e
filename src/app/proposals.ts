/** Open proposals of models, and what each would do today, found by running the decision itself. */
import { loadProject, loadStream, revive } from '../engine/loading.ts';
import type { Store } from '../engine/ports/store.ts';
import type { ProjectId, ProposalId, TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { personOf } from '../mind/approvals/people.ts';
import { decide } from '../mind/decisions/decide.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../mind/domain/project.ts';
import type { Proposal } from '../mind/domain/proposal.ts';
import { proposalStream, streamId, taskStream } from '../mind/domain/stream-name.ts';
import { eventText } from '../mind/protocol/event-text.ts';
import { proposalText } from '../mind/protocol/proposal-text.ts';

export type ProposalView = {
  readonly proposal: ProposalId;
  readonly by: string;
  readonly made_at: number;
  /** What it asks for, in one line. */
  readonly text: string;
  readonly command: Proposal['command'];
  /** A sentence for each fact that would follow; empty if none would, or if it cannot be carried out. */
  readonly would: readonly string[];
  /** Why it cannot be carried out today; null if it can. */
  readonly stale: string | null;
};

/** The oldest first. */
export async function openProposals(store: Store, id: ProjectId, now: number): Promise<readonly ProposalView[]> {
  const streams = await openStreams(store, id);
  if (streams.length === 0) return [];
  const { project } = await loadProject(store, id);
  const views: ProposalView[] = [];
  for (const stream of streams) {
    const view = await viewOf(store, id, { project, stream, now });
    if (view !== null) views.push(view);
  }
  return views.sort((one, other) => one.made_at - other.made_at);
}

const openStreams = async (store: Store, id: ProjectId): Promise<readonly string[]> =>
  (await store.liveStreams(id)).filter((stream) => stream.startsWith('proposal/'));

/** Finds an open proposal by its id or a prefix. For a decided one it reports who decided. */
export async function findProposal(
  store: Store,
  id: ProjectId,
  { named, now }: { readonly named: string; readonly now: number },
): Promise<ProposalView | Rejection> {
  const prefix = proposalStream(named as ProposalId);
  const streams = (await store.rowsNamed(id, { prefix, limit: 2 })).map(({ stream }) => stream);
  const [stream, second] = streams.includes(prefix) ? [prefix] : streams;
  if (stream === undefined || named === '')
    return rejected(
      'unknown_proposal',
      `there is no proposal ${named} in this project; \`supervisor proposals\` lists them`,
    );
  if (second !== undefined) return rejected('ambiguous_proposal', `${named} fits several proposals`);
  const { project } = await loadProject(store, id);
  return (await viewOf(store, id, { project, stream, now })) ?? decidedAlready(store, id, stream);
}

async function viewOf(
  store: Store,
  id: ProjectId,
  { project, stream, now }: { readonly project: Project; readonly stream: string; readonly now: number },
): Promise<ProposalView | null> {
  const proposal = project.proposals.get(streamId(stream));
  if (proposal === undefined) return null;
  const [first] = (await store.readStream(id, stream, 0)).events;
  const { command, by } = proposal;
  const target = typeof command['task'] === 'string' ? (command['task'] as TaskId) : null;
  // A closed task is not in memory, so its stream is folded for this one look.
  const known =
    target === null || project.tasks.has(target)
      ? project
      : (await loadStream(store, id, taskStream(target), project)).project;
  const answer = { type: 'proposal.accept', proposal: proposal.id, reason: '' } as const;
  const decision = decide(known, {
    id: 'look',
    actor: { kind: 'operator', name: '' },
    at: now,
    dice: 0,
    command: answer,
  });
  const facts = decision.type === 'rejected' ? [] : decision.events;
  return {
    proposal: proposal.id,
    by,
    made_at: first?.time ?? 0,
    text: proposalText(command),
    command,
    would: facts.filter(isOfTheCommand).map((event) => eventText(event).text),
    stale: decision.type === 'rejected' ? decision.message : null,
  };
}

const isOfTheCommand = ({ type }: NewEvent): boolean => type !== 'proposal.decided';

/** The proposal was decided in another terminal a moment ago, or long ago. */
async function decidedAlready(store: Store, id: ProjectId, stream: string): Promise<Rejection> {
  const events = (await store.readStream(id, stream, 0)).events.map(revive);
  const end = events.findLast((event) => event.type === 'proposal.decided');
  if (end?.type !== 'proposal.decided') throw new Error(`${stream} is neither open nor decided`);
  const { accepted, by, why } = end.data;
  const said = why === '' ? '' : ` (${why})`;
  return rejected(
    'proposal_decided',
    `proposal ${streamId(stream)} was ${accepted ? 'accepted' : 'rejected'} by ${personOf(by)} at ${new Date(end.time).toISOString()}${said}`,
  );
}

/** One line for each open proposal, for `status`; does not work out its effects. */
export async function proposedNow(
  store: Store,
  id: ProjectId,
): Promise<readonly { readonly proposal: string; readonly text: string; readonly by: string }[]> {
  const found = [];
  for (const stream of await openStreams(store, id)) {
    const { project } = await loadStream(store, id, stream, EMPTY_PROJECT);
    const proposal = project.proposals.get(streamId(stream));
    if (proposal !== undefined)
      found.push({ proposal: proposal.id, text: proposalText(proposal.command), by: proposal.by });
  }
  return found;
}
