/** Failed tests of `go test`, plain or `-v`. Go counts none, so each failing package has to be told whole. */
import type { Found } from './ids.ts';
import { isLast } from './one-line.ts';

export function readGo(lines: readonly string[]): Found | null {
  const ids: string[] = [];
  let names: string[] = [];
  let ends = 0;
  for (const line of lines) {
    // A package that did not build, or a test that took its whole process down: what else would have failed is not known.
    if (/\[(?:build|setup) failed\]|^panic: |^fatal error: |^FAIL\t.*\(cached\)/.test(line)) return null;
    if (line.includes('--- FAIL')) {
      const name = /^ *--- FAIL: (\S+) \([\d.]+s\)$/.exec(line)?.[1];
      if (name === undefined) return null;
      names.push(name);
    }
    // Printed by the test binary when it got to its end, which one that called os.Exit did not.
    if (line === 'FAIL') ends += 1;
    const [, word, name] = /^(FAIL|ok {2})\t(\S+)\t/.exec(line) ?? [];
    if (name === undefined) continue;
    if (word === 'FAIL' ? ends !== 1 || names.length === 0 : ends + names.length > 0) return null;
    ids.push(...names.map((test) => `${name} > ${test}`));
    names = [];
    ends = 0;
  }
  // The last line of several packages is one more FAIL.
  if (!isLast(lines, /^(?:FAIL$|FAIL\t|ok {2}\t|\? {3}\t)/)) return null;
  return names.length > 0 || ends > 1 ? null : { ids, count: null, ran: null };
}
