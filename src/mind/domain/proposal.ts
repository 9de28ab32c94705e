/** A stored command that waits for the operator. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { ProposalId } from '../../kernel/ids.ts';
import type { ProposalEvent } from './events/index.ts';

export type Proposal = {
  readonly id: ProposalId;
  readonly command: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly why: string;
  readonly decided: boolean;
};

export const PROPOSAL_REDUCER = 1;

export function evolveProposal(proposal: Proposal | undefined, event: ProposalEvent): Proposal {
  switch (event.type) {
    case 'proposal.made':
      return {
        id: event.data.proposal,
        command: event.data.command,
        by: event.data.by,
        why: event.data.why,
        decided: false,
      };
    case 'proposal.decided':
      if (proposal === undefined) throw new Error('a proposal was decided that was never made');
      return { ...proposal, decided: true };
    default:
      return assertNever(event, 'proposal event');
  }
}
