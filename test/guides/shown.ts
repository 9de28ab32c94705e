/**
 * Whether a command printed what a page shows. `…` on a line of its own stands for any lines, elsewhere for any characters.
 * Times, ids, hashes, dates, ports and the reader's name differ from run to run and are not compared.
 */
import { userInfo } from 'node:os';

/** What says only that a machine is slow, or is not root's. */
const BESIDE = [
  /^(?:reading|looking|choosing|checking|searching|comparing) .* …$/,
  /^ +[\d.]+ m?s .*: (?:still waiting for .*|.* is still running)$/,
  /^sandbox: not enforced here: .*$/,
];

const user = userInfo().username;

/** What is not the same in two runs gets the same name. */
function levelled(line: string): string {
  return line
    .replace(/\b(t|f|p)-[0-9a-z]{8}\b/g, '$1-ID')
    .replace(/\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{12,64}\b/g, 'HASH')
    .replace(/\d{4}-\d\d-\d\d(?:T| )\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, 'DATE')
    .replace(/\b\d{8}_\d{6}\b/g, 'DATE')
    .replace(/^[0-9a-f]{7,10} /, 'HASH ')
    .replace(/\b\d\d:\d\d:\d\d UTC\b/g, 'CLOCK')
    .replace(/\bpid \d+/g, 'pid PID')
    .replace(/\s*\b(?:\d+ h )?(?:\d+ m )?\d+(?:\.\d+)? m?s\b/g, ' TIME')
    .replace(/\b127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(new RegExp(`\\b(?:${user}|ana)\\b`, 'g'), 'USER')
    .trimEnd();
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

export type Found = { readonly matches: true; readonly ids: ReadonlyMap<string, string> } | { readonly matches: false };

/** `ids` says which id of this run stands where the page shows one. */
export function compared(shown: readonly string[], printed: string): Found {
  const actual = linesOf(printed);
  const at = aligned(shown.map(levelled), actual.map(levelled), shown);
  if (at === null) return { matches: false };
  const ids = new Map<string, string>();
  for (const [n, line] of shown.entries()) {
    const other = actual[at[n] ?? -1];
    if (other === undefined) continue;
    const ours = other.match(/\b[tfp]-[0-9a-z]{8}\b/g) ?? [];
    const theirs = line.match(/\b[tfp]-[0-9a-z]{8}\b/g) ?? [];
    if (ours.length === theirs.length) for (const [k, id] of theirs.entries()) ids.set(id, ours[k] ?? id);
  }
  return { matches: true, ids };
}

/** Without what is beside the matter and without empty lines at the end. */
export function linesOf(printed: string): string[] {
  const lines = printed.split('\n').filter((line) => !BESIDE.some((pattern) => pattern.test(line)));
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((line) => line.trimEnd());
}

/** For each shown line the number of the printed line that it stands for (-1 for `…`), or null when they differ. */
function aligned(shown: readonly string[], actual: readonly string[], raw: readonly string[]): number[] | null {
  const dead = new Set<string>();
  const walk = (s: number, a: number): number[] | null => {
    if (s === shown.length) return a === actual.length ? [] : null;
    const key = `${s} ${a}`;
    if (dead.has(key)) return null;
    const line = shown[s] ?? '';
    if (raw[s]?.trim() === '…') {
      for (let skip = a; skip <= actual.length; skip++) {
        const rest = walk(s + 1, skip);
        if (rest !== null) return [-1, ...rest];
      }
    } else if (a < actual.length && fits(line, actual[a] ?? '')) {
      const rest = walk(s + 1, a + 1);
      if (rest !== null) return [a, ...rest];
    }
    dead.add(key);
    return null;
  };
  return walk(0, 0);
}

function fits(shown: string, actual: string): boolean {
  if (shown === actual) return true;
  return shown.includes('…') && new RegExp(`^${shown.split('…').map(escaped).join('.*')}$`).test(actual);
}
