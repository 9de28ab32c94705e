/** A task's path through its workflow, from its log: one entry for each time a step ended something. */
import type { NewEvent } from '../domain/events/index.ts';

type VisitedStep = { readonly step: string; readonly note: string };

export function pathOf(events: readonly NewEvent[]): string[] {
  const path: VisitedStep[] = [];
  for (const event of events) {
    const entry = entryOf(event);
    if (entry !== null) path.push(entry);
    if (event.type !== 'task.reworked') continue;
    const index = path.findLastIndex(({ step }) => step === event.data.from);
    if (index >= 0) path[index] = { step: event.data.from, note: `no, back to ${event.data.to}` };
  }
  return path.map(({ step, note }) => (note === '' ? step : `${step} (${note})`));
}

function entryOf(event: NewEvent): VisitedStep | null {
  switch (event.type) {
    case 'attempt.settled': {
      const { step, class: outcome, next } = event.data;
      // An analysis that failed is over; the task goes on.
      if (next.do === 'complete') return { step, note: outcome === 'ok' || outcome === 'invalid' ? '' : outcome };
      const less = next.do === 'retry' && next.level !== undefined ? `, then ${next.level}` : '';
      return { step, note: `${outcome === 'invalid' ? 'not good' : outcome}${less}` };
    }
    case 'step.joined':
      return { step: event.data.step, note: event.data.decision === 'APPROVE' ? '' : 'no' };
    case 'step.answered':
      return { step: event.data.step, note: event.data.decision === 'APPROVE' ? 'yes' : 'no' };
    case 'step.committed':
      return { step: event.data.step, note: '' };
    default:
      return null;
  }
}
