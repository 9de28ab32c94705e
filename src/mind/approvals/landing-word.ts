/**
 * Reviews and approvals hold for one change. A landing may make it another one, or come after an approval has expired:
 * then people are asked once more, about exactly what would land.
 */
import { degradedSteps, degradedText, type LandingAsk, type Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { Workflow } from '../workflows/workflow.ts';
import { atLeastOne, missing } from './needed.ts';
import { personOf } from './people.ts';

/** What a person types in place of a step. */
export const LANDING = 'land';

const WEEK = 7 * 86_400_000;
const ANYBODY: Needed = atLeastOne({
  level: 'low_risk',
  why: 'the workflow asks for reviews or a person',
  action: 'auto_approve',
  demands: [],
  expires_ms: WEEK,
});

/** Why people have to approve `lands` before it may land; null: what was said about the task's change still holds. */
export function whyAsked(task: Task, workflow: Workflow, lands: Candidate, now: number): string | null {
  const { candidate, approval } = task;
  if (candidate === null || isApproved(task, lands, now)) return null;
  const degraded = degradedSteps(task);
  // Only a part of what was asked lands if a person wants exactly that.
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

/** What has to be said about this landing. */
export const neededToLand = ({ approval }: Pick<Task, 'approval'>): Needed =>
  approval === undefined ? ANYBODY : atLeastOne(approval.needed);

/** Those whose word about it still counts. */
export function agreedToLand(task: Pick<Task, 'approval' | 'landingAsk'>, now: number): string[] {
  const { expires_ms } = neededToLand(task);
  const fresh = (task.landingAsk?.agreed ?? []).filter(({ at }) => at + expires_ms > now);
  return fresh.map(({ by }) => personOf(by));
}

/** The question that is open; null: nobody is asked, or enough people said yes. */
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

/** By a policy, or by a person whom the workflow itself asks. */
function wasApproved({ approval, steps }: Task, workflow: Workflow, { change_id }: Candidate): boolean {
  if (approval?.change_id === change_id) return true;
  return [...workflow.steps.values()].some(({ id, kind, policies }) => {
    if (kind !== 'human' || policies.length > 0) return false;
    const place = steps.get(id)?.place;
    return place?.at === 'done' && place.on?.change_id === change_id;
  });
}
