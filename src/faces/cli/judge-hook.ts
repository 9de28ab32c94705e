/**
 * `judge --hook`: reads what Claude Code or Codex send at the end of a turn, and answers so that the agent learns the
 * verdict.
 */
import { keepRounds, roundsOf } from '../../app/judge/hook-rounds.ts';
import type { HookAnswer } from '../../mind/judgement/hook.ts';
import { hookAnswer } from '../../mind/judgement/hook.ts';
import type { Judgement } from '../../mind/judgement/judgement.ts';
import { type CommandContext, EXIT, text, UsageError } from './command.ts';
import { Output } from './output.ts';

const HOOKS = ['claude', 'codex'];
const MAX_BYTES = 16 << 20;

export const isHook = ({ flags }: CommandContext): boolean => flags['hook'] !== undefined;

/**
 * Always prints one line of JSON and exits with 0. Other codes have a meaning for agents: 2 would tell them to repair a
 * missing sandbox.
 */
export async function answerHook(
  context: CommandContext,
  judge: (quiet: CommandContext) => Promise<Judgement | null>,
): Promise<number> {
  const name = text(context.flags['hook']) ?? '';
  if (!HOOKS.includes(name)) throw new UsageError(`--hook ${name}: there are ${HOOKS.join(' and ')}`);
  const quiet = { ...context, out: new Output(true) };
  const answer = await answerOf(quiet, judge);
  if (answer === null) return EXIT.interrupted;
  quiet.out.value(answer, 'line');
  return EXIT.done;
}

async function answerOf(
  context: CommandContext,
  judge: (quiet: CommandContext) => Promise<Judgement | null>,
): Promise<HookAnswer | null> {
  const { environment } = context;
  try {
    const { session, again } = await readTurn();
    const sentBack = again ? roundsOf(environment, session) : 0;
    const judgement = await judge(context);
    if (judgement === null) return null;
    const answer = hookAnswer(judgement, sentBack);
    if ('decision' in answer) keepRounds(environment, session, sentBack + 1);
    return answer;
  } catch (error) {
    return { systemMessage: `supervisor could not judge this turn: ${(error as Error).message}` };
  }
}

/** `again`: the turn goes on because a stop hook sent it back. */
async function readTurn(): Promise<{ readonly session: string; readonly again: boolean }> {
  if (process.stdin.isTTY === true)
    throw new UsageError('--hook reads what the agent says on standard input: it is called by the agent');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw new UsageError('standard input is too long for a hook');
    pieces.push(piece);
  }
  let said: unknown;
  try {
    said = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new UsageError('standard input holds no JSON: --hook is called by the agent');
  }
  const { session_id, stop_hook_active } = (said ?? {}) as Readonly<Record<string, unknown>>;
  return { session: typeof session_id === 'string' ? session_id : 'unknown', again: stop_hook_active === true };
}
