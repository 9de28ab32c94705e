/**
 * Runs the small part of Go in which gitleaks makes the texts that it tests its rules with: strings, lists, maps, calls
 * and loops over them. What is not understood is `undefined`, and so is a text made of it; a function that has a
 * statement that is not understood gives `undefined`.
 */
export type Call = (...args: Value[]) => Value;
export type Value = string | Call | Value[] | Map<string, Value> | undefined;
/** Values by name, those of another package by `package.Name`. */
export type Scope = Map<string, Value>;

type Token = { readonly text: string; readonly string?: string };

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\])+'|[A-Za-z_]\w*|\d[\w.]*|:=|\.\.\.|\n|\S/g;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const KEYWORD = /^(?:break|continue|defer|for|func|go|goto|if|return|select|struct|switch|type)$/;

/** Puts what the files of a package declare into its scope; gives the names of the functions that take nothing. */
export function declare(sources: readonly string[], scope: Scope): string[] {
  const programs = sources.map(tokens);
  const names: string[] = [];
  // All functions first: a value may be made with one of any file.
  for (const program of programs)
    for (const at of declarations(program, /^func$/)) {
      const name = program[at + 1]?.text ?? '';
      const head = new Reader(program, at + 2, scope, scope);
      const parameters = head.parameters();
      if (parameters.length === 0) names.push(name);
      scope.set(name, (...args) => {
        const local: Scope = new Map(parameters.map((parameter, n) => [parameter, args[n]]));
        return attempted(() => new Reader(program, head.at, scope, local).body());
      });
    }
  for (const program of programs)
    for (const at of declarations(program, /^(?:var|const)$/))
      attempted(() => new Reader(program, at, scope, scope).statement());
  return names;
}

class NotUnderstood extends Error {}

function attempted(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function tokens(source: string): Token[] {
  const all: Token[] = [];
  for (const [text] of source.matchAll(TOKEN)) {
    if (/^\/[/*]/.test(text)) continue;
    if (text !== '\n') all.push({ text, ...literal(text) });
    // As Go does: the end of a line ends the statement when it stands behind a value or a closing bracket.
    else if (/[\w"'`)\]}]$/.test(all.at(-1)?.text ?? '')) all.push({ text: ';' });
  }
  return all;
}

function literal(text: string): { readonly string?: string } {
  if (text.startsWith('`')) return { string: text.slice(1, -1) };
  if (!text.startsWith('"')) return {};
  const string = text
    .slice(1, -1)
    .replaceAll(/\\(?:x(..)|u(.{4})|(.))/g, (_, byte?: string, unit?: string, char?: string) =>
      char === undefined ? String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)) : (ESCAPES[char] ?? char),
    );
  return { string };
}

function declarations(program: readonly Token[], keyword: RegExp): number[] {
  let depth = 0;
  return [...program.entries()].flatMap(([at, { text }]) => {
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text)) depth--;
    return depth === 0 && keyword.test(text) ? [at] : [];
  });
}

/** Reads and runs at once; a loop reads its block again. */
class Reader {
  readonly #program: readonly Token[];
  readonly #scope: Scope;
  readonly #local: Scope;
  at: number;

  constructor(program: readonly Token[], at: number, scope: Scope, local: Scope) {
    this.#program = program;
    this.#scope = scope;
    this.#local = local;
    this.at = at;
  }

  /** Their names; afterwards the body begins. */
  parameters(): string[] {
    const names: string[] = [];
    for (; !this.#take(')'); this.at++)
      if (/^[(,]$/.test(this.#text()) && /^\w/.test(this.#program[this.at + 1]?.text ?? ''))
        names.push(this.#program[this.at + 1]?.text ?? '');
    while (!this.#take('{')) this.at++;
    return names;
  }

  body(): Value {
    while (!this.#take('}')) {
      if (this.#take('return')) return this.#expression();
      this.statement();
    }
    return undefined;
  }

  statement(): undefined {
    if (this.#take(';')) return;
    if (this.#take('for')) this.#loop();
    else if (this.#take('var') || this.#take('const')) {
      if (!this.#take('(')) this.#variable();
      else while (!this.#take(')')) if (!this.#take(';')) this.#variable();
    } else if (/^:?=$/.test(this.#program[this.at + 1]?.text ?? '')) {
      const name = this.#next().text;
      this.at++;
      this.#local.set(name, this.#expression());
    } else this.#expression();
  }

  #variable(): void {
    const name = this.#next().text;
    const isList = this.#text() === '[';
    if (!/^[=;)]$/.test(this.#text())) this.#type();
    this.#local.set(name, this.#take('=') ? this.#expression() : isList ? [] : undefined);
  }

  #loop(): void {
    const [key = '', comma, value = '', is, range, over = '', open] = this.#program
      .slice(this.at, this.at + 7)
      .map(({ text }) => text);
    const list = this.#named(over);
    if (comma !== ',' || is !== ':=' || range !== 'range' || open !== '{') throw new NotUnderstood();
    if (!(list instanceof Map || Array.isArray(list)) || [...list].length === 0) throw new NotUnderstood();
    const from = this.at + 7;
    for (const [name, one] of list.entries()) {
      this.#local.set(key, String(name)).set(value, one);
      for (this.at = from; !this.#take('}'); ) this.statement();
    }
  }

  #expression(): Value {
    let value = this.#operand();
    while (this.#take('+')) {
      const more = this.#operand();
      value = typeof value === 'string' && typeof more === 'string' ? value + more : undefined;
    }
    if (/^(?:[^\w\s;,)}\]:]|:=)$/.test(this.#text())) throw new NotUnderstood();
    return value;
  }

  #operand(): Value {
    while (this.#take('&') || this.#take('*'));
    if (this.#text() === '[' || this.#text() === 'map') {
      this.#type();
      if (this.#take('{')) return this.#composite();
      // A conversion as `[]byte(text)`, or the type alone, for `make`.
      return this.#text() === '(' ? this.#args()[0] : [];
    }
    const { text, string } = this.#next();
    if (string !== undefined) return string;
    if (/^['\d]/.test(text)) return undefined;
    if (!/^\w/.test(text) || KEYWORD.test(text)) throw new NotUnderstood();
    let name = text;
    while (this.#take('.')) name += `.${this.#next().text}`;
    if (this.#take('{')) return this.#composite();
    const value = this.#named(name);
    if (this.#text() !== '(') return value;
    const args = this.#args();
    return typeof value === 'function' ? value(...args) : undefined;
  }

  /** What stands in the braces of a list, a map or a record. */
  #composite(): Value {
    const list: Value[] = [];
    const map = new Map<string, Value>();
    while (!this.#take('}')) {
      const text = this.#text();
      const value = this.#element();
      if (this.#take(':')) map.set(typeof value === 'string' ? value : text, this.#element());
      else list.push(value);
      this.#take(',');
    }
    return map.size > 0 ? map : list;
  }

  #element(): Value {
    return this.#take('{') ? this.#composite() : this.#expression();
  }

  #args(): Value[] {
    const values: Value[] = [];
    for (this.at++; !this.#take(')'); this.#take(',')) {
      const value = this.#expression();
      if (!this.#take('...')) values.push(value);
      else if (Array.isArray(value)) values.push(...value);
      else values.push(undefined);
    }
    return values;
  }

  #type(): void {
    while (/^(?:[*[]|map)$/.test(this.#text())) if (!this.#take('*')) while (!this.#take(']')) this.at++;
    this.at++;
    if (this.#take('.')) this.at++;
  }

  #named(name: string): Value {
    const [object = '', member = ''] = name.split('.');
    const holder = this.#local.get(object);
    if (holder instanceof Map && member !== '') return holder.get(member);
    return this.#local.get(name) ?? this.#scope.get(name);
  }

  #text(): string {
    return this.#program[this.at]?.text ?? '';
  }

  #next(): Token {
    const token = this.#program[this.at++];
    if (token === undefined) throw new NotUnderstood();
    return token;
  }

  #take(text: string): boolean {
    // At the end of the file every loop here must end.
    if (this.at >= this.#program.length) throw new NotUnderstood();
    if (this.#text() !== text) return false;
    this.at++;
    return true;
  }
}
