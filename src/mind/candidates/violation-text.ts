/** Tells a worker in one line what it must revert. */
import type { Violation } from './change.ts';

const MAX_LENGTH = 1_500;
const MAX_PATH = 160;
/** Room for the count of omitted ones. */
const REST = 30;

/** Each reason is given once, with its paths; what does not fit is counted. Empty if there is nothing to say. */
export function violationText(violations: readonly Violation[], max = MAX_LENGTH): string {
  if (violations.length === 0) return '';
  const count = violations.length === 1 ? 'one path that' : `${violations.length} paths that`;
  let text = `The change touches ${count} the task may not change.`;
  let told = 0;
  for (const [reason, paths] of byReason(violations)) {
    let part = '';
    let here = 0;
    for (const path of paths) {
      const next = part === '' ? ` ${path}` : `${part}, ${path}`;
      if (text.length + next.length + reason.length + REST > max) break;
      part = next;
      here += 1;
    }
    if (here === 0) break;
    text += `${part}${here === 1 ? '' : ': each'} ${reason}.`;
    told += here;
    if (here < paths.length) break;
  }
  const rest = violations.length - told;
  return rest === 0 ? text : `${text} And ${rest} more.`.slice(0, max);
}

function byReason(violations: readonly Violation[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { path, reason } of violations) {
    const paths = groups.get(reason) ?? [];
    paths.push(quoted(path));
    groups.set(reason, paths);
  }
  return groups;
}

/** A worker chose this name: it must not be able to end its quotes or to start a line. */
function quoted(path: string): string {
  const short = path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
  return `\`${short.replace(/[\p{C}\p{Zl}\p{Zp}`]/gu, '�')}\``;
}
