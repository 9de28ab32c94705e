/**
 * The tests of a Python file that certainly run: plain functions and methods of plain classes, without decorators that
 * may skip.
 */
import type { Scanned } from './scan.ts';

export type PythonTest = {
  readonly name: string;
  /** Null for a function. */
  readonly owner: PythonClass | null;
  /** The name of the first parameter: `self`. */
  readonly self: string;
  readonly isAsync: boolean;
  /** The line before which a test can be put; null if a decorator is above it. */
  readonly head: number | null;
  /** The indentation of its own head. */
  readonly margin: string;
  /** The first line of its body, and its indentation. */
  readonly body: number;
  readonly indent: string;
  /** After its last statement; null if that may not be reached. */
  readonly end: number | null;
  /** After its last line. */
  readonly to: number;
};

type PythonClass = {
  readonly name: string;
  readonly bases: string;
  readonly isCase: boolean;
  readonly isAsync: boolean;
};

/** A statement: including brackets, strings and continued lines it is one logical line. */
type PythonStatement = { readonly at: number; readonly end: number; readonly indent: string; readonly code: string };

const DEF = /^(async\s+)?def\s+(\w+)\s*\(/;
const CLASS = /^class\s+(\w+)\s*(?:\(([\s\S]*)\))?\s*:\s*$/;
const HARMLESS =
  /^@(?:(?:unittest\.)?mock\.)?patch(?:\.object|\.dict)?\b|^@pytest\.mark\.(?:asyncio|anyio|django_db|usefixtures)\b|^@override_settings\b/;
/** Marks of a class that is no collection of plain tests. */
const ODD = /^(?:__test__|pytestmark)\s*=|^def\s+(?:__init__|__new__|runTest|run)\s*\(/;
const ASYNC_MARK = /^@pytest\.mark\.(?:asyncio|anyio)\b/;
/** Marks of a whole file that skip nothing. */
const PLAIN_MARKS = /^pytestmark\s*=\s*[[(]?\s*pytest\.mark\.(?:asyncio|anyio|django_db|usefixtures)\b[^,]*[\])]?$/;

export function pythonTests(runner: 'pytest' | 'unittest', { code, pairs }: Scanned): readonly PythonTest[] | null {
  const lines = linesOf(code);
  if (lines.some(({ indent, code }) => indent === '' && /^pytestmark\b/.test(code) && !PLAIN_MARKS.test(code)))
    return null;
  const isAsyncFile = lines.some(({ code }) => /^pytestmark\b.*\.(?:asyncio|anyio)\b/.test(code));
  const cases = new Set(['TestCase', 'IsolatedAsyncioTestCase', 'AsyncTestCase']);
  const found: PythonTest[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i];
    if (line === undefined || line.indent !== '') continue;
    const [, name, bases = ''] = CLASS.exec(line.code) ?? [];
    if (name === undefined) {
      if (runner === 'pytest') found.push(...testAt(lines, i, { owner: null, isAsyncFile, pairs, code }));
      continue;
    }
    const words = bases.split(',').map((base) => base.trim().split('.').at(-1) ?? '');
    const isCase = words.some((base) => cases.has(base) || /TestCase$/.test(base));
    if (isCase) cases.add(name);
    const owner = { name, bases, isCase, isAsync: words.some((base) => /Async/.test(base)) };
    const body = bodyOf(lines, i);
    const isTest = isCase || (runner === 'pytest' && /^Test/.test(name) && /^(?:object)?$/.test(bases));
    const isOdd = body.some(({ indent, code }) => indent === body[0]?.indent && ODD.test(code)) || mayBeSkipped(body);
    const isTwice = lines.filter(({ indent, code }) => indent === '' && CLASS.exec(code)?.[1] === name).length > 1;
    if (!isTest || isOdd || isTwice || lines[i - 1]?.code.startsWith('@')) continue;
    const indent = body[0]?.indent;
    for (let j = i + 1; j <= i + body.length; j += 1) {
      if (lines[j]?.indent === indent) found.push(...testAt(lines, j, { owner, isAsyncFile, pairs, code }));
    }
  }
  const key = ({ owner, name }: PythonTest) => `${owner?.name}.${name}`;
  const uses = Map.groupBy(found, key);
  const changed = new Set(lines.flatMap(({ code }) => /^(?:del\s+)?(\w+)\s*(?:=|$)/.exec(code)?.[1] ?? []));
  // Python forgets the first of two tests with one name. A name that is assigned again may be no test.
  return found.filter((test) => uses.get(key(test))?.length === 1 && !changed.has(test.owner?.name ?? test.name));
}

/** Whether code that runs before each test of a class may skip it. */
function mayBeSkipped(body: readonly PythonStatement[]): boolean {
  let isSetUp = false;
  return body.some(({ indent, code }) => {
    const name = indent === body[0]?.indent ? DEF.exec(code)?.[2] : undefined;
    if (name !== undefined) isSetUp = /^(?:async)?set_?up/i.test(name);
    return isSetUp && /skip/i.test(code);
  });
}

type PythonTestScope = {
  readonly owner: PythonClass | null;
  readonly isAsyncFile: boolean;
  readonly pairs: ReadonlyMap<number, number>;
  readonly code: string;
};

function testAt(
  lines: readonly PythonStatement[],
  at: number,
  { owner, isAsyncFile, pairs, code }: PythonTestScope,
): readonly PythonTest[] {
  const line = lines[at];
  const [head, isAsync, name] = line === undefined ? [] : (DEF.exec(line.code) ?? []);
  if (line === undefined || head === undefined || name === undefined || !isTestName(name, owner)) return [];
  const decorators: PythonStatement[] = [];
  for (let i = at - 1; lines[i]?.code.startsWith('@') && lines[i]?.indent === line.indent; i -= 1) {
    decorators.push(lines[i] as PythonStatement);
  }
  if (decorators.some(({ code }) => !HARMLESS.test(code))) return [];
  const isAwaited = owner?.isAsync || isAsyncFile || decorators.some(({ code }) => ASYNC_MARK.test(code));
  if (isAsync !== undefined && !isAwaited) return [];
  const open = line.at + line.indent.length + head.length - 1;
  const close = pairs.get(open);
  const first = lines[at + 1];
  // A body on the line of its head, or none.
  if (close === undefined || first === undefined || !isDeeper(first, line)) return [];
  const offset = line.at + line.indent.length;
  if (!/^\s*(?:->[^:]+)?:\s*$/.test(line.code.slice(close + 1 - offset))) return [];
  const self = /^\s*(\w+)/.exec(line.code.slice(open + 1 - offset, close - offset))?.[1] ?? '';
  if (owner !== null && self === '') return [];
  return [
    {
      name,
      owner,
      self,
      isAsync: isAsync !== undefined,
      head: decorators.length > 0 ? null : line.at,
      margin: line.indent,
      body: first.at,
      indent: first.indent,
      end: endOf(lines, at, code),
      to: lastOf(lines, at).end,
    },
  ];
}

const LEAVES = /\b(?:return|raise|yield|skip\w*|exit|fail|while|xfail|importorskip)\b/;

/** The last line of a body. */
function lastOf(lines: readonly PythonStatement[], at: number): PythonStatement {
  let last = at;
  while (lines[last + 1] !== undefined && isDeeper(lines[last + 1] as PythonStatement, lines[at] as PythonStatement))
    last += 1;
  return lines[last] as PythonStatement;
}

/** The end of a body in which every statement is reached, else null. */
function endOf(lines: readonly PythonStatement[], at: number, code: string): number | null {
  const line = lines[at];
  const body: PythonStatement[] = [];
  for (
    let i = at + 1;
    line !== undefined && lines[i] !== undefined && isDeeper(lines[i] as PythonStatement, line);
    i += 1
  )
    body.push(lines[i] as PythonStatement);
  const last = body.at(-1);
  if (last === undefined || body.some((one) => LEAVES.test(one.code))) return null;
  return code[last.end - 1] === '\r' ? last.end - 1 : last.end;
}

const isTestName = (name: string, owner: PythonClass | null): boolean =>
  owner?.isCase === true ? name.startsWith('test') : /^test(?:_|[A-Z0-9]|$)/.test(name);

const isDeeper = (line: PythonStatement, than: PythonStatement): boolean =>
  line.indent.length > than.indent.length && line.indent.startsWith(than.indent);

function bodyOf(lines: readonly PythonStatement[], at: number): readonly PythonStatement[] {
  const from = at + 1;
  let end = from;
  while (lines[end] !== undefined && lines[end]?.indent !== '') end += 1;
  return lines.slice(from, end);
}

function linesOf(code: string): readonly PythonStatement[] {
  const lines: PythonStatement[] = [];
  let at = 0;
  for (const text of code.split('\n')) {
    const indent = /^[ \t\f\ufeff]*/.exec(text)?.[0] ?? '';
    const rest = text.slice(indent.length).trimEnd();
    if (rest !== '') lines.push({ at, end: at + text.length, indent, code: rest });
    at += text.length + 1;
  }
  return lines;
}
