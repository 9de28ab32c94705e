/**
 * Reviews and approvals hold for one change. A landing may turn it into another one, or come after an approval has
 * expired: then people are asked again, about exactly what would land.
 */
import { degradedSteps, degradedText, type Evidence, type LandingAsk, type Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import { ACTIONS, LEVELS, type Needed } from '../workflows/approval-policy.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { type Approver, approverOf, missing } from './people.ts';
import { atLeastOne, minOf, neededFor } from './required-approvals.ts';
import { least, leastCoverage, riskFactsOf } from './risk.ts';

/** What a person types instead of a step. */
export const LANDING = 'land';

/** How long an approval counts if no policy says. */
export const WEEK = 7 * 86_400_000;
const ANYBODY: Needed = atLeastOne({
  level: 'low_risk',
  why: 'the workflow asks for reviews or a person',
  action: 'auto_approve',
  demands: [],
  expires_ms: WEEK,
});

/** Why people have to approve a landing. `needed`: more than they were asked before. */
export type AskToLand = { readonly on: Candidate; readonly why: string; readonly needed?: Needed };

/**
 * Returns null if approvals of the task's change still hold for `lands`. Gates on the integrated tree may have found
 * more (`evidence`), and then policies may ask for more.
 */
export function askToLand(
  task: Task,
  workflow: Workflow,
  lands: Candidate,
  { now, evidence = [] }: { readonly now: number; readonly evidence?: readonly Evidence[] },
): AskToLand | null {
  const { landingAsk: ask } = task;
  const before = ask?.on.change_id === lands.change_id ? ask : undefined;
  const raised = raisedNeed(task, workflow, evidence);
  if (raised !== null && (before?.needed === undefined || asksMore(raised, before.needed)))
    return {
      on: lands,
      why: `on top of what landed meanwhile the policies ask for more (${raised.level}: ${raised.why})`,
      needed: raised,
    };
  if (before?.needed !== undefined)
    return isApproved(task, lands, now) ? null : { on: lands, why: before.why, needed: before.needed };
  const why = whyAsked(task, workflow, lands, now);
  return why === null ? null : { on: lands, why };
}

/** What the policies ask given all evidence; null if it is no more than for the change alone. */
function raisedNeed(task: Task, { steps }: Workflow, evidence: readonly Evidence[]): Needed | null {
  const policies = [...steps.values()].find((step) => step.policies.length > 0)?.policies;
  if (policies === undefined || evidence.length === 0) return null;
  const facts = riskFactsOf(task);
  const { timeoutMs: _, ...raised } = neededFor(policies, {
    ...facts,
    redBase: facts.redBase || evidence.some(({ excused }) => excused > 0),
    measures: {
      ...facts.measures,
      test_coverage: least([facts.measures.test_coverage, leastCoverage(evidence)]),
      coverage_delta: least([
        facts.measures.coverage_delta,
        ...evidence.map(({ coverage }) => coverage?.delta ?? null),
      ]),
    },
  });
  return asksMore(raised, neededFor(policies, facts)) ? atLeastOne(raised) : null;
}

function asksMore(one: Needed, other: Needed): boolean {
  const level = LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level);
  const action = ACTIONS.indexOf(one.action) - ACTIONS.indexOf(other.action);
  return level > 0 || action > 0 || minOf(one) > minOf(other);
}

function whyAsked(task: Task, workflow: Workflow, lands: Candidate, now: number): string | null {
  const { candidate, approval } = task;
  if (candidate === null || isApproved(task, lands, now)) return null;
  const degraded = degradedSteps(task);
  // An incomplete change lands only if a person agrees.
  if (degraded.length > 0) return degradedText(degraded);
  if (lands.change_id !== candidate.change_id) {
    const was = [
      ...(isReviewed(task, candidate) ? ['reviewed'] : []),
      ...(wasApproved(task, workflow, candidate) ? ['approved'] : []),
    ];
    return was.length === 0
      ? null
      : `on top of what landed meanwhile it is another change than the one that was ${was.join(' and ')}`;
  }
  const isOver = approval?.change_id === lands.change_id && approval.at + approval.needed.expires_ms <= now;
  return isOver ? 'its approval has expired' : null;
}

/** The approval that this landing needs. */
export const neededToLand = ({ approval, landingAsk }: Pick<Task, 'approval' | 'landingAsk'>): Needed =>
  landingAsk?.needed ?? (approval === undefined ? ANYBODY : atLeastOne(approval.needed));

/** The people whose approval of it still counts. */
export function agreedToLand(task: Pick<Task, 'approval' | 'landingAsk'>, now: number): Approver[] {
  const { expires_ms } = neededToLand(task);
  const fresh = (task.landingAsk?.agreed ?? []).filter(({ at }) => at + expires_ms > now);
  return fresh.map(approverOf);
}

/** The open question; null if there is none, or enough people agreed. */
export function openAsk(task: Task, now: number): LandingAsk | null {
  const { closed, landed, landing, landingAsk: ask } = task;
  if (closed?.status !== 'accepted' || landed !== null || landing !== undefined || ask === undefined) return null;
  return isApproved(task, ask.on, now) ? null : ask;
}

function isApproved(task: Task, lands: Candidate, now: number): boolean {
  if (task.landingAsk?.on.change_id !== lands.change_id) return false;
  return missing(neededToLand(task), agreedToLand(task, now)).length === 0;
}

const isReviewed = ({ verdict }: Task, { change_id }: Candidate): boolean =>
  verdict?.on.change_id === change_id && verdict.reviews.some(({ said }) => said !== null);

/** Whether a policy or a human step got an approval. */
function wasApproved({ approval, steps }: Task, workflow: Workflow, { change_id }: Candidate): boolean {
  if (approval?.change_id === change_id) return true;
  return [...workflow.steps.values()].some(({ id, kind, policies }) => {
    if (kind !== 'human' || policies.length > 0) return false;
    const place = steps.get(id)?.place;
    return place?.at === 'done' && place.on?.change_id === change_id;
  });
}
