/**
 * Tells for each place of a source text whether it is code, the inside of a string, or a comment. Not a parser: one pass
 * that is right for ordinary code, so that rules do not fire in comments and strings.
 */
export const CODE = 0;
const STRING = 1;
export const COMMENT = 2;

export type Family = 'script' | 'python' | 'go' | 'java' | 'rust' | 'ruby' | 'php' | 'shell' | 'docker' | 'workflow';

const ENDINGS: Readonly<Record<Exclude<Family, 'docker' | 'workflow'>, string>> = {
  script: 'js jsx mjs cjs ts tsx mts cts vue svelte astro html htm',
  python: 'py pyi pyw',
  go: 'go',
  java: 'java kt kts scala groovy cs c cc cpp cxx h hpp swift dart',
  rust: 'rs',
  ruby: 'rb rake gemspec',
  php: 'php phtml',
  shell: 'sh bash zsh ksh mk',
};
const FAMILIES = new Map<string, Family>(
  (Object.keys(ENDINGS) as (keyof typeof ENDINGS)[]).flatMap((family) =>
    ENDINGS[family].split(' ').map((ending) => [ending, family] as const),
  ),
);

/** Null: a file that no rule is for. */
export function familyOf(path: string): Family | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^(?:dockerfile|containerfile)(?:\..{1,40})?$|\.dockerfile$/.test(name)) return 'docker';
  if (/(?:^|\/)\.github\/(?:workflows|actions)\/.*\.ya?ml$/i.test(path) || /^action\.ya?ml$/.test(name))
    return 'workflow';
  if (/^(?:gnu)?makefile$/.test(name)) return 'shell';
  return FAMILIES.get(name.slice(name.lastIndexOf('.') + 1)) ?? null;
}

/** For each family where a string, a comment, or a part of a template may begin or end. */
const STOPS: Readonly<Record<Family, RegExp>> = {
  script: /['"`/{}]/g,
  python: /['"#]/g,
  go: /['"`/]/g,
  java: /['"/]/g,
  rust: /["/]/g,
  ruby: /['"#]/g,
  php: /['"/#]/g,
  // What stands in quotes is run as well.
  shell: /#/g,
  docker: /#/g,
  workflow: /#/g,
};

export function codePlaces(family: Family, text: string): Uint8Array {
  const kinds = new Uint8Array(text.length);
  /** For each open `${`: how many braces are open in it. */
  const templates: number[] = [];
  const stop = STOPS[family];
  let at = 0;
  for (;;) {
    stop.lastIndex = at;
    const found = stop.exec(text);
    if (found === null) return kinds;
    at = token(found.index);
  }

  /** Marks the string or comment that begins here; returns where to go on. */
  function token(from: number): number {
    const char = text[from];
    if (char === '{' || char === '}') return brace(from, char);
    if (char === '#') return hash(from);
    if (char === '/') return slash(from);
    if (char === '`') return family === 'script' ? template(from + 1) : fill(STRING, from + 1, next('`', from + 1)) + 1;
    return quoted(from, char ?? '');
  }

  function fill(kind: number, from: number, to: number): number {
    kinds.fill(kind, from, to);
    return to;
  }

  function next(what: string, from: number): number {
    const found = text.indexOf(what, from);
    return found < 0 ? text.length : found;
  }

  function hash(from: number): number {
    // `$#`, `${#list}` and colours are none.
    const begins = from === 0 || /\s/.test(text[from - 1] ?? '') || family === 'python' || family === 'php';
    return begins ? fill(COMMENT, from, next('\n', from)) : from + 1;
  }

  function slash(from: number): number {
    if (text[from + 1] === '/') return fill(COMMENT, from, next('\n', from));
    if (text[from + 1] === '*') return fill(COMMENT, from, Math.min(text.length, next('*/', from + 2) + 2));
    return family === 'script' && mayBeRegExp(text, from) ? regExp(from) : from + 1;
  }

  function regExp(from: number): number {
    let inList = false;
    for (let i = from + 1; i < text.length; i += 1) {
      const char = text[i];
      if (char === '\n') return from + 1;
      if (char === '\\') i += 1;
      else if (char === '[') inList = true;
      else if (char === ']') inList = false;
      else if (char === '/' && !inList) return fill(STRING, from + 1, i) + 1;
    }
    return from + 1;
  }

  function brace(at: number, char: string): number {
    const open = templates.pop();
    if (open === undefined) return at + 1;
    if (char === '}' && open === 0) return template(at + 1);
    templates.push(char === '{' ? open + 1 : open - 1);
    return at + 1;
  }

  /** From the inside of a template to behind its end or behind its next `${`. */
  function template(from: number): number {
    for (let i = from; i < text.length; i += 1) {
      const char = text[i];
      if (char === '\\') i += 1;
      else if (char === '`') return fill(STRING, from, i) + 1;
      else if (char === '$' && text[i + 1] === '{') {
        templates.push(0);
        return fill(STRING, from, i) + 2;
      }
    }
    return fill(STRING, from, text.length);
  }

  function quoted(from: number, quote: string): number {
    if ((family === 'python' || family === 'java') && text.startsWith(quote.repeat(3), from))
      return fill(STRING, from + 3, next(quote.repeat(3), from + 3)) + 3;
    const many = family === 'rust' || family === 'php' || family === 'ruby';
    for (let i = from + 1; i < text.length; i += 1) {
      const char = text[i];
      if (char === '\\') i += 1;
      else if (char === quote) return fill(STRING, from + 1, i) + 1;
      else if (char === '\n' && !many) return fill(STRING, from + 1, i);
    }
    return many ? from + 1 : fill(STRING, from + 1, text.length);
  }
}

/** A slash behind an operator or a keyword begins a regular expression; behind a value it divides. */
function mayBeRegExp(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return (
    before === '' || /[(,=:[!&|?{};+<>~*%^-]$|\b(?:return|typeof|case|in|of|do|else|void|yield|await)$/.test(before)
  );
}
