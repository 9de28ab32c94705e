/**
 * Finds Rust and Go calls whose errors the base handled and the change drops: the same call was followed by `?` or its
 * `err` was checked, and now it ends in `unwrap_or_default()`, `.ok()`, `let _ =` or `x, _ :=`. If nobody handled the
 * error before, these forms are left alone: most of them are idiomatic.
 */
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';

/** A call whose error is handled or dropped: its text without blanks, and its place. */
type FallibleCall = { readonly call: string; readonly at: number };
type Reader = {
  readonly handled: (side: Text) => readonly FallibleCall[];
  readonly dropped: (side: Text) => readonly FallibleCall[];
};
/** `code` is without comments and insides of strings; both texts have the same positions. */
type Text = { readonly code: string; readonly text: string };

const MAX_TEXT = 1 << 18;
const MAX_CALL = 400;
const MAX_PLACES = 2_000;

/** Lines of the new text (from 1) that drop an error which was handled before. */
export function droppedResults(file: FileFacts): readonly number[] {
  const reader = file.language === 'rust' ? RUST : file.language === 'go' ? GO : null;
  const added = new Set(file.added.map(({ line }) => line));
  if (reader === null || file.file.before === null || added.size === 0 || file.removed.length === 0) return [];
  const [before, after] = [textOf(file, BEFORE), textOf(file, AFTER)];
  if (Math.max(before.code.length, after.code.length) > MAX_TEXT) return [];
  const dropped = reader.dropped(after);
  if (dropped.length === 0) return [];
  const [was, is] = [countsOf(reader.handled(before)), countsOf(reader.handled(after))];
  const lineAt = linesOf(after.code);
  return dropped.flatMap(({ call, at }) => {
    const line = lineAt(at);
    return added.has(line) && (was.get(call) ?? 0) > (is.get(call) ?? 0) ? [line] : [];
  });
}

const textOf = (file: FileFacts, side: 0 | 1): Text => ({ code: file.code(side), text: file.text(side) ?? '' });

function countsOf(places: readonly FallibleCall[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { call } of places) counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}

function linesOf(code: string): (at: number) => number {
  const ends = [...code.matchAll(/\n/g)].map(({ index }) => index);
  return (at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const OPENS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The closing bracket for the one at `at`; null if it is not within the limit. */
function closing(code: string, at: number, most = MAX_CALL): number | null {
  let depth = 0;
  for (let i = at; i < code.length && i - at <= most; i += 1) {
    const letter = code[i] ?? '';
    if (OPENS[letter] !== undefined) depth += 1;
    else if (CLOSES[letter] !== undefined) depth -= 1;
    if (depth === 0) return i;
  }
  return null;
}

function opening(code: string, at: number): number | null {
  let depth = 0;
  for (let i = at; i >= 0 && at - i <= MAX_CALL; i -= 1) {
    const letter = code[i] ?? '';
    if (CLOSES[letter] !== undefined) depth += 1;
    else if (OPENS[letter] !== undefined) depth -= 1;
    if (depth === 0) return i;
  }
  return null;
}

/** From `at` to the end of the expression: at a blank line, a semicolon, or what `stop` names, outside all brackets. */
function expressionFrom(code: string, at: number, stop: RegExp): number | null {
  for (let i = at; i < code.length && i - at <= MAX_CALL; i += 1) {
    const letter = code[i] ?? '';
    if (stop.test(letter) || CLOSES[letter] !== undefined) return i;
    if (letter === '(' || letter === '[') {
      const end = closing(code, i);
      if (end === null) return null;
      i = end;
    }
  }
  return null;
}

const places = (
  matches: Iterable<RegExpExecArray>,
  read: (match: RegExpExecArray) => FallibleCall | null,
): readonly FallibleCall[] => {
  const found: FallibleCall[] = [];
  for (const match of matches) {
    const place = read(match);
    if (place !== null) found.push(place);
    if (found.length >= MAX_PLACES) break;
  }
  return found;
};

/** The start of the chain of calls that ends before `end`: `fs::read(path)` of `let a = fs::read(path)?`. */
function chainStart(code: string, end: number): number {
  let at = end;
  for (;;) {
    let i = at - 1;
    while (i >= 0 && /\s/.test(code[i] ?? '')) i -= 1;
    if (end - i > MAX_CALL || i < 0) return at;
    const letter = code[i] ?? '';
    if (letter === ')' || letter === ']') {
      const open = opening(code, i);
      if (open === null) return at;
      at = open;
    } else if (letter === '>') {
      const open = /::<[\w\s,<>&':[\]]{0,100}>$/.exec(code.slice(Math.max(0, i - 110), i + 1))?.[0];
      if (open === undefined) return at;
      at = i + 1 - open.length;
    } else if (/\w/.test(letter)) {
      while (i >= 0 && /\w/.test(code[i] ?? '')) i -= 1;
      const word = code.slice(i + 1, at).trim();
      if (/^(?:return|match|let|if|in|mut|else|while|move|await|break)$/.test(word) && word !== 'await') return at;
      at = i + 1;
    } else if (letter === '.' || letter === '?' || letter === ':' || letter === '!') at = i;
    else return at;
  }
}

/** Calls that only change an error, or wait for it. */
const ADAPTS =
  /(?:\.await|\.(?:map_err|context|with_context|or_else|inspect_err)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))$/;

function rustCall({ text }: Text, from: number, to: number): string {
  let call = text
    .slice(from, to)
    .replace(/\s+/g, '')
    .replace(/::<[^()]{0,100}?>(?=\()/g, '')
    .replace(/^[&*]+/, '');
  for (let shorter = call.replace(ADAPTS, ''); shorter !== call; shorter = call.replace(ADAPTS, '')) call = shorter;
  return call;
}

function chainBefore(side: Text, end: number): FallibleCall | null {
  const from = chainStart(side.code, end);
  const call = rustCall(side, from, end);
  return call === '' ? null : { call, at: end };
}

/** These methods return an option, whose `?` passes on no error. */
const OPTIONAL =
  /(?:\b(?:get|get_mut|first|last|next|next_back|find|find_map|pop|pop_front|pop_back|peek|nth|position|rposition|min|max|min_by|max_by|min_by_key|max_by_key|as_ref|as_mut|as_deref|as_str|as_u64|as_i64|as_bool|as_array|as_object|strip_prefix|strip_suffix|split_once|rsplit_once|file_name|file_stem|extension|parent|to_str|to_digit|checked_\w+|take|remove|cloned|copied|filter|and_then|split_first|split_last|ok|err|chars|upgrade|captures)\([^()]{0,200}\)|\])$/;
const RUST_HANDLES =
  /\?(?![?\w])|\bif\s+let\s+Err\s*\([^()\n]{0,60}\)\s*=\s*|\bmatch\s+|\.unwrap_or_else\s*\(\s*\|\s*[a-z]\w*\s*\|/g;
const RUST_DROPS =
  /\.(?:unwrap_or(?:_default)?\s*\(|unwrap_or_else\s*\(\s*\|\s*_\w*\s*\||ok\s*\(\s*\)(?!\s*(?:\?|\.ok_or)))|\blet\s+_\s*=\s*|\bif\s+let\s+Ok\s*\([^\n=]{0,80}\)\s*=\s*|\.(?:flatten\s*\(\s*\)|(?:filter_map|flat_map|map_while)\s*\(\s*(?:Result::ok|\|\s*\w+\s*\|\s*\w+\.ok\(\))\s*\))/g;
/** An item of an iterator, whose error ended the loop. */
const ITEM = '<item>';

const RUST: Reader = {
  handled: (side) =>
    places(side.code.matchAll(RUST_HANDLES), ({ 0: form, index }) => {
      if (form === '?' || form.startsWith('.')) {
        const place = chainBefore(side, index);
        if (place === null || (form === '?' && inOptionFunction(side.code, index))) return null;
        // `let line = line?;`
        const named = /\blet\s+(?:mut\s+)?(\w+)\s*=\s*(\w+)$/.exec(side.code.slice(Math.max(0, index - 100), index));
        return named !== null && named[1] === named[2] ? { ...place, call: ITEM } : place;
      }
      const from = index + form.length;
      const end = side.code.indexOf('{', from);
      if (end < 0 || end - from > MAX_CALL) return null;
      if (/^match/.test(form)) {
        const body = closing(side.code, end, 4_000);
        const arm = /\bErr\s*\(\s*(?!_)/;
        if (body === null || !arm.test(side.code.slice(end, body))) return null;
      }
      return { call: rustCall(side, from, end), at: index };
    }),
  dropped: (side) =>
    places(side.code.matchAll(RUST_DROPS), ({ 0: form, index }) => {
      if (/^\.(?:flatten|filter_map|flat_map|map_while)/.test(form)) return { call: ITEM, at: index };
      if (form.startsWith('.')) {
        const place = chainBefore(side, index);
        const isOption = /^\.unwrap/.test(form) && (!place?.call.includes('(') || OPTIONAL.test(place.call));
        return place === null || isOption ? null : { ...place, at: index };
      }
      const from = index + form.length;
      const end = /^let/.test(form) ? expressionFrom(side.code, from, /[;\n]/) : side.code.indexOf('{', from);
      if (end === null || end < 0 || end - from > MAX_CALL) return null;
      if (/^if/.test(form) && hasElse(side.code, end)) return null;
      return { call: rustCall(side, from, end), at: index };
    }),
};

function hasElse(code: string, brace: number): boolean {
  const end = closing(code, brace, 20_000);
  return end === null || /^\s*else\b/.test(code.slice(end + 1, end + 40));
}

const MAX_FUNCTION = 20_000;

function inOptionFunction(code: string, at: number): boolean {
  const before = code.slice(Math.max(0, at - MAX_FUNCTION), at);
  const head = before.slice(Math.max(0, before.lastIndexOf('fn ')));
  const returns = /->\s*([^{;]{1,200})/.exec(head)?.[1] ?? '';
  return /\bOption\b/.test(returns) && !/\bResult\b/.test(returns);
}

const GO_HANDLES = /\berr\w*\s*:?=\s*|\breturn\s+(?=[\w.]{1,80}\()/g;
/** `_` at the end of an assignment's left side, or a call that stands alone. */
const GO_DROPS = /^[ \t]*(?:if\s+|switch\s+)?(?:[\w.[\]]{1,60}\s*,\s*)*_\s*:?=\s*|^[ \t]*(?=[A-Za-z_][\w.]{0,80}\()/gm;
const GO_WORD =
  /^(?:if|for|switch|func|return|go|defer|case|select|panic|print|println|append|copy|delete|close|len|make|new)\b/;

const GO: Reader = {
  handled: (side) =>
    places(side.code.matchAll(GO_HANDLES), ({ 0: form, index }) => {
      if (form.startsWith('return') && !returnsError(side.code, index)) return null;
      return goCall(side, index + form.length);
    }),
  dropped: (side) =>
    places(side.code.matchAll(GO_DROPS), ({ 0: form, index }) => {
      const from = index + form.length;
      const isAlone = !form.includes('=');
      if (isAlone && GO_WORD.test(side.code.slice(from, from + 12))) return null;
      const place = goCall(side, from);
      return place === null ? null : { ...place, at: from };
    }),
};

function goCall({ code, text }: Text, from: number): FallibleCall | null {
  const end = expressionFrom(code, from, /[;\n{]/);
  if (end === null) return null;
  const call = text.slice(from, end).replace(/\s+/g, '');
  // A type assertion says whether it holds, and returns no error.
  return /^[\w.[\]*&]+\(.*\)$/s.test(call) && !/\.\([\w.*[\]]+\)$/.test(call) ? { call, at: from } : null;
}

function returnsError(code: string, at: number): boolean {
  const before = code.slice(Math.max(0, at - MAX_FUNCTION), at);
  const head = before.slice(Math.max(0, before.lastIndexOf('func')));
  return /\berror\b/.test(head.slice(0, Math.max(0, head.indexOf('{'))));
}
