/**
 * Reads the events of `go test -json`. A test starts with `run` and ends with `pass`, `fail` or `skip`, and each
 * package needs an end of its own. A test can print lines that look like results, and go turns them into events: a
 * printed pass cannot remove a failure, because the worst end of a run counts, and a pass of a test that never started
 * is ignored.
 */
import * as v from 'valibot';
import { MAX_TESTS, type ReadReport, ReportDraft, type TestStatus, unusable } from './report.ts';
import { linesOf, parseJson } from './text.ts';

const goEvent = v.object({
  Action: v.string(),
  Package: v.optional(v.string()),
  Test: v.optional(v.string()),
  /** The package of a build, since go 1.24. */
  ImportPath: v.optional(v.string()),
});

export function readGoTest(text: string): ReadReport {
  const reader = new GoReader();
  for (const line of linesOf(text)) {
    const wrong = line.startsWith('{') ? reader.event(line) : reader.output(line);
    if (wrong !== null) return unusable(wrong);
  }
  return reader.done();
}

/** `status`: null until the run of the test ended. */
type GoPackage = { readonly tests: Map<string, TestStatus | null>; isOpen: boolean; failed: number };

const ENDS: Readonly<Record<string, TestStatus>> = { pass: 'passed', bench: 'passed', fail: 'failed', skip: 'skipped' };

class GoReader {
  readonly #draft = new ReportDraft();
  readonly #packages = new Map<string, GoPackage>();
  #events = 0;
  #problems = 0;

  event(line: string): string | null {
    const parsed = v.safeParse(goEvent, parseJson(line));
    if (!parsed.success) return 'a line is no event of `go test -json`, perhaps cut off';
    this.#events += 1;
    const { Action: action, Package: name, Test: test, ImportPath: path } = parsed.output;
    if (action === 'build-fail') this.#problem(`${path ?? name ?? 'a package'} did not build`);
    if (name === undefined) return null;
    const found = this.#packages.get(name) ?? { tests: new Map(), isOpen: true, failed: 0 };
    this.#packages.set(name, found);
    const end = Object.hasOwn(ENDS, action) ? ENDS[action] : undefined;
    if (test !== undefined) this.#test(name, found, test, action, end);
    else if (action === 'start') found.isOpen = true;
    else if (end !== undefined) this.#endPackage(name, found, end);
    return this.#packages.size + found.tests.size > MAX_TESTS ? 'it lists too many tests' : null;
  }

  /** A line that is no event was printed by the build, or by go itself. */
  output(line: string): null {
    if (/^(?:--- )?FAIL\b|^(?:panic|fatal error): /.test(line)) this.#problem(line);
    return null;
  }

  done(): ReadReport {
    if (this.#events + this.#problems === 0) return unusable('it holds no event of `go test -json`');
    for (const [name, { isOpen }] of this.#packages)
      if (isOpen) return unusable(`it was cut off: package ${name} has no end`);
    return this.#draft.done();
  }

  #problem(text: string): void {
    this.#problems += 1;
    this.#draft.problem(text);
  }

  #test(name: string, found: GoPackage, test: string, action: string, end: TestStatus | undefined): void {
    const before = found.tests.get(test);
    if (action === 'run') {
      found.isOpen = true;
      // A second run of one test (`-count=2`) is a separate case.
      if (before !== undefined) this.#endTest(name, found, test, before);
      found.tests.set(test, null);
    } else if (end !== undefined && (before !== undefined || end === 'failed')) {
      found.isOpen = true;
      found.tests.set(test, worse(before ?? end, end));
    }
  }

  #endTest(name: string, found: GoPackage, test: string, status: TestStatus | null): void {
    if (status === null) this.#draft.problem(`${name}: ${test} began and has no result`);
    if (status !== 'passed' && status !== 'skipped') found.failed += 1;
    this.#draft.add(name, [test], status ?? 'failed');
  }

  #endPackage(name: string, found: GoPackage, end: TestStatus): void {
    for (const [test, status] of found.tests) this.#endTest(name, found, test, status);
    if (end === 'failed' && found.failed === 0) this.#draft.problem(`${name} failed outside of its tests`);
    if (end !== 'failed' && found.failed > 0) this.#draft.problem(`${name} ended well although tests of it failed`);
    this.#packages.set(name, { tests: new Map(), isOpen: false, failed: 0 });
  }
}

const worse = (one: TestStatus, other: TestStatus): TestStatus =>
  one === 'failed' || other === 'failed' ? 'failed' : one === 'skipped' ? one : other;
