/** A gate that did not pass, in a few lines for a person: the failure first, then whatever fits. */
import { failedGate, type GateFinding } from './failed-gate.ts';

export function gateText(finding: GateFinding, maxChars: number): string {
  const { gate, status, at, failure, command, ended, notes, output } = failedGate(finding, maxChars);
  const title =
    status === 'error' ? `Gate ${gate} could not run; this says nothing about the change.` : `Gate ${gate} failed.`;
  const about = [
    title,
    ...(at === null ? [] : [`at ${at}`]),
    ...failure.filter((line) => line !== ended),
    ...(command === null ? [] : [`command: ${command}`]),
    ...(ended === null ? [] : [`ended: ${ended}`]),
    ...notes,
  ].join('\n');
  const head = about.length <= maxChars ? about : `${about.slice(0, Math.max(0, maxChars - 1))}…`;
  const left = maxChars - head.length - 1;
  const mark = '[… earlier output left out …]\n';
  const tail = output.length <= left ? output : left <= mark.length ? '' : `${mark}${output.slice(mark.length - left)}`;
  return (tail === '' ? head : `${head}\n${tail}`).slice(0, maxChars).toWellFormed();
}
