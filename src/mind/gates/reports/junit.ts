/**
 * Reads JUnit XML of node, vitest, pytest, surefire, nextest and others. Results come only from the cases. Totals of
 * the suites are compared with the cases: a removed case shows there.
 */
import { identityOf, VITEST_ERRORS } from './junit-ids.ts';
import { type ReadReport, ReportDraft, shortId, type TestStatus, unusable } from './report.ts';
import { readXml, type XmlAttributes, type XmlHandler } from './xml.ts';

/** Nested suites. */
const MAX_SUITES = 20;

export function readJunit(text: string): ReadReport {
  const reader = new JunitReader();
  const malformed = readXml(text, reader);
  return malformed === null ? reader.done() : unusable(malformed);
}

/**
 * The content of a suite. `elements` and the like count children of cases, which some runners count instead of cases.
 */
type Tally = { cases: number; failed: number; skipped: number; failures: number; skips: number; suites: number };
type Suite = {
  readonly name: string | null;
  readonly attributes: XmlAttributes;
  /** Directly in it, and including all suites below. */
  readonly own: Tally;
  readonly all: Tally;
};
type OpenCase = {
  readonly attributes: XmlAttributes;
  failures: number;
  errors: number;
  skips: number;
  isTodo: boolean;
  wasRetried: boolean;
  depth: number;
};

class JunitReader implements XmlHandler {
  readonly #draft = new ReportDraft();
  readonly #suites: Suite[] = [];
  #case: OpenCase | null = null;
  #wrong: string | null = null;
  /** node writes its totals as comments after the last element. */
  #comments = new Map<string, number>();
  #isPytest = false;
  /** Suites in which something failed: each may be a node test that failed because of its parts. */
  #failedSuites = 0;
  #allCases = 0;
  #allFailed = 0;
  #allSuites = 0;

  open(name: string, attributes: XmlAttributes): void {
    if (this.#case !== null) this.#inCase(this.#case, name, attributes);
    else if (this.#suites.length === 0 && name !== 'testsuites' && name !== 'testsuite')
      this.#refuse(`it is no JUnit report: its root is ${name}`);
    else if (name === 'testsuites' || name === 'testsuite') this.#openSuite(name, attributes);
    else if (name === 'testcase')
      this.#case = {
        attributes,
        failures: 0,
        errors: 0,
        skips: 0,
        isTodo: false,
        wasRetried: false,
        depth: 0,
      };
    else if (name === 'error' || name === 'failure')
      this.#draft.problem(`${this.#suites.at(-1)?.name ?? 'a suite'}: ${attributes.get('message') ?? name}`);
  }

  close(name: string): void {
    if (this.#case !== null) {
      if (this.#case.depth > 0) this.#case.depth -= 1;
      else {
        this.#closeCase(this.#case);
        this.#case = null;
      }
    } else if (name === 'testsuites' || name === 'testsuite') this.#closeSuite();
  }

  comment(text: string): void {
    const [, key, count] =
      /^ (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9}) $/.exec(text.slice(0, 40)) ?? [];
    if (this.#suites.length === 1 && key !== undefined) this.#comments.set(key, Number(count));
  }

  done(): ReadReport {
    const wrong = this.#wrong ?? this.#nodeContradiction();
    return wrong === null ? this.#draft.done() : unusable(wrong);
  }

  #refuse(problem: string): void {
    this.#wrong ??= problem;
  }

  #openSuite(element: string, attributes: XmlAttributes): void {
    const written = attributes.get('name');
    // It is part of each of its cases' ids, so a long one would cost time for all of them.
    const name = written === undefined ? null : shortId(written);
    if (this.#suites.length === MAX_SUITES) this.#refuse('its suites are nested too deep');
    if (name === (element === 'testsuites' ? 'pytest tests' : 'pytest')) this.#isPytest = true;
    if (element === 'testsuite') this.#allSuites += 1;
    this.#suites.push({ name: element === 'testsuite' ? name : null, attributes, own: tally(), all: tally() });
  }

  #closeSuite(): void {
    const suite = this.#suites.pop();
    if (suite === undefined) return;
    const key = contradiction(suite);
    if (key !== null) this.#refuse(`\`${key}\` of ${suite.name ?? 'the report'} contradicts its cases`);
    if (suite.all.failed > 0 && suite.name !== null) this.#failedSuites += 1;
    const parent = this.#suites.at(-1);
    if (parent === undefined) return;
    parent.own.suites += 1;
    for (const key of Object.keys(suite.all) as (keyof Tally)[]) parent.all[key] += suite.all[key];
    parent.all.suites += 1;
  }

  #inCase(test: OpenCase, name: string, attributes: XmlAttributes): void {
    test.depth += 1;
    if (name === 'testcase' || name === 'testsuite') this.#refuse('it has a case inside of a case');
    if (test.depth !== 1) return;
    if (name === 'failure') test.failures += 1;
    else if (name === 'error') test.errors += 1;
    else if (name === 'skipped') {
      test.skips += 1;
      if (attributes.get('type') === 'todo') test.isTodo = true;
    } else if (/^(?:flaky|rerun)(?:Failure|Error)$/.test(name)) test.wasRetried = true;
  }

  #closeCase(test: OpenCase): void {
    if (this.#wrong !== null) return;
    const { attributes } = test;
    const names = this.#suites.flatMap(({ name }) => (name === null ? [] : [name]));
    const classname = attributes.get('classname') ?? '';
    const name = attributes.get('name') ?? '';
    const { id, file, isFile } = identityOf(
      { suites: names, classname, name, file: attributes.get('file') ?? null },
      this.#isPytest,
    );
    const status = statusOf(test);
    this.#count(test, status);
    // pytest lists a file that skips itself as a case.
    if (!isFile || status === 'skipped') this.#draft.addId(file, id, status, test.wasRetried);
    // A file that passed without a test is no test. One that failed did not load, or ended early.
    else if (status === 'failed')
      this.#draft.problem(classname === VITEST_ERRORS ? name : `${name} failed outside of its tests`);
  }

  #count(test: OpenCase, status: TestStatus): void {
    this.#allCases += 1;
    if (status === 'failed') this.#allFailed += 1;
    const suite = this.#suites.at(-1);
    for (const sums of suite === undefined ? [] : [suite.own, suite.all]) {
      sums.cases += 1;
      sums.failures += test.failures + test.errors;
      sums.skips += test.skips;
      if (status === 'failed') sums.failed += 1;
      if (status === 'skipped') sums.skipped += 1;
    }
  }

  /**
   * node also counts tests with parts, and lists them as suites: one that fails by itself shows only in these totals.
   */
  #nodeContradiction(): string | null {
    const [tests, suites] = [this.#comments.get('tests'), this.#comments.get('suites')];
    const fail = this.#comments.get('fail');
    if (tests === undefined || suites === undefined || fail === undefined) return null;
    if (tests !== this.#allCases + this.#allSuites - suites) return `it counts ${tests} tests and lists others`;
    const failed = fail + (this.#comments.get('cancelled') ?? 0);
    if (failed < this.#allFailed) return `it counts ${failed} failures and lists ${this.#allFailed}`;
    if (failed > this.#allFailed + this.#failedSuites)
      this.#draft.problem('a test failed by itself while its parts passed, and the report does not say which');
    return null;
  }
}

const tally = (): Tally => ({ cases: 0, failed: 0, skipped: 0, failures: 0, skips: 0, suites: 0 });

const NOT_RUN = new Set(['notrun', 'skipped', 'disabled', 'ignored', 'pending']);
const BAD = new Set(['fail', 'failed', 'failure', 'error']);

/** A failing TODO of node has both `skipped` and `failure`. In pytest both mean that the teardown failed. */
function statusOf({ attributes, failures, errors, skips, isTodo }: OpenCase): TestStatus {
  const said = (attributes.get('status') ?? attributes.get('result') ?? '').toLowerCase();
  if (isTodo && errors === 0) return 'skipped';
  if (failures + errors > 0 || attributes.has('failure') || BAD.has(said)) return 'failed';
  return skips > 0 || NOT_RUN.has(said) ? 'skipped' : 'passed';
}

/**
 * The total that does not fit. Runners differ in which cases a total covers, so each usual way of counting is accepted.
 */
function contradiction({ attributes, own, all }: Suite): string | null {
  const tests = totalOf(attributes, 'tests');
  // pytest counts results: a test whose teardown failed, or with several failed subtests, has more than one.
  const isResults = tests !== null && tests >= all.cases && tests <= all.cases + all.failures + all.skips;
  if (tests !== null && !isResults && tests !== own.cases && tests !== own.cases + own.suites) return 'tests';
  const [failures, errors] = [totalOf(attributes, 'failures'), totalOf(attributes, 'errors')];
  const failed = failures === null && errors === null ? null : (failures ?? 0) + (errors ?? 0);
  if (failed !== null && ![all.failed, all.failures, own.failed, own.failures].includes(failed)) return 'failures';
  const skipped = totalOf(attributes, 'skipped');
  if (skipped !== null && ![all.skipped, all.skips, own.skipped, own.skips].includes(skipped)) return 'skipped';
  return null;
}

/** NaN, which matches nothing, if it is no number. */
function totalOf(attributes: XmlAttributes, key: string): number | null {
  const text = attributes.get(key);
  return text === undefined ? null : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
