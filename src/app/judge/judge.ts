/** Judges one change without a task: what its text says, what gates find, and the decision. Nothing is written to the log. */
import { join } from 'node:path';
import type { ChangedPath } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { RuleFinding } from '../../mind/findings/index.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import { decide } from '../../mind/judgement/judge-decision.ts';
import type { Judgement } from '../../mind/judgement/judgement.ts';
import { rewrittenTests } from '../../mind/judgement/rewritten-tests.ts';
import { thisProcess } from '../../os/machine/identity.ts';
import type { Environment } from '../config/environment.ts';
import type { OpenedProject } from '../open.ts';
import type { ProjectAt } from '../open-store.ts';
import type { RealHands } from '../real-hands.ts';
import { findingsOf } from './judge-findings.ts';
import { type GateProgress, JUDGE_PREFIX, judgementName, runGatesOn } from './judge-gates.ts';
import { askReviewers, type ReviewAsk } from './judge-reviews.ts';
import { changeOf, type JudgedChange, type JudgeTarget } from './judge-target.ts';
import { judgeContext } from './judge-texts.ts';

type JudgeAsk = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly real: RealHands;
  readonly checkout: string;
  readonly settings: Settings;
  readonly target: JudgeTarget;
  readonly gates: readonly GateConfig[];
  readonly canary: boolean;
  /** The task as the operator described it; null: use the commit messages. */
  readonly task: string | null;
  /** The reviews to run if nothing has rejected the change yet; may be empty. */
  readonly reviews: readonly ReviewAsk[];
  readonly wallMs: number;
  readonly progress: GateProgress & {
    review(ask: ReviewAsk): void;
    change(changed: readonly ChangedPath[]): void;
    findings(found: readonly RuleFinding[]): void;
  };
  readonly signal: AbortSignal;
};

export async function judge(ask: JudgeAsk): Promise<Judgement> {
  const { real, target, checkout, opened } = ask;
  const name = judgementName(opened.deps.chance.id('j'));
  const began = performance.now();
  try {
    const change = await changeOf(real.workspaces, target, { checkout, name });
    return await judgeChange(ask, change, { name, began });
  } finally {
    if (target.commit === null) await real.workspaces.release(name);
  }
}

async function judgeChange(
  ask: JudgeAsk,
  change: JudgedChange,
  { name, began }: { readonly name: string; readonly began: number },
): Promise<Judgement> {
  const { target } = ask;
  const task = ask.task ?? target.message;
  const about = {
    target: {
      kind: target.kind,
      name: target.name,
      commit: target.commit,
      base: target.base,
      tree: null,
      change_id: null,
    },
    task: ask.task !== null ? 'operator' : task === '' ? 'none' : 'commits',
    artifacts: [],
    gates: [],
    findings: [],
  } as const;
  const since = () => Math.round(performance.now() - began);
  if (change.type === 'nothing')
    return {
      ...about,
      decision: 'APPROVE',
      score: null,
      reasons: ['nothing was changed'],
      codes: ['nothing_changed'],
      ms: since(),
    };
  if (change.type === 'refused')
    return {
      ...about,
      decision: 'REJECT',
      score: 0,
      reasons: change.problems,
      codes: ['not_a_candidate'],
      ms: since(),
    };
  const { candidate, changed } = change;
  ask.progress.change(changed);
  const { gates, findings } = await factsOf(ask, { candidate, changed, task, name });
  // No review can lift a decision of a gate or the diff, so none is paid for then.
  const isOpen = decide(gates, findings).decision !== 'REJECT' || isBorderline(ask, gates, findings);
  const reviews = ask.reviews.length === 0 ? undefined : isOpen ? await reviewsOf(ask, { candidate, name, gates }) : [];
  return {
    ...about,
    target: { ...about.target, tree: candidate.tree, change_id: candidate.change_id },
    artifacts: changed.map(artifactOf),
    gates,
    findings,
    ...(reviews === undefined ? {} : { reviews }),
    ...decide(gates, findings, reviews),
    ms: since(),
  };
}

type JudgedCandidate = Omit<Extract<JudgedChange, { type: 'change' }>, 'type'>;

/** Findings of the diff, of the gates, and those that need both. */
async function factsOf(
  ask: JudgeAsk,
  { candidate, changed, task, name }: JudgedCandidate & { readonly task: string; readonly name: string },
): Promise<Pick<Judgement, 'gates' | 'findings'>> {
  const { environment, project, opened, real, settings, progress, signal } = ask;
  const { workspaces } = real;
  const outputs = real.environments?.outputs ?? [];
  const { commonDir } = project;
  const ofDiff = await findingsOf({ workspaces, commonDir, candidate, changed, task, settings, outputs });
  progress.findings(ofDiff.findings);
  const dir = join(environment.stateDir, 'evidence', project.id);
  const gates = await runGatesOn({
    name,
    hand: real.hands(false).gate,
    gates: ask.gates,
    canary: ask.canary,
    candidate,
    spec: { version: 1, text: task === '' ? 'judge' : task },
    context: judgeContext({ dir, store: opened.store, redact: opened.deps.redact }, signal),
    progress,
  });
  const { testPaths } = settings;
  const { named } = ofDiff;
  const rewritten = rewrittenTests({ gates, changed, testPaths, words: task, ownWords: ask.task !== null, named });
  return { gates, findings: [...ofDiff.findings, ...rewritten] };
}

/** Only the score is too low, and there are enough reviewers to decide. */
const isBorderline = ({ reviews }: JudgeAsk, ...facts: Parameters<typeof decide>): boolean =>
  reviews.length > 1 && decide(...facts).codes.includes('borderline');

async function reviewsOf(
  ask: JudgeAsk,
  {
    candidate,
    name,
    gates,
  }: Pick<JudgedCandidate, 'candidate'> & { readonly name: string; readonly gates: Judgement['gates'] },
): Promise<NonNullable<Judgement['reviews']>> {
  const { environment, project, opened, real, task, progress, signal, wallMs } = ask;
  const dir = join(environment.stateDir, 'evidence', project.id);
  return askReviewers({
    name,
    candidate,
    task,
    gates,
    wallMs,
    asks: ask.reviews,
    hand: real.hands(false).worker,
    context: judgeContext({ dir, store: opened.store, redact: opened.deps.redact }, signal),
    now: opened.deps.clock.now(),
    begins: progress.review,
  });
}

/** Two changes of a file have the same hash if both their contents before and after are equal. */
const artifactOf = ({ path, before, after }: ChangedPath) => ({
  path,
  diff_hash: sha256(`${before ?? 'none'}\0${after ?? 'none'}`),
});

/** Removes what killed processes left, unless another process works on the project. */
export async function clearLeftovers({ project, opened, real, environment }: ClearAsk): Promise<void> {
  const { store } = opened;
  await real.workspaces.releaseAbandoned(JUDGE_PREFIX);
  // A project without a log has no driver.
  if (!(await store.knows(project.id))) return opened.settle();
  const lease = await store.acquire(project.id, thisProcess(), environment.leaseMs);
  if (lease.type === 'held') return;
  try {
    await opened.settle();
  } finally {
    await store.release(project.id, lease.token);
  }
}

type ClearAsk = Pick<JudgeAsk, 'project' | 'opened' | 'real' | 'environment'>;
