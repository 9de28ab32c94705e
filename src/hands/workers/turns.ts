/**
 * The turns of one attempt. Most have one. If the step allows it and the CLI keeps sessions, it is asked again in the
 * same session when its answer cannot be parsed: it still has what it learned and changed, so that is cheaper than an
 * attempt.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AttemptProxy } from '../../engine/ports/egress.ts';
import type { SandboxPolicy } from '../../engine/ports/sandbox.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { Cost } from '../../mind/domain/values.ts';
import { renderAgain } from '../../mind/prompts/repair-prompt.ts';
import type { CliRequest, CliResult } from '../../mind/workers/adapter.ts';
import { atLeast } from '../../mind/workers/adapters/fields.ts';
import { readAnswer } from '../../mind/workers/answer.ts';
import { badEnd } from '../../mind/workers/outcome.ts';
import { trustedResult } from '../../mind/workers/trusted-result.ts';
import type { WorkerOptions } from './options.ts';
import { type CliRun, listen } from './run-cli.ts';
import type { Transcript } from './transcript.ts';
import type { WorkerCommand } from './worker-command.ts';

export type ReadyCommand = Extract<WorkerCommand, { type: 'command' }>;
export type Session = NonNullable<CliRequest['session']>;
export type PlayedTurns = { readonly told: CliResult; readonly listened: CliRun; readonly turns: number };

/** Returns null if the worker is asked only once. */
export const newSession = (turns: number): Session | null =>
  turns === 0 ? null : { id: randomUUID(), told: null, goesOn: false };

/** The prompt of a worker, and how to ask it again. */
type Dialogue = {
  readonly first: ReadyCommand;
  readonly answer: AnswerKind;
  /** The session to continue; null if the worker is asked only once. */
  readonly session: Session | null;
  /** How often it may be asked again. */
  readonly more: number;
  /** Builds the command for another turn. */
  readonly again: (text: string, session: Session) => Promise<WorkerCommand>;
};

/** Where the worker runs. */
type TurnRuntime = {
  readonly policy: (command: ReadyCommand) => SandboxPolicy;
  readonly proxy: AttemptProxy | null;
  readonly transcript: Transcript;
};

export async function playTurns(
  options: Pick<WorkerOptions, 'sandbox' | 'clock' | 'templates'>,
  { first, answer, more, again, ...start }: Dialogue,
  { policy, proxy, transcript }: TurnRuntime,
  signal: AbortSignal,
): Promise<PlayedTurns> {
  let command = first;
  let { session } = start;
  let spent: Cost | null = null;
  for (let turns = 1; ; turns += 1) {
    const listened = await listen({ sandbox: options.sandbox, command, policy: policy(command), transcript, signal });
    const seen = proxy?.report() ?? null;
    const last = trustedResult(
      command.listener.end({
        exit: listened.result.end.how === 'exit' ? listened.result.end : { how: 'other' },
        now: options.clock.now(),
        upstream: seen?.upstream ?? null,
      }),
      { routed: command.egress?.route != null, refusals: seen?.refusals ?? [] },
    );
    const told: CliResult = {
      ...last,
      cost: spent === null ? last.cost : (command.cumulative ? atLeast : sum)(spent, last.cost),
    };
    const reason = turns <= more && session !== null ? unreadable(listened, told, answer) : null;
    if (reason === null || session === null || !isSessionId(told.session)) return { told, listened, turns };
    session = { ...session, told: told.session, goesOn: true };
    const seed = randomBytes(16).toString('hex');
    const next = await again(renderAgain(answer, reason, options.templates(), seed), session);
    if (next.type === 'refused') return { told, listened, turns };
    transcript.add('note', Buffer.from(`its answer could not be read; asking again: ${reason}\n`));
    [command, spent] = [next, told.cost];
  }
}

/** The session id becomes an argument of the next turn, and its source is not trusted. */
const isSessionId = (id: string | null): id is string => id !== null && /^[A-Za-z0-9][\w.-]{0,127}$/.test(id);

/** Why its answer does not parse; null if it does, or if something else went wrong. */
export function unreadable({ result, heard }: CliRun, told: CliResult, answer: AnswerKind): string | null {
  if (badEnd(result.end, heard, told) !== null) return null;
  const parsed = readAnswer(answer, told.final);
  return parsed.type === 'invalid' ? parsed.reason : null;
}

export const isReadable = ({ result, heard }: CliRun, told: CliResult, answer: AnswerKind): boolean =>
  badEnd(result.end, heard, told) === null && readAnswer(answer, told.final).type === 'answer';

export const sum = (before: Cost, now: Cost): Cost => ({
  microusd: plus(before.microusd, now.microusd),
  tokens_in: plus(before.tokens_in, now.tokens_in),
  tokens_out: plus(before.tokens_out, now.tokens_out),
});

/** If either part is unknown, so is the sum. */
const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
