/** What must hold of steps that people take: no worker beside them, and nothing of theirs is lost or made twice. */
import type { Task } from '../../src/mind/domain/task.ts';
import type { Finding, SeenEvent } from './check.ts';

const taskOf = ({ event, before }: SeenEvent): Task | undefined => before.tasks.get(event.stream.slice('task/'.length));

/** No worker's attempt starts on a step that a person has; a person's starts only there, by that person. */
function noWorkerStartsOnATakenStep(seen: SeenEvent): Finding {
  const { event } = seen;
  if (event.type !== 'attempt.started' || event.data.kind === 'gate') return null;
  const { step, given } = event.data;
  const taken = taskOf(seen)?.taken;
  if (given === undefined)
    return taken?.step === step ? `${event.stream}/${step}: a worker starts, and ${taken.by} has it` : null;
  return taken?.step === step && taken.by === given.by
    ? null
    : `${event.stream}/${step}: ${given.by} gives, and ${taken?.by ?? 'nobody'} has it`;
}

/** One person at a time has a task. */
function nobodyTakesWhatSomebodyHas(seen: SeenEvent): Finding {
  if (seen.event.type !== 'step.taken') return null;
  const taken = taskOf(seen)?.taken;
  return taken === undefined ? null : `${seen.event.stream} is taken by ${seen.event.data.by}, and ${taken.by} has it`;
}

/** What was given is captured once, whatever dies meanwhile: one product, under the token of the one attempt under way. */
function aGiveIsCapturedOnce(seen: SeenEvent): Finding {
  const { event, site } = seen;
  if (event.type === 'attempt.started' && event.data.given !== undefined) {
    const place = taskOf(seen)?.steps.get(event.data.step)?.place.at;
    return place === 'ready' ? null : `${event.stream}/${event.data.step} is given while it is ${place}`;
  }
  if (event.type !== 'attempt.produced' && event.type !== 'attempt.settled') return null;
  const { step, token } = event.data;
  const place = taskOf(seen)?.steps.get(step)?.place;
  const attempt = place?.at === 'working' || place?.at === 'checking' ? place.attempt : undefined;
  if (attempt?.given === undefined || attempt.token !== token) return null;
  if (event.type === 'attempt.settled')
    return /^(lost|timeout)$/.test(event.data.class)
      ? `${event.stream}: what a person gave is ${event.data.class}`
      : null;
  const before = site.events.filter(
    ({ stream, type, data }) =>
      stream === event.stream && type === 'attempt.produced.2' && (data as { token?: number }).token === token,
  );
  return before.length === 0 ? null : `${event.stream}: attempt under token ${token} is captured twice`;
}

export const TAKE_INVARIANTS = [noWorkerStartsOnATakenStep, nobodyTakesWhatSomebodyHas, aGiveIsCapturedOnce];
