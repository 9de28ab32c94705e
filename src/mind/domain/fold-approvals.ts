/** How approvals fold: who agreed to the question, and whose earlier approval no longer counts. */
import type { EventData } from './events/index.ts';
import type { Agreed, Task } from './task.ts';

/** An approval of the very same change still counts. */
export function askedToLand(
  { landingAsk }: Task,
  { unapproved }: EventData<'task.not_landed'>,
): Pick<Task, 'landingAsk'> {
  if (unapproved === undefined) return {};
  const { on, why, needed } = unapproved;
  const agreed = landingAsk?.on.change_id === on.change_id ? landingAsk.agreed : [];
  return { landingAsk: { on, why, agreed, ...(needed === undefined ? {} : { needed }) } };
}

export function approvedToLand(task: Task, data: EventData<'task.approved'>, time: number): Task {
  const { landingAsk: ask } = task;
  if (ask?.on.change_id !== data.on.change_id) return task;
  return { ...task, landingAsk: { ...ask, agreed: agreedWith(ask.agreed, data, time) } };
}

type Approval = Pick<EventData<'task.approved'>, 'by' | 'signed' | 'without'>;

/** A signature counts from the time of signing. */
export function agreedWith(before: readonly Agreed[], { by, signed, without = [] }: Approval, time: number): Agreed[] {
  const still = before.filter((one) => one.signed === undefined || !without.includes(one.signed.key));
  if (signed === undefined) return [...still, { by, at: time }];
  const { as, names, key, at } = signed;
  return [...still, { by, at: Math.min(at, time), signed: { as, names, key } }];
}

/** A person allows the task's gates to prepare and use it. */
export function withEnvironment(task: Task, { environment }: { readonly environment?: string }): Task {
  if (environment === undefined || task.environments?.includes(environment) === true) return task;
  return { ...task, environments: [...(task.environments ?? []), environment] };
}
