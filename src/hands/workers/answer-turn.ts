/**
 * Asks a worker once more for a missing answer, in a short separate run: it gets the form of the answer and what was
 * done, and can read the tree but not change it. The work is not redone, and no attempt is used up.
 */
import { randomBytes } from 'node:crypto';
import type { AttemptProxy } from '../../engine/ports/egress.ts';
import type { SandboxPolicy } from '../../engine/ports/sandbox.ts';
import type { Captured } from '../../engine/ports/workspace.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { Cost } from '../../mind/domain/values.ts';
import { renderAnswerOnly } from '../../mind/prompts/repair-prompt.ts';
import type { RunEnd, TreeCheck } from '../../mind/workers/outcome.ts';
import type { WorkerOptions } from './options.ts';
import type { Transcript } from './transcript.ts';
import { isReadable, type PlayedTurns, playTurns, type ReadyCommand, sum, unreadable } from './turns.ts';
import type { TurnPrompt, WorkerCommand } from './worker-command.ts';

/** The result, for the record. */
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
  readonly played: PlayedTurns;
  readonly taken: Captured | null;
  readonly check: TreeCheck | null;
};

/**
 * Why an answer is missing; null if there is one, or if asking is useless because the tree is refused or the session
 * was asked already.
 */
export function owedReason({ answer, played, taken, check }: Owing): string | null {
  if (played.turns > 1 || taken?.type === 'refused' || check?.ok === false) return null;
  return unreadable(played.listened, played.told, answer);
}

/** Runs it; null if it cannot be asked. */
export async function playAnswerTurn(
  options: Pick<WorkerOptions, 'sandbox' | 'clock' | 'templates' | 'redact'>,
  owing: Owing & { readonly reason: string },
  place: {
    readonly commandOf: (said: TurnPrompt) => Promise<WorkerCommand>;
    readonly policy: (command: ReadyCommand) => SandboxPolicy;
    readonly proxy: AttemptProxy | null;
    readonly transcript: Transcript;
  },
  signal: AbortSignal,
): Promise<{ readonly played: PlayedTurns; readonly turn: AnswerTurn } | null> {
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
  place.transcript.add('note', Buffer.from(`its answer could not be read; asking for the answer alone: ${why}\n`));
  const { heard } = played.listened;
  // The output of this run says nothing about the run whose answer is missing.
  const stderr = await place.transcript.stderrSoFar();
  const dialogue = { first: command, answer, session: null, more: 0, again: () => Promise.resolve(command) };
  const { told, listened } = await playTurns(options, dialogue, place, signal);
  const answered = isReadable(listened, told, answer);
  const cost = sum(played.told.cost, told.cost);
  return {
    played: {
      told: { ...played.told, cost, final: answered ? told.final : final },
      listened: { ...played.listened, heard: { limits: heard.limits, unfinished: '', stderr } },
      turns: played.turns + 1,
    },
    turn: { reason: why, answered, end: listened.result.end, ms: listened.result.ms, cost: told.cost },
  };
}

const changedText = ({ path, before, after }: { path: string; before: string | null; after: string | null }): string =>
  `${path} (${before === null ? 'new' : after === null ? 'removed' : 'changed'})`;
