/** Failed tests in TAP as `node --test --test-reporter=tap` writes it; other writers of TAP count no failures: uncertain. */
import type { Found } from './ids.ts';
import { isLast, onlyLine } from './one-line.ts';

/** Lines of the block below a test in which its type and place stand. */
const LOOK_AHEAD = 6;

export function readTap(lines: readonly string[]): Found | null {
  const count = (what: string) => Number(onlyLine(lines, new RegExp(`^# ${what} (\\d+)$`))?.[1] ?? Number.NaN);
  const [fail, pass, cancelled] = [count('fail'), count('pass'), count('cancelled')];
  if (!Number.isInteger(fail + pass) || cancelled !== 0) return null;
  if (!isLast(lines, /^# duration_ms [\d.]+$/)) return null;
  const ids: string[] = [];
  const path: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, before, begun] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    if (before !== undefined && begun !== undefined) path.splice(before.length / 4, path.length, begun);
    if (!line.includes('not ok')) continue;
    const [, indent, rest] = /^((?: {4})*)not ok \d+ - (.*)$/.exec(line) ?? [];
    if (indent === undefined || rest === undefined) return null;
    // A name has its own # escaped.
    const [, name, directive] = /^(.*?)( # (?:TODO|SKIP)\b.*)?$/.exec(rest) ?? [];
    const depth = indent.length / 4;
    if (name === undefined || name !== path[depth]) return null;
    if (directive !== undefined) continue;
    const about = aboutTest(lines, index, indent);
    // A whole file that ended badly: which of its tests would have failed is not known.
    if (about === null || about.exited) return null;
    if (about.type === 'test') ids.push([about.file, ...path.slice(0, depth + 1)].join(' > '));
  }
  return { ids, count: fail, ran: fail + pass };
}

function aboutTest(lines: readonly string[], index: number, indent: string) {
  const block = lines.slice(index + 1, index + 1 + LOOK_AHEAD);
  const field = (name: string) =>
    onlyLine(block, new RegExp(`^${indent}  ${name}: '([^']*)'$`), new RegExp(`${name}:`))?.[1];
  const type = field('type');
  const place = field('location');
  if (block[0] !== `${indent}  ---` || (type !== 'test' && type !== 'suite') || place === undefined) return null;
  const file = place.replace(/:\d+:\d+$/, '').replace(/^\/workspace\//, '');
  return { type, file, exited: block.some((line) => line.includes('exitCode:')) } as const;
}
