/**
 * Reads TAP of `node --test`, tape, mocha and others. Points inside a subtest are indented by four spaces and precede
 * the point of the subtest itself. A count or plan that does not match makes the report unusable. Numbers of points are
 * not compared: node numbers the points of each file separately, and a file that ended badly too.
 *
 * Ids have no file, although failed tests of node name one: a passed test names none, and a test must keep its id when
 * it turns from red to green. `readTap` of runner-output.ts returns `file > id`.
 */
import {
  firstLine,
  MAX_TESTS,
  type ReadReport,
  ReportDraft,
  relativePath,
  shortId,
  type TestStatus,
  unusable,
} from './report.ts';
import { linesOf } from './text.ts';

export function readTapReport(text: string): ReadReport {
  const reader = new TapReader();
  for (const line of linesOf(text)) {
    const wrong = reader.read(line);
    if (wrong !== null) return unusable(wrong);
  }
  return reader.done();
}

type Point = {
  /** Names of the subtests around it and its own, joined. */
  path: string;
  readonly status: TestStatus;
  readonly depth: number;
  readonly hasParts: boolean;
  readonly hasFailedPart: boolean;
  /** What node says about it in the block below. */
  type: string | null;
  file: string | null;
  hasExitCode: boolean;
};
type TapLevel = { plan: number | null; points: number; readonly tests: Point[] };
type TapBlock = { readonly indent: string; readonly point: Point };

const MAX_DEPTH = 20;
/** Subtests are points as well. */
const MAX_POINTS = 2 * MAX_TESTS;
const NODE_FILE = /\.[cm]?[jt]sx?$/;

class TapReader {
  readonly #levels: TapLevel[] = [{ plan: null, points: 0, tests: [] }];
  readonly #bailed: string[] = [];
  #totals = new Map<string, number>();
  #block: TapBlock | null = null;
  #last: Point | null = null;
  #hasVersion = false;
  #points = 0;

  /** Returns a problem if the rest need not be read. */
  read(line: string): string | null {
    if (this.#block !== null) {
      if (line === `${this.#block.indent}...`) this.#block = null;
      else describe(this.#block, line);
      return null;
    }
    const text = line.trimStart();
    const indent = line.length - text.length;
    const point = this.#last;
    this.#last = null;
    if (point !== null && text === '---' && indent === 4 * point.depth + 2) {
      this.#block = { indent: line.slice(0, indent), point };
      return null;
    }
    if (text.startsWith('Bail out!')) this.#bailed.push(firstLine(text.slice('Bail out!'.length)));
    if (text.startsWith('#') && indent === 0) this.#total(text);
    if (indent === 0 && /^TAP version \d+$/.test(text)) {
      if (this.#hasVersion || this.#isBegun()) return 'it holds more than one run';
      this.#hasVersion = true;
    }
    const plan = /^1\.\.(\d{1,9})(?:\s+#.*)?$/.exec(text)?.[1];
    const [whole, not, number] = /^(not )?ok\b(?: (\d{1,9})\b)?/.exec(text) ?? [];
    if (plan === undefined && (whole === undefined || (indent > 0 && number === undefined))) return null;
    if (indent % 4 !== 0) return 'a point or a plan is indented by a number of spaces that no subtest has';
    if (indent / 4 > MAX_DEPTH) return 'its subtests are nested too deep';
    if (plan !== undefined) return this.#plan(indent / 4, Number(plan));
    return this.#point(indent / 4, not === undefined, text.slice(whole?.length));
  }

  #isBegun(): boolean {
    const [top] = this.#levels;
    return this.#levels.length > 1 || top?.plan !== null || top.points > 0;
  }

  #levelAt(depth: number): TapLevel {
    while (this.#levels.length <= depth) this.#levels.push({ plan: null, points: 0, tests: [] });
    return this.#levels[depth] as TapLevel;
  }

  #plan(depth: number, plan: number): string | null {
    const level = this.#levelAt(depth);
    if (level.plan !== null) return 'it has more than one plan';
    level.plan = plan;
    return null;
  }

  #point(depth: number, isOk: boolean, rest: string): string | null {
    const level = this.#levelAt(depth);
    level.points += 1;
    this.#points += 1;
    if (this.#points > MAX_POINTS) return `it lists more than ${MAX_POINTS} tests`;
    const directive = /\s# ?(todo|skip(?:ped)?)\b/i.exec(rest);
    // A skipped test cannot fail: such a point has a name that looks like a directive.
    const isSkipped = directive !== null && (isOk || directive[1]?.toLowerCase() === 'todo');
    // node-tap writes the time after the name.
    const words = rest
      .slice(0, directive?.index)
      .replace(/^ ?(?:- ?)?/, '')
      .replace(/ # time=[\d.]+m?s$/, '');
    const name = shortId(words.trim() || `test ${level.points}`);
    const parts = this.#closeParts(depth);
    if (typeof parts === 'string') return parts;
    for (const part of parts) part.path = `${name} > ${part.path}`;
    const point: Point = {
      path: name,
      status: isSkipped ? 'skipped' : isOk ? 'passed' : 'failed',
      depth,
      hasParts: parts.length > 0,
      hasFailedPart: parts.some(({ status }) => status === 'failed'),
      type: null,
      file: null,
      hasExitCode: false,
    };
    for (const part of parts) level.tests.push(part);
    level.tests.push(point);
    this.#last = point;
    if (depth === 0) this.#totals = new Map();
    return null;
  }

  /** Points of the subtest that ends at this depth, or what is wrong with it. */
  #closeParts(depth: number): Point[] | string {
    if (this.#levels.length === depth + 1) return [];
    const level = this.#levels.pop() as TapLevel;
    if (this.#levels.length !== depth + 1) return 'a subtest has parts and no point of its own';
    return mismatch(level) ?? level.tests;
  }

  #total(text: string): void {
    const [, key, count] = /^# (tests|pass|fail|cancelled|duration_ms) +(\d{1,9})(?:\.\d*)?$/.exec(text) ?? [];
    if (key !== undefined) this.#totals.set(key, Number(count));
  }

  done(): ReadReport {
    const [top] = this.#levels;
    if (top === undefined || this.#block !== null) return unusable('it was cut off');
    const draft = new ReportDraft();
    for (const reason of this.#bailed) draft.problem(`the run bailed out${reason === '' ? '' : `: ${reason}`}`);
    if (this.#bailed.length === 0) {
      const wrong = this.#levels.length > 1 ? 'it was cut off inside of a subtest' : mismatch(top);
      if (wrong !== null) return unusable(wrong);
    }
    const points = this.#levels.flatMap(({ tests }) => tests);
    const isNode = points.some(({ type }) => type !== null) || this.#totals.has('cancelled');
    // Node 20 writes a type for suites only.
    if (isNode) for (const point of points) point.type ??= 'test';
    const files = { passed: 0, failed: 0 };
    for (const point of points) {
      if (isFilePoint(point)) {
        files[point.hasExitCode ? 'failed' : 'passed'] += 1;
        if (point.hasExitCode) draft.problem(`${point.path} failed outside of its tests`);
      } else if (point.type === 'test' || (point.type === null && !point.hasParts))
        draft.addId(point.file, point.path, point.status);
      else if (point.status === 'failed' && !point.hasFailedPart)
        draft.problem(`${point.path} failed outside of its tests`);
    }
    const wrong = this.#bailed.length > 0 ? null : this.#totalsMismatch(draft, files, isNode);
    return wrong === null ? draft.done() : unusable(wrong);
  }

  /** Totals after the last point. node always writes them, other runners may. */
  #totalsMismatch(draft: ReportDraft, files: { passed: number; failed: number }, isNode: boolean): string | null {
    const [tests, pass, fail] = ['tests', 'pass', 'fail'].map((key) => this.#totals.get(key));
    // The duration is the last line.
    if (isNode && (tests === undefined || pass === undefined || fail === undefined || !this.#totals.has('duration_ms')))
      return 'it was cut off before its totals';
    const [passed, failed] = [draft.count('passed') + files.passed, draft.count('failed') + files.failed];
    const bad = fail === undefined ? failed : fail + (this.#totals.get('cancelled') ?? 0);
    if (bad !== failed) return `it counts ${bad} failures and lists ${failed}`;
    // Some runners count skipped tests as passed.
    const most = isNode ? passed : passed + draft.count('skipped');
    if (pass !== undefined && (pass < passed || pass > most))
      return `it counts ${pass} passed tests and lists ${passed}`;
    if (isNode && tests !== draft.size + files.passed + files.failed)
      return `it counts ${tests} tests and lists others`;
    return null;
  }
}

function mismatch({ plan, points }: TapLevel): string | null {
  if (plan === null) return 'a plan is missing: the run ended early, or the report was cut off';
  return plan === points ? null : `${plan} tests were planned and ${points} are listed`;
}

/** node lists a file as a test if no test ran in it, or its process ended badly. */
function isFilePoint({ path, status, type, depth, hasParts, hasExitCode }: Point): boolean {
  if (hasExitCode) return true;
  return type === 'test' && status === 'passed' && depth === 0 && !hasParts && NODE_FILE.test(path);
}

/** Fields of the block have its own indentation, text of a test is deeper. */
function describe({ indent, point }: TapBlock, line: string): void {
  if (!line.startsWith(indent) || line[indent.length] === ' ') return;
  const [, key, value] = /^(type|location|exitCode): (.*)$/.exec(line.slice(indent.length)) ?? [];
  if (key === 'exitCode') point.hasExitCode = true;
  const quoted = /^'([^']*)'$/.exec(value ?? '')?.[1];
  if (quoted === undefined) return;
  if (key === 'type' && (quoted === 'test' || quoted === 'suite')) point.type = quoted;
  if (key === 'location') point.file = relativePath(quoted).replace(/:\d+:\d+$/, '');
}
