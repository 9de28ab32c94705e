/**
 * The hands of `--simulate`: they play a script instead of starting processes. They change no repository, so they
 * report no commit and no branch.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import type { Hands } from '../../engine/ports/hands.ts';
import type { Clock } from '../../engine/ports/surroundings.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { AnswerFacts, Candidate, Spec } from '../../mind/domain/values.ts';
import type { Effect } from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { type Play, playFor, type Script } from '../../mind/workers/script.ts';

export function scriptedHands(scriptOf: (spec: Spec, task: TaskId) => Script, clock: Clock): Hands {
  const note = (effect: Effect) => {
    const { ledger } = scriptOf(effect.work.spec, effect.task);
    if (ledger !== undefined) appendFileSync(ledger, `${effect.work.kind} ${effect.key}\n`);
  };
  return {
    worker: {
      async run(effect, work, context) {
        const play = playFor(scriptOf(work.spec, effect.task), effect.step ?? '', work.attempt.number);
        await pause(clock, play.after ?? 0, context.signal);
        if (context.signal.aborted) return { class: 'interrupted', reason: 'it was told to stop' };
        note(effect);
        const outcome = play.outcome ?? 'ok';
        const answer = await context.keep(play.says ?? `attempt ${work.attempt.number} of ${effect.step} was played`);
        const candidate =
          outcome === 'ok' && work.attempt.kind === 'change' ? playedCandidate(effect, play, work) : null;
        const cost = {
          microusd: play.cost_usd === undefined ? null : Math.round(play.cost_usd * 1e6),
          tokens_in: null,
          tokens_out: null,
        };
        const reset_at = play.resets === undefined ? null : clock.now() + play.resets;
        const said = outcome === 'ok' && work.attempt.kind === 'answer' ? playedReview(play) : null;
        return { class: outcome, reason: play.reason ?? '', candidate, answer, said, cost, reset_at };
      },
    },
    gate: {
      async run(effect, work, context) {
        const status =
          playFor(scriptOf(work.spec, effect.task), effect.step ?? '', work.attempt).gates?.[work.gate] ?? 'pass';
        note(effect);
        return { status, evidence: await context.keep(`gate ${work.gate} was played: ${status}`) };
      },
    },
    applier: {
      async probe(effect) {
        return hasDone(scriptOf(effect.work.spec, effect.task), effect) ? { status: 'applied', commit: null } : null;
      },
      async run(effect) {
        note(effect);
        return { status: 'applied', commit: null };
      },
    },
    // A simulated task has no commit, so it never joins a line's queue or reads a line.
    lander: {
      integrate: async () => ({ status: 'refused', reason: PLAYED }),
      probe: async () => null,
      move: async () => ({ status: 'refused', reason: PLAYED }),
      read: async () => ({ status: 'refused', reason: PLAYED }),
    },
    notifier: {
      async run(effect) {
        note(effect);
        return { result: 'written to the ledger' };
      },
    },
  };
}

const PLAYED = 'a simulated task changes no branch';

const playedReview = ({ review = 'APPROVED' }: Play): AnswerFacts => ({
  status: review,
  confidence: null,
  findings: null,
  vetoes: null,
  dismissed: null,
});

/**
 * Stands for a tree. A script entry that names its result gives the same tree again. One that does not gives another
 * tree than those that were sent back; lost attempts do not change it.
 */
function playedCandidate(effect: Effect, play: Play, work: WorkerRun): Candidate {
  const { files, run } = play;
  const isSaid = files !== undefined || run !== undefined;
  const made = isSaid ? { files, run } : { ...play, ...sentBack(work) };
  const tree = sha256(JSON.stringify([effect.step, made])).slice(0, 40);
  return { base: 'played', tree, change_id: sha256(tree) };
}

function sentBack({ made, start, findings, attempt }: WorkerRun): object {
  if (start !== null) return { after: start.tree, rounds: made.length };
  // A workflow may require a fresh start although gates sent it back.
  if (findings.length > 0) return { attempt: attempt.number };
  return made.length > 0 ? { rounds: made.length } : {};
}

function hasDone({ ledger }: Script, effect: Effect): boolean {
  if (ledger === undefined) return false;
  try {
    return readFileSync(ledger, 'utf8').includes(`${effect.work.kind} ${effect.key}\n`);
  } catch {
    return false;
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done);
  });
}
