/** What a task does right now, in words: printed from time to time if no live view shows it. */
import { type LiveView, stepAtWork } from './live-view.ts';

/** Returns null if no work of the task is running. */
export function stillAtWork(view: LiveView): string | null {
  const step = stepAtWork(view);
  if (step === null) return view.applying ? 'the commit is still being made' : null;
  if (step.state === 'working') return `${step.id}: ${step.cli ?? 'the worker'} is still running`;
  const gates = step.gates.filter(({ status }) => status === 'running').map(({ name }) => name);
  if (gates.length === 0) return `${step.id}: the result is still being checked`;
  return `${step.id}: still waiting for ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(', ')}`;
}
