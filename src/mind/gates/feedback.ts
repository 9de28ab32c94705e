/** What the next attempt is told about the gates that its predecessor did not pass. */
import type { GateStatus } from '../domain/values.ts';
import { evidenceParts } from './evidence.ts';

type GateFinding = { readonly gate: string; readonly status: GateStatus; readonly text: string };

const HEAD_SHARE = 0.25;

/** Most of the room goes to the ends of what the red gates printed: that is where runners sum up. */
export function gateFeedback(findings: readonly GateFinding[], maxChars: number): string {
  const red = findings.filter(({ status }) => status !== 'pass');
  const passed = findings.filter(({ status }) => status === 'pass').map(({ gate }) => gate);
  const first = passed.length === 0 ? '' : `Passed: ${passed.join(', ')}.\n\n`;
  if (red.length === 0) return first.slice(0, maxChars);
  const share = Math.max(0, Math.floor((maxChars - first.length) / red.length) - 2);
  return `${first}${red.map((one) => finding(one, share)).join('\n\n')}`.slice(0, maxChars).toWellFormed();
}

function finding({ gate, status, text }: GateFinding, room: number): string {
  const { head, output } = evidenceParts(text);
  const title =
    status === 'error' ? `Gate ${gate} could not run; this says nothing about the change.` : `Gate ${gate} failed.`;
  const about = `${title}\n${usefulHead(head)}`;
  const heading = about.length > room * HEAD_SHARE ? cut(about, Math.max(title.length, room * HEAD_SHARE)) : about;
  const left = room - heading.length - 1;
  const printed = output.trimEnd();
  if (printed === '' || left <= 0) return heading;
  const mark = '[… earlier output left out …]\n';
  const tail = printed.length <= left ? printed : `${mark}${printed.slice(-Math.max(0, left - mark.length))}`;
  return `${heading}\n${tail}`;
}

/** Hashes and times help no one who has to repair the code. */
const usefulHead = (head: string): string =>
  head
    .split('\n')
    .filter((line) => !/^(?:gate|took|tree|base|environment|from the cache)[ :]/.test(line) && line !== '')
    .join('\n');

const cut = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, Math.max(0, Math.floor(room) - 1))}…`;
