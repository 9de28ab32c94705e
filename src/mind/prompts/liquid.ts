/**
 * Liquid, limited to what a prompt needs. Projects bring templates, so a template is treated as a stranger's program:
 * it sees only the values it is given, reads no file, names other templates only literally, and is stopped if it does
 * too much. Values are inserted, never parsed as templates.
 */
import {
  analyzeSync,
  type Context,
  type Emitter,
  type FS,
  Liquid,
  LiquidError,
  type TagToken,
  type Template,
  Token,
} from 'liquidjs';
import { nearest } from '../../kernel/nearest.ts';
import { type Filter, heldFilter, OWN_FILTERS, ownFilters } from './filters.ts';
import { Quoted, sealed, unsealed } from './foreign-text.ts';
import { TemplateError, type TemplateProblem } from './template-error.ts';
import { forTemplate, unknownPath, type Variables, written } from './template-values.ts';

/** By name, without `.liquid`. */
export type Templates = ReadonlyMap<string, string>;

/** In characters. */
export const MAX_TEMPLATE = 1 << 17;
export const MAX_OUTPUT = 1 << 22;
/**
 * What one rendering may read, join and write in all; each round of a loop costs something even if it writes nothing.
 */
const MAX_WORK = 1 << 24;
const ROUND = 256;
/** A fallback behind that count, which always stops at the same place. */
const MAX_MS = 10_000;

const NAMING = ['include', 'layout', 'render'] as const;
export const TAGS = [
  ...NAMING,
  ...['#', 'assign', 'block', 'break', 'capture', 'case', 'comment', 'continue', 'for', 'if', 'raw', 'unless'],
];
/**
 * Liquid's own filters, without those that read the time or multiply text. filters.ts limits how they handle quotes.
 */
export const FILTERS = ['capitalize', 'default', 'downcase', 'first', 'last', 'size', 'strip', 'upcase'];

export function renderTemplate(templates: Templates, name: string, variables: Variables, seed: string): string {
  const engine = engineOf(templates);
  engine.settle(name);
  return engine.guarded(name, () => {
    const globals = forTemplate(variables, seed) as object;
    engine.seeds.set(globals, seed);
    return written(engine.liquid.renderSync([...engine.parsed(name)], Object.create(null), { globals }));
  });
}

/** The problems of each of `names`: syntax, names of other templates, cycles, variables that `shape` does not have. */
export function* templateProblems(
  templates: Templates,
  shape: Variables,
  names: Iterable<string> = templates.keys(),
): Generator<TemplateProblem> {
  const engine = engineOf(templates);
  for (const name of names) {
    try {
      engine.settle(name);
      yield* engine.unknownVariables(name, shape);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      yield error.problem;
    }
  }
}

/** A template and everything that it includes. */
export function madeOf(templates: Templates, name: string): readonly string[] {
  try {
    return engineOf(templates).settle(name);
  } catch {
    // The other template has its own problems, which come first.
    return [name];
  }
}

const engines = new WeakMap<Templates, Engine>();

/** Each set of templates is parsed once. */
function engineOf(templates: Templates): Engine {
  const engine = engines.get(templates) ?? new Engine(templates);
  engines.set(templates, engine);
  return engine;
}

class Engine {
  readonly liquid: Liquid;
  /** By the variables of a rendering: no template sees it. */
  readonly seeds = new WeakMap<object, string>();
  readonly #templates: Templates;
  readonly #parsed = new Map<string, readonly Template[]>();
  /** By text: Liquid does not remember which template a variable is in. */
  readonly #names = new Map<string, string>();
  /** Which others each template names, and those that are valid with everything they name. */
  readonly #uses = new Map<string, Set<string>>();
  readonly #settled = new Map<string, readonly string[]>();

  constructor(templates: Templates) {
    this.#templates = templates;
    this.liquid = new Liquid({
      fs: inMemory((name) => this.#text(name)),
      root: [''],
      partials: [''],
      layouts: [''],
      relativeReference: false,
      dynamicPartials: true,
      cache: true,
      strictVariables: true,
      strictFilters: true,
      ownPropertyOnly: true,
      parseLimit: 2 * MAX_TEMPLATE,
      renderLimit: MAX_MS,
      memoryLimit: MAX_WORK,
    });
    this.#reduce();
    this.#countWork();
  }

  /** A template and everything that it names; throws the problems of any of them before anything is rendered. */
  settle(name: string, above: readonly string[] = []): readonly string[] {
    const known = this.#settled.get(name);
    if (known !== undefined) return known;
    if (above.includes(name)) {
      const circle = [...above.slice(above.indexOf(name)), name];
      throw new TemplateError(name, null, `goes in a circle: ${circle.join(' > ')}`);
    }
    this.parsed(name);
    const uses = [...(this.#uses.get(name) ?? [])];
    const all = [...new Set([name, ...uses.flatMap((used) => this.settle(used, [...above, name]))])];
    this.#settled.set(name, all);
    return all;
  }

  parsed(name: string): readonly Template[] {
    const parsed = this.#parsed.get(name) ?? this.guarded(name, () => this.liquid.parse(this.#text(name), name));
    this.#parsed.set(name, parsed);
    return parsed;
  }

  *unknownVariables(name: string, shape: Variables): Generator<TemplateProblem> {
    const { globals } = analyzeSync([...this.parsed(name)], { partials: false });
    const known = new Map<string, string | null>();
    for (const { segments, location } of Object.values(globals).flat()) {
      const path = JSON.stringify(segments.map((segment) => (typeof segment === 'object' ? null : segment)));
      // The nearest name is searched once, not for each of thousands of places.
      const message = known.has(path) ? known.get(path) : unknownPath(segments, shape);
      known.set(path, message ?? null);
      if (message != null) yield { template: name, line: location.row, message };
    }
  }

  /** Turns every failure of Liquid into one error with place and reason. */
  guarded<T>(name: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof TemplateError) throw error;
      if (!LiquidError.is(error)) throw new TemplateError(name, null, plainWords(error as Error));
      const { token, originalError } = error as LiquidError & { readonly originalError?: Error };
      const [line = null] = token.getPosition();
      throw new TemplateError(this.#names.get(token.input) ?? name, line, plainWords(originalError ?? error));
    }
  }

  #text(name: string): string {
    const text = this.#templates.get(name);
    if (text === undefined) throw new Error(this.#missing(name));
    if (text.length > MAX_TEMPLATE) throw new Error(`has ${text.length} characters; at most ${MAX_TEMPLATE} are read`);
    const prepared = withoutTagLines(text);
    this.#names.set(prepared, name);
    return prepared;
  }

  readonly #seedOf = ({ globals }: { readonly globals: object }): string => this.seeds.get(globals) ?? '';

  /**
   * Counts output and every round of a loop: to Liquid itself, text in a loop costs nothing. Text that becomes a value,
   * as by `capture`, stays whole if it contains foreign text.
   */
  #countWork(): void {
    const { renderer } = this.liquid;
    const plain = renderer.renderTemplates.bind(renderer);
    const seedOf = this.#seedOf;
    function* asValue(parts: Template[], context: Context, emitter?: Emitter) {
      const own = new Counting(context);
      yield* plain(parts, context, own);
      const value = own.theirs ? sealed(new Quoted(own.buffer), seedOf(context)) : own.buffer;
      // Liquid's own field, through which `block.super` requests the block that it replaces.
      if (emitter !== undefined) Reflect.set(emitter, 'buffer', value);
      return value;
    }
    renderer.renderTemplates = (parts: Template[], context: Context, emitter?: Emitter) => {
      context.memoryLimit.use(ROUND * (parts.length + 1));
      return emitter instanceof Counting ? plain(parts, context, emitter) : asValue(parts, context, emitter);
    };
  }

  #missing(name: string): string {
    const names = [...this.#templates.keys()].sort();
    const meant = nearest(name, names);
    return `there is no template ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (there are: ${names.join(', ')})`;
  }

  #reduce(): void {
    const { tags, filters } = this.liquid;
    for (const name of Object.keys(tags)) if (!TAGS.includes(name)) delete tags[name];
    const plain = FILTERS.map((name) => [name, filters[name]] as const);
    for (const name of Object.keys(filters)) delete filters[name];
    for (const [name, filter] of plain) {
      if (typeof filter !== 'function') throw new Error(`Liquid has no filter ${name}`);
      filters[name] = heldFilter(name, filter as Filter, this.#seedOf);
    }
    Object.assign(filters, ownFilters(this.#seedOf));
    for (const name of NAMING) {
      const tag = tags[name];
      if (tag === undefined) throw new Error(`Liquid has no tag ${name}`);
      tags[name] = new Proxy(tag, {
        construct: (target, words, as) => {
          const made: object = Reflect.construct(target, words, as);
          this.#use(words[0] as TagToken, Reflect.get(made, 'file'));
          return made;
        },
      });
    }
  }

  /** Only literal names, and only of existing templates: which ones are used never depends on data. */
  #use({ name: tag, file: by = '' }: TagToken, file: unknown): void {
    if (typeof file !== 'string')
      throw new Error(`${tag} takes the name of a template in quotes and nothing else: {% ${tag} "_task" %}`);
    if (!this.#templates.has(nameOf(file))) throw new Error(this.#missing(file));
    this.#uses.set(by, (this.#uses.get(by) ?? new Set()).add(nameOf(file)));
  }
}

/** A template may be named like its file. */
const nameOf = (file: string): string => file.replace(/\.liquid$/, '');

/** Names, not paths: there is no folder to leave. */
const inMemory = (read: (name: string) => string): FS => ({
  sep: '/',
  resolve: (_root, file) => nameOf(file),
  exists: async () => true,
  existsSync: () => true,
  readFile: async (name) => read(name),
  readFileSync: read,
});

/**
 * A line with only a tag leaves no empty line behind. The line's end moves into the tag, so that line numbers of
 * messages stay right; Liquid's own trimming would also remove blanks between words.
 */
const withoutTagLines = (text: string): string =>
  text.replaceAll(
    /^[ \t]*\{%(-?)((?:(?!%\}).)*)%\}[ \t]*\n/gm,
    (_all, dash: string, inner: string) => `{%${dash}\n${inner}%}`,
  );

class Counting implements Emitter {
  buffer = '';
  /** It contains foreign text. */
  theirs = false;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = written(value);
    this.#context.memoryLimit.use(text.length);
    this.buffer += text;
    this.theirs ||= unsealed(value) !== null;
    if (this.buffer.length > MAX_OUTPUT)
      throw new Error(`writes too much: at most ${MAX_OUTPUT} characters are allowed`);
  }
}

/**
 * Liquid counts lines from the beginning for every variable, which takes a minute for a few templates of nothing else,
 * and they are checked before anybody is asked for trust. This gives the same numbers from the positions of the last
 * text's line starts.
 */
let lines: { readonly input: string; readonly starts: readonly number[] } = { input: '', starts: [0] };

Token.prototype.getPosition = function (this: Token) {
  const { input, begin } = this;
  if (lines.input !== input)
    lines = { input, starts: [0, ...[...input.matchAll(/\n/g)].map(({ index }) => index + 1)] };
  let [low, high] = [0, lines.starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lines.starts[middle] ?? 0) <= begin) low = middle;
    else high = middle;
  }
  return [low + 1, begin - (lines.starts[low] ?? 0) + 1];
};

function plainWords(error: Error): string {
  const { message } = error;
  if (error instanceof RangeError) return 'is nested too deeply';
  if (message.endsWith('limit exceeded'))
    return `is more work than one packet may be (${message}): shorten its loops or what they write`;
  const tag = /^tag "(.*)" not found$/.exec(message)?.[1];
  if (tag !== undefined) return `there is no tag ${tag} (there are: ${TAGS.join(', ')})`;
  const filter = /^undefined filter: (.*)$/.exec(message)?.[1];
  if (filter !== undefined)
    return `there is no filter ${filter} (there are: ${[...FILTERS, ...OWN_FILTERS].sort().join(', ')})`;
  const variable = /^undefined variable: (.*)$/.exec(message)?.[1];
  if (variable !== undefined)
    return `there is no variable ${variable}; docs/reference/prompts.md names those there are`;
  return message.replace(/, (?:file:.*, )?line:\d+, col:\d+$/, '').replaceAll(/\s*\n\s*/g, ' ');
}
