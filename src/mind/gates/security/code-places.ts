/**
 * Tells for each place of a source text whether it is code, inside a string, or a comment. Not a parser: one pass that
 * is right for ordinary code, so that rules do not fire in comments and strings.
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

/** Returns null for a file without rules. */
export function familyOf(path: string): Family | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^(?:dockerfile|containerfile)(?:\..{1,40})?$|\.dockerfile$/.test(name)) return 'docker';
  if (/(?:^|\/)\.github\/(?:workflows|actions)\/.*\.ya?ml$/i.test(path) || /^action\.ya?ml$/.test(name))
    return 'workflow';
  if (/^(?:gnu)?makefile$/.test(name)) return 'shell';
  return FAMILIES.get(name.slice(name.lastIndexOf('.') + 1)) ?? null;
}

/** For each family where a string, a comment, or a part of a template may start or end. */
const STOPS: Readonly<Record<Family, RegExp>> = {
  script: /['"`/{}]/g,
  python: /['"#]/g,
  go: /['"`/]/g,
  java: /['"/]/g,
  rust: /["/]/g,
  ruby: /['"#]/g,
  php: /['"/#]/g,
  // Text in quotes is run as well.
  shell: /#/g,
  docker: /#/g,
  workflow: /#/g,
};

export function codePlaces(family: Family, text: string): Uint8Array {
  return new Places(family, text).kinds;
}

class Places {
  readonly kinds: Uint8Array;
  readonly #family: Family;
  readonly #text: string;
  /** For each open `${`: how many braces are open in it. */
  readonly #templates: number[] = [];

  constructor(family: Family, text: string) {
    this.kinds = new Uint8Array(text.length);
    this.#family = family;
    this.#text = text;
    const stop = STOPS[family];
    let at = 0;
    for (;;) {
      stop.lastIndex = at;
      const found = stop.exec(text);
      if (found === null) return;
      at = this.#token(found.index);
    }
  }

  /** Marks the string or comment that starts here; returns where to go on. */
  #token(from: number): number {
    const char = this.#text[from];
    if (char === '{' || char === '}') return this.#brace(from, char);
    if (char === '#') return this.#hash(from);
    if (char === '/') return this.#slash(from);
    if (char === '`')
      return this.#family === 'script'
        ? this.#template(from + 1)
        : this.#fill(STRING, from + 1, this.#next('`', from + 1)) + 1;
    return this.#quoted(from, char ?? '');
  }

  #fill(kind: number, from: number, to: number): number {
    this.kinds.fill(kind, from, to);
    return to;
  }

  #next(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    return found < 0 ? this.#text.length : found;
  }

  #hash(from: number): number {
    // `$#`, `${#list}` and colours are none.
    const begins =
      from === 0 || /\s/.test(this.#text[from - 1] ?? '') || this.#family === 'python' || this.#family === 'php';
    return begins ? this.#fill(COMMENT, from, this.#next('\n', from)) : from + 1;
  }

  #slash(from: number): number {
    if (this.#text[from + 1] === '/') return this.#fill(COMMENT, from, this.#next('\n', from));
    if (this.#text[from + 1] === '*')
      return this.#fill(COMMENT, from, Math.min(this.#text.length, this.#next('*/', from + 2) + 2));
    return this.#family === 'script' && mayBeRegExp(this.#text, from) ? this.#regExp(from) : from + 1;
  }

  #regExp(from: number): number {
    let inList = false;
    for (let i = from + 1; i < this.#text.length; i += 1) {
      const char = this.#text[i];
      if (char === '\n') return from + 1;
      if (char === '\\') i += 1;
      else if (char === '[') inList = true;
      else if (char === ']') inList = false;
      else if (char === '/' && !inList) return this.#fill(STRING, from + 1, i) + 1;
    }
    return from + 1;
  }

  #brace(at: number, char: string): number {
    const open = this.#templates.pop();
    if (open === undefined) return at + 1;
    if (char === '}' && open === 0) return this.#template(at + 1);
    this.#templates.push(char === '{' ? open + 1 : open - 1);
    return at + 1;
  }

  /** From inside a template to after its end, or after its next `${`. */
  #template(from: number): number {
    for (let i = from; i < this.#text.length; i += 1) {
      const char = this.#text[i];
      if (char === '\\') i += 1;
      else if (char === '`') return this.#fill(STRING, from, i) + 1;
      else if (char === '$' && this.#text[i + 1] === '{') {
        this.#templates.push(0);
        return this.#fill(STRING, from, i) + 2;
      }
    }
    return this.#fill(STRING, from, this.#text.length);
  }

  #quoted(from: number, quote: string): number {
    if ((this.#family === 'python' || this.#family === 'java') && this.#text.startsWith(quote.repeat(3), from))
      return this.#fill(STRING, from + 3, this.#next(quote.repeat(3), from + 3)) + 3;
    const many = this.#family === 'rust' || this.#family === 'php' || this.#family === 'ruby';
    for (let i = from + 1; i < this.#text.length; i += 1) {
      const char = this.#text[i];
      if (char === '\\') i += 1;
      else if (char === quote) return this.#fill(STRING, from + 1, i) + 1;
      else if (char === '\n' && !many) return this.#fill(STRING, from + 1, i);
    }
    return many ? from + 1 : this.#fill(STRING, from + 1, this.#text.length);
  }
}

/** A slash after an operator or a keyword starts a regular expression; after a value it divides. */
function mayBeRegExp(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  return (
    before === '' || /[(,=:[!&|?{};+<>~*%^-]$|\b(?:return|typeof|case|in|of|do|else|void|yield|await)$/.test(before)
  );
}
