/**
 * The answer that a worker owes is asked for once more, in a short run of its own: the form of the answer and what was done,
 * on the tree as it was left, which it can read and not change. The work is not redone, and no attempt is used up.
 */
import { randomBytes } from 'node:crypto';
import type { EgressDoor } from '../../engine/ports/egress.ts';
import type { SandboxPolicy } from '../../engine/ports/sandbox.ts';
import type { Captured } from '../../engine/ports/workspace.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { Cost } from '../../mind/domain/values.ts';
import { renderAnswerOnly } from '../../mind/prompts/again.ts';
import type { RunEnd, TreeCheck } from '../../mind/workers/outcome.ts';
import type { WorkerOptions } from './options.ts';
import type { Transcript } from './transcript.ts';
import { isReadable, type Played, playTurns, type Ready, sum, unreadable } from './turns.ts';
import type { Command, Said } from './worker-command.ts';

/** What came of it, for the record. */
export type AnswerTurn = {
  readonly reason: string;
  /** Whether its answer was used. */
  readonly answered: boolean;
  readonly end: RunEnd;
  readonly ms: number;
  readonly cost: Cost;
};

export type Owing = {
  readonly answer: AnswerKind;
  readonly played: Played;
  readonly taken: Captured | null;
  readonly check: TreeCheck | null;
};

/** Why an answer is owed; null: there is one, or it would help nobody, because the tree is refused or the session was asked. */
export function owedReason({ answer, played, taken, check }: Owing): string | null {
  if (played.turns > 1 || taken?.type === 'refused' || check?.ok === false) return null;
  return unreadable(played.listened, played.told, answer);
}

/** Runs it. Null: it cannot be asked. */
export async function playAnswerTurn(
  options: Pick<WorkerOptions, 'sandbox' | 'clock' | 'templates' | 'redact'>,
  owing: Owing & { readonly reason: string },
  place: {
    readonly commandOf: (said: Said) => Promise<Command>;
    readonly policy: (command: Ready) => SandboxPolicy;
    readonly door: EgressDoor | null;
    readonly transcript: Transcript;
  },
  signal: AbortSignal,
): Promise<{ readonly played: Played; readonly turn: AnswerTurn } | null> {
  const { answer, played, taken, reason } = owing;
  const { final } = played.told;
  const [words = '', why = '', ...changed] = await options.redact([
    final.type === 'text' ? final.text : '',
    reason,
    ...(taken?.type === 'candidate' ? taken.changed.map(changedText) : []),
  ]);
  const text = renderAnswerOnly(
    { answer, reason: why, words, changed: taken === null ? null : changed },
    options.templates(),
    randomBytes(16).toString('hex'),
  );
  const command = await place.commandOf({ text, answer, session: null, answerOnly: true });
  if (command.type === 'refused') return null;
  place.transcript.add('note', Buffer.from(`its answer could not be read, so the answer alone is asked for: ${why}\n`));
  const dialogue = { first: command, answer, session: null, more: 0, again: () => Promise.resolve(command) };
  const { told, listened } = await playTurns(options, dialogue, place, signal);
  const answered = isReadable(listened, told, answer);
  const cost = sum(played.told.cost, told.cost);
  return {
    played: {
      told: { ...played.told, cost, final: answered ? told.final : final },
      listened: played.listened,
      turns: played.turns + 1,
    },
    turn: { reason: why, answered, end: listened.result.end, ms: listened.result.ms, cost: told.cost },
  };
}

const changedText = ({ path, before, after }: { path: string; before: string | null; after: string | null }): string =>
  `${path} (${before === null ? 'new' : after === null ? 'removed' : 'changed'})`;
