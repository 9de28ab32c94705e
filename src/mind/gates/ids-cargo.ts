/** Failed tests of `cargo test --no-fail-fast`; without that flag the targets behind the first red one never ran. */
import type { Found } from './ids.ts';
import { isLast, onlyLine } from './one-line.ts';

const RESULT =
  /^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored; \d+ measured; \d+ filtered out(?:; |$)/;
/** In the list of failed targets, the last that cargo says. */
const TARGET = /^ {4}`[^`]+`$/;
/** A path of modules, or the place of an example in the documentation. */
const NAME = /^\S+(?: - \S* ?\(line \d+\)(?: - [a-z]+){0,2})?$/;

export function readCargo(stdout: readonly string[], stderr: readonly string[]): Found | null {
  const all = [...stdout, ...stderr];
  if (onlyLine(all, /^error: \d+ targets? failed:$/, /error: \d+ targets? failed/) === null) return null;
  if (!isLast(all, TARGET) || !(isLast(stdout, RESULT) || isLast(stdout, TARGET))) return null;
  const ids: string[] = [];
  const sum = { passed: 0, failed: 0, begun: 0, ended: 0 };
  let list: string[] | null = null;
  for (const line of stdout) {
    if (/running \d+ tests?/.test(line)) sum.begun += 1;
    if (line === 'failures:') list = [];
    else if (line.startsWith('    ')) list?.push(line.slice(4));
    else if (line !== '' && !line.includes('test result:')) list = null;
    if (!line.includes('test result:')) continue;
    const [, word, passed, failed] = RESULT.exec(line) ?? [];
    if (word === undefined || (word === 'FAILED') !== Number(failed) > 0) return null;
    if (Number(failed) !== (list?.length ?? 0)) return null;
    if (list?.some((id) => !NAME.test(id))) return null;
    ids.push(...(list ?? []));
    sum.passed += Number(passed);
    sum.failed += Number(failed);
    sum.ended += 1;
    list = null;
  }
  // A test that took its process down leaves a beginning without a result.
  return sum.begun === sum.ended ? { ids, count: sum.failed, ran: sum.passed + sum.failed } : null;
}
