/**
 * Makes every function of a source file fail when it is called. Tests that call one of them must fail, and no byte of a
 * test file differs: whatever hides failures by inspecting test files cannot recognise this run. The file must
 * certainly load as before, or it is left alone. A run at the base shows whether tests notice.
 */

import { complaint, freePhrase, snake } from './plant-names.ts';
import { type Dice, type Edit, edited, lineEndOf } from './planted.ts';
import { type Scanned, scan } from './scan.ts';

type DefectSource = { readonly text: string; readonly scanned: Scanned; readonly dice: Dice };

/** Returns null if no function is found. */
export function withDefects(path: string, text: string, dice: Dice): string | null {
  const [family, edits] = waysOf(path);
  const scanned = family === null ? null : scan(family, text);
  if (family === null || scanned === null) return null;
  const made = edits({ text, scanned, dice });
  if (made.length === 0) return null;
  const found = edited(text, made);
  return scan(family, found) === null ? null : found;
}

function waysOf(path: string): readonly [Parameters<typeof scan>[0] | null, (source: DefectSource) => readonly Edit[]] {
  if (/\.[cm]?[jt]sx?$/.test(path)) return ['script', inScript];
  if (path.endsWith('.py')) return ['python', inPython];
  if (path.endsWith('.go')) return ['go', inGo];
  return path.endsWith('.rs') ? ['rust', inRust] : [null, () => []];
}

/** Except for these, only functions have a brace after a bracket. */
const NO_FUNCTION = /(?:^|[^\w$.])(?:if|for|while|switch|catch|with|await)\s*$/;
const RETURN_TYPE = /\)\s*(?::\s*[\w$][\w$.<>,|&[\]\s]*)?$/;
/** What precedes an arrow function; elsewhere it may be a type. */
const BEFORE_ARROW = /(?:[=(,?]|=>|&&|\|\||\?\?|(?:^|[^\w$.])(?:return|async|default))\s*$/;

function inScript({ text, scanned: { code, pairs }, dice }: DefectSource): readonly Edit[] {
  const edits: Edit[] = [];
  const openers = new Map([...pairs].map(([open, close]) => [close, open]));
  const phrase = freePhrase(text, dice);
  for (const { index, 0: found } of code.matchAll(/=>\s*\{?|\{/g)) {
    const brace = found.endsWith('{');
    const before = code.slice(Math.max(0, index - 300), index).trimEnd();
    if (!found.startsWith('=>')) {
      const head = RETURN_TYPE.exec(before);
      const close = head === null ? -1 : index - (code.slice(Math.max(0, index - 300), index).length - head.index);
      const open = openers.get(close);
      if (open === undefined) continue;
      const name = code.slice(Math.max(0, open - 80), open);
      if (NO_FUNCTION.test(name) || !/[\w$>\]'"]\s*$|\bfunction\s*\*?\s*$/.test(name)) continue;
    } else if (!isArrowFunction(code, openers, index)) continue;
    const at = index + found.length;
    if (brace) edits.push({ at, text: ` throw new Error('${complaint(dice)}');` });
    else if (phrase !== null) edits.push({ at, text: `undefined.${snake(phrase)} ? 0 : ` });
  }
  return edits;
}

function isArrowFunction(code: string, openers: ReadonlyMap<number, number>, arrow: number): boolean {
  const before = code.slice(Math.max(0, arrow - 300), arrow);
  const bare = /(?:^|[^\w$.])([\w$]+)\s*$/.exec(before)?.[1];
  if (bare !== undefined && !/\)\s*:[^()]*$/.test(before))
    return BEFORE_ARROW.test(code.slice(Math.max(0, arrow - 200), arrow).replace(/[\w$]+\s*$/, ''));
  const head = RETURN_TYPE.exec(before.trimEnd());
  const open = head === null ? undefined : openers.get(arrow - (before.length - head.index));
  const begin = open === undefined ? '' : code.slice(Math.max(0, open - 200), open);
  return BEFORE_ARROW.test(begin) && !/\btype\s[^;=]*=\s*$/.test(begin);
}

const DEF = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gm;

function inPython({ text, scanned: { code, pairs }, dice }: DefectSource): readonly Edit[] {
  const newline = lineEndOf(text);
  const edits: Edit[] = [];
  for (const { index, 0: head, 1: margin = '', 2: name = '' } of code.matchAll(DEF)) {
    // The runner itself calls methods that print and compare.
    if (/^__(?!init__|call__)/.test(name)) continue;
    const close = pairs.get(index + head.length - 1);
    const body = /\s*(?:->[^:\n]+)?:[ \t\r]*\n(?:[ \t\r]*\n)*([ \t]+)(?=\S)/y;
    body.lastIndex = (close ?? 0) + 1;
    const indent = close === undefined ? undefined : body.exec(code)?.[1];
    if (indent === undefined || indent.length <= margin.length) continue;
    const at = body.lastIndex - indent.length;
    edits.push({ at, text: `${indent}raise ValueError('${complaint(dice)}')${newline}` });
  }
  return edits;
}

/** A panic would end the whole process and lose the list of failed tests. Hardly any test expects zero. */
function inGo({ scanned: { code, pairs } }: DefectSource): readonly Edit[] {
  const edits: Edit[] = [];
  for (const { index, 0: head, 1: name } of code.matchAll(/^func\s*(?:\([^()]*\)\s*)?(\w+)\s*\(/gm)) {
    const close = pairs.get(index + head.length - 1) ?? code.length;
    const body = /([^{\n]*)\{/y;
    body.lastIndex = close + 1;
    const result = body.exec(code)?.[1];
    if (result === undefined || name === 'init' || name === 'main') continue;
    const left = zeros(result.trim());
    if (left !== null) edits.push({ at: body.lastIndex, text: ` if len("ab") == 2 { ${left} };` });
  }
  return edits;
}

const GO_TYPE = /^[\w.*[\]]+$/;

/** Returns null for results that are hard to parse. */
function zeros(result: string): string | null {
  if (result === '') return 'return';
  if (GO_TYPE.test(result)) return `var zero ${result}; return zero`;
  if (!/^\([^()]*\)$/.test(result)) return null;
  const parts = result
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim());
  if (parts.every((part) => GO_TYPE.test(part)) && !parts.every((part) => /^[a-z]$/.test(part))) {
    const all = parts.map((type, n) => `var zero${n} ${type}; `).join('');
    return `${all}return ${parts.map((_, n) => `zero${n}`).join(', ')}`;
  }
  return parts.every((part) => /^\w+\s+[\w.*[\]]+$/.test(part)) ? 'return' : null;
}

/** In Rust, tests stand beside the code; they stay unchanged. */
function inRust({ scanned: { code, pairs }, dice }: DefectSource): readonly Edit[] {
  const edits: Edit[] = [];
  const tests = [...code.matchAll(/#\s*\[\s*(?:cfg\s*\(\s*test\s*\)|(?:\w+::)*test)\s*\][^{;]*\{/g)].map(
    ({ index, 0: head }) => [index, pairs.get(index + head.length - 1) ?? code.length] as const,
  );
  for (const { index, 0: head } of code.matchAll(/\bfn\s+\w+\s*(?:<[^(){}]*>)?\s*\(/g)) {
    if (tests.some(([from, to]) => index > from && index < to)) continue;
    if (/\bconst\s+(?:unsafe\s+)?(?:extern\s+)?$/.test(code.slice(Math.max(0, index - 40), index))) continue;
    const close = pairs.get(index + head.length - 1) ?? code.length;
    const body = /[^{};]*\{/y;
    body.lastIndex = close + 1;
    if (!body.test(code)) continue;
    edits.push({ at: body.lastIndex, text: ` if core::hint::black_box(true) { panic!("${complaint(dice)}"); }` });
  }
  return edits;
}
