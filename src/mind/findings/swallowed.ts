/** Finds errors that new code catches and forgets. An error that was passed on before and is dropped now blocks. */
import { isCode } from '../code/languages.ts';
import { droppedResults } from './dropped-results.ts';
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';
import { type Handler, handlersIn } from './handlers.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REVERT } from './task-words.ts';

const SWALLOWS: Readonly<Record<string, RegExp>> = {
  script:
    /\bcatch\s{0,3}(?:\([^)\n]{0,80}\)\s{0,3})?\{\s{0,200}\}|\.catch\(\s{0,9}(?:\(?\s{0,3}\w{0,30}\s{0,3}\)?\s{0,3}=>\s{0,3}(?:\{\s{0,80}\}|undefined|null|void 0|false)|function\s{0,3}\w{0,30}\([^)\n]{0,40}\)\s{0,3}\{\s{0,80}\}|noop)\s{0,9}\)/g,
  python:
    /\bexcept\b[^:\n]{0,120}:\s{0,80}(?:\n\s{0,80})?(?:pass|\.\.\.|continue|return(?: None)?)[ \t]{0,9}(?=\n|$|;)|\bsuppress\((?:Base)?Exception\)/g,
  go: /^[ \t]{0,40}_\s{0,3}=\s{0,3}err\b|\bif err != nil \{\s{0,80}\}|^[ \t]{0,40}(?:\w{1,40},\s{0,3})?_\s{0,3}(?:=|:=)\s{0,3}\w[\w.]{0,60}\.(?:Close|Write\w*|Flush|Sync|Commit|Exec|Remove\w*|Err)\(/gm,
  rust: /\blet _\s{0,3}=\s{0,3}[^;\n]{1,160}\)\s{0,3};|\bErr\(_\)\s{0,3}=>\s{0,3}(?:\{\s{0,40}\}|\(\))|\.ok\(\)\s{0,3};/g,
  java: /\bcatch\s{0,3}\([^)\n]{0,120}\)\s{0,3}\{\s{0,200}\}/g,
};

/** Words that ask for errors to be dropped, or name what happens instead. */
const ASKED =
  /\b(?:ignor\w*|swallow\w*|toleran\w*|tolerat\w*|best[- ]effort|optional\w*|silen\w*|suppress\w*|fall(?:s|ing)?[ -]?back|defaults?|resilien\w*|robust\w*|forgiv\w*|lenien\w*|graceful\w*|catch\w*|skip\w*|(?:log|print|emit|show|give)\w* (?:a |an |only |just )?warnings?|treat\w* .{1,80} (?:like|as))\b/i;
/** Forbids a failure, and so implies what happens instead. */
const MUST_NOT_FAIL =
  /\b(?:(?:not|never|n't) (?:throw\w*|rais\w*|fail\w*|crash\w*|panic\w*|abort\w*|reject\w*|stop\w*)|without (?:throwing|raising|failing|crashing)|even if|(?:does|do|is|are) not exist|(?:doesn|isn|don)'t exist|errors?|exceptions?|fail(?:s|ed|ures?)?)\b/i;

export const swallowed: FindingRule = ({ files, words }) => {
  const isAsked = words.asks(ASKED) || words.asks(REVERT);
  // Words about failures alone ask for no program that ends as a success after one.
  const asked = isAsked || words.clauses.some(({ text }) => MUST_NOT_FAIL.test(text));
  return files.flatMap((file) => {
    const pattern = SWALLOWS[scriptName(file)];
    if (pattern === undefined || !isCode(file.path) || file.file.after === null) return [];
    return file.isTest ? inTests(file, pattern) : found(file, pattern, { asked, isAsked });
  });
};

const scriptName = ({ language }: FileFacts): string =>
  language === 'javascript' || language === 'typescript' ? 'script' : language;

const ASSERTS =
  /\b(?:assert|expect|should|require)\w{0,30}\b\s{0,3}[.(]|^\s{0,80}assert\b|\bself\.(?:assert|fail)\w*\(/;
/** Handlers that catch a failed assertion like any other error. */
const CATCHES_ALL = /\bcatch\b|\bexcept\s{0,3}(?::|\(?.{0,60}\b(?:AssertionError|Exception|BaseException)\b)/;

/** A test that catches its failed assertions is always green. */
function inTests(file: FileFacts, pattern: RegExp): Hit[] {
  const lines = file.text(AFTER)?.split('\n') ?? [];
  return swallowing(file, pattern, lines)
    .filter(({ line, text }) => !text.startsWith('.catch') && CATCHES_ALL.test(lines[line - 1] ?? ''))
    .filter(({ line }) => bodyOf(lines, line).body.some((one) => ASSERTS.test(one.slice(0, 2_000))))
    .map(({ line }) => {
      const message = `A failed assertion is caught and forgotten here (${quoted(lines[line - 1] ?? '')}): let the test fail`;
      return { rule: 'assertions-removed', severity: 'high', path: file.path, line, message, blocks: true };
    });
}

function found(
  file: FileFacts,
  pattern: RegExp,
  { asked, isAsked }: { readonly asked: boolean; readonly isAsked: boolean },
): Hit[] {
  const lines = file.text(AFTER)?.split('\n') ?? [];
  const places = swallowing(file, pattern, lines);
  const quiet = changedHandlers(file).filter(
    ({ line, does }) => does !== 'passes' && !places.some((one) => one.line === line),
  );
  const results = asked ? [] : droppedResults(file);
  if (places.length + quiet.length + results.length === 0) return [];
  const base = asked ? null : baseOf(file, lines);
  const shown = (line: number) => quoted(lines[line - 1] ?? '');
  const dropped = (line: number) =>
    `An error that was passed on before is dropped here (${shown(line)}), and the task does not ask for that: pass it on`;
  const hit = (line: number, severity: Hit['severity'], message: string): Hit => {
    return { rule: 'error-swallowed', severity, path: file.path, line, message, blocks: severity === 'high' };
  };
  return [
    ...[...new Set(results)].map((line) => hit(line, 'high', dropped(line))),
    ...places.flatMap(({ line, text }) => {
      if (results.includes(line)) return [];
      if (base !== null && wasLoud(base, line, text)) return [hit(line, 'high', dropped(line))];
      const severity = isExplained(lines, line, text) ? 'low' : 'medium';
      return [hit(line, severity, `An error is caught and forgotten (${shown(line)}): handle it, or pass it on`)];
    }),
    ...quiet.flatMap((one) => {
      const isHidden = one.wasEnding && !isAsked && !one.ends && one.does !== 'other';
      if (isHidden || (base !== null && isDropped(base, one))) return [hit(one.line, 'high', dropped(one.line))];
      if (asked || one.does === 'other' || !TAKES_ALL.test(one.takes)) return [];
      const what = one.does === 'logs' ? 'only printed' : 'answered with a fixed value';
      return [
        hit(
          one.line,
          'low',
          `An error of any kind is ${what} here (${shown(one.line)}): see that callers can do without it`,
        ),
      ];
    }),
  ];
}

/** A comment in the handler explains it. */
function isExplained(lines: readonly string[], line: number, text: string): boolean {
  const height = text.match(/\n/g)?.length ?? 0;
  return lines.slice(line - 1, line + height).some((one) => /(?:\/\/|\/\*|#)\s{0,9}\w+ \w/.test(one.slice(0, 2_000)));
}

const TAKES_ALL = /^(?:\.?catch|except|(?:catch|except) (?:Base)?(?:Exception|Throwable|RuntimeException))$/;

type ChangedHandler = Handler & { readonly wasPassing: boolean; readonly wasEnding: boolean };

/** Handlers of the new text that the change touches, and whether each passed its error on before. */
function changedHandlers(file: FileFacts): readonly ChangedHandler[] {
  const now = handlersIn(file.language, file.code(AFTER));
  if (now.length === 0) return [];
  const old = handlersIn(file.language, file.code(BEFORE));
  const [added, removed] = [file.added, file.removed].map((some) => new Set(some.map(({ line }) => line)));
  const touched = ({ line, to }: Handler, by: ReadonlySet<number> | undefined) =>
    [...Array(to - line + 1).keys()].some((i) => by?.has(line + i) === true);
  return now.flatMap((handler) => {
    const [same, before] = [now, old].map((all) => all.filter(({ takes }) => takes === handler.takes));
    // Handlers can be paired only if their number is the same.
    const twin = same?.length === before?.length ? before?.[same?.indexOf(handler) ?? -1] : undefined;
    const isTouched = touched(handler, added) || (twin !== undefined && touched(twin, removed));
    return isTouched ? [{ ...handler, wasPassing: twin?.does === 'passes', wasEnding: twin?.ends === true }] : [];
  });
}

/** The handler passed its error on before, or the guarded code had no handler. */
function isDropped(base: Base, { line, takes, does, wasPassing }: ChangedHandler): boolean {
  if (wasPassing) return true;
  // Trying is the way to find out whether a library is there.
  if (/\b(?:Import|ModuleNotFound)Error\b/.test(takes)) return false;
  return does !== 'other' && base.language !== 'go' && wasLoud(base, line, takes === '.catch' ? '.catch(' : '');
}

/** Matches of the pattern on added lines; `line` counts from 1. */
function swallowing(
  file: FileFacts,
  pattern: RegExp,
  lines: readonly string[],
): { readonly line: number; readonly text: string }[] {
  const added = new Set(file.added.map(({ line }) => line));
  if (added.size === 0 || lines.length === 0) return [];
  const hits: { line: number; text: string }[] = [];
  let [line, at] = [1, 0];
  const code = file.code(AFTER);
  for (const { index, 0: text } of code.matchAll(pattern)) {
    for (let next = code.indexOf('\n', at); next >= 0 && next < index; next = code.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    const first = /^\n/.test(text) ? line + 1 : line;
    const last = first + (text.match(/\n/g)?.length ?? 0);
    if ([...Array(last - first + 1).keys()].some((i) => added.has(first + i))) hits.push({ line: first, text });
  }
  return hits;
}

const MAX_BODY = 200;
const PASSES_ON = /^(?:raise\b|throw\b|return\b.{0,60}\berr\b|panic\()/;

/** Facts about the base that the rule needs, computed once for a file. */
type Base = {
  readonly language: FileFacts['language'];
  readonly lines: readonly string[];
  readonly added: ReadonlySet<number>;
  /** Lines of the base. */
  readonly had: ReadonlySet<string>;
  /** Expressions of removed lines that stood alone, or whose error was inspected. */
  readonly calls: ReadonlySet<string>;
  /** Functions that lines which went had waited for: `rename` of `renameSync(…)`. */
  readonly waited: ReadonlySet<string>;
  readonly errors: string;
  /** A handler passed an error on, and no longer does. */
  readonly raisesLess: boolean;
};

function baseOf(file: FileFacts, lines: readonly string[]): Base {
  const removed = file.removed.map(({ text }) => text.slice(0, 2_000).trim());
  const raises = (texts: readonly string[]) => texts.filter((text) => PASSES_ON.test(text)).length;
  const raised = file.language === 'go' || removed.some((text) => /^(?:raise|throw(?: \w+)?);?$/.test(text));
  return {
    language: file.language,
    lines,
    added: new Set(file.added.map(({ line }) => line)),
    had: new Set((file.file.before ?? '').split('\n').flatMap((one) => spellings(one.slice(0, 2_000).trim()))),
    calls: new Set(removed.map(plain)),
    waited: new Set(removed.flatMap((text) => [...text.matchAll(/(\w{3,60})Sync\(/g)].map(([, name = '']) => name))),
    errors: removed.filter((text) => /\berr\b/.test(text)).join('\n'),
    raisesLess: raised && raises(removed) > raises(file.added.map(({ text }) => text.slice(0, 2_000).trim())),
  };
}

/** Whether the base had this very code, and let its errors through. `line` counts from 1. */
function wasLoud(base: Base, line: number, text: string): boolean {
  const own = (base.lines[line - 1] ?? '').slice(0, 2_000).trim();
  // The call still names its error, but does not return it any more.
  if (base.language === 'go' && /\berr\b/.test(text)) return base.raisesLess;
  if (base.language === 'go') return base.errors.includes(expressionOf(own));
  if (base.language === 'rust') return false;
  if (/^\.catch\(/.test(text)) {
    const called = plain(own.replace(/\.catch\(.*$/, ''));
    return (
      (/\w\(/.test(called) && base.calls.has(called)) ||
      chainAbove(base.lines, line).some((one) => base.waited.has(one))
    );
  }
  if (base.raisesLess) return true;
  if (/^suppress/.test(text)) {
    const guarded = below(base.lines, line);
    return guarded.some((one) => /\w\(/.test(one) && base.had.has(plain(one.trim())));
  }
  const { tryLine, body } = bodyOf(base.lines, line);
  return (
    tryLine !== null &&
    base.added.has(tryLine) &&
    body.some((one) => /\w\(/.test(one) && base.had.has(plain(one.slice(0, 2_000).trim())))
  );
}

/** A line, and what it does in the one case that it has on the same line. */
const spellings = (text: string): string[] => {
  const rest =
    /^(?:\}\s*)?else\s+(?!if\b|\{)(.+)$/.exec(text)?.[1] ?? /^if\s*\(.{1,200}\)\s*([\w$].*;)$/.exec(text)?.[1];
  return rest === undefined ? [plain(text)] : [plain(text), plain(rest)];
};

/** Functions that a chain of promises calls, up to the line of its `.catch`: `writeFile` of `fs.promises.writeFile(…)`. */
function chainAbove(lines: readonly string[], line: number): string[] {
  const chain = [lines[line - 1] ?? ''];
  for (let i = line - 1; i > 0 && i > line - 8 && /^\s*\./.test(lines[i] ?? ''); i -= 1) chain.push(lines[i - 1] ?? '');
  return chain.flatMap((one) => [...one.slice(0, 2_000).matchAll(/(\w{3,60})\(/g)].map(([, name = '']) => name));
}

/** The lines that stand deeper than this one, below it. */
function below(lines: readonly string[], line: number): string[] {
  const own = indentOf(lines[line - 1] ?? '');
  const body: string[] = [];
  for (let i = line; i < lines.length && body.length < MAX_BODY; i += 1) {
    const one = lines[i] ?? '';
    if (one.trim() !== '' && indentOf(one) <= own) break;
    body.push(one.slice(0, 2_000));
  }
  return body;
}

/** `_ = scanner.Err()` → `scanner.Err()`. */
const expressionOf = (text: string): string => /=\s*(.{4,200}?)\s*$/.exec(text)?.[1] ?? '\0';
const plain = (text: string): string => text.replace(TAKEN, '').replace(/\s+|;$/g, '');
/** What follows a call and uses its result; without it the call is the same. */
const TAKEN =
  /^(?:return |await |(?:const |let |var )?[\w$.]{1,60}(?:: [^=\n]{1,60})? :?= |(?:const|let|var) [{[][^=\n]{1,80}[}\]] = )+/;

/** The lines between a handler and its `try`, which has the same indentation. */
function bodyOf(
  lines: readonly string[],
  handler: number,
): { readonly tryLine: number | null; readonly body: readonly string[] } {
  const own = lines[handler - 1] ?? '';
  const whole = /^\s*try\s*\{(.{1,500}?)\}\s*catch\b/.exec(own)?.[1];
  if (whole !== undefined) return { tryLine: handler, body: [whole] };
  const indent = indentOf(own);
  const body: string[] = [];
  for (let i = handler - 2; i >= 0 && handler - i < MAX_BODY; i -= 1) {
    const one = lines[i] ?? '';
    if (indentOf(one) === indent && /^\s*try\b/.test(one)) return { tryLine: i + 1, body };
    body.push(one);
  }
  return { tryLine: null, body: [] };
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
