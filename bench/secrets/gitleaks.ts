/**
 * Makes samples of the true positives that gitleaks tests its own rules with:
 *
 *   node bench/secrets/gitleaks.ts GITLEAKS_CHECKOUT > samples.jsonl
 *
 * Its rules are Go functions that make these texts; `go-values.ts` runs them, with a fixed seed for what is random. The
 * secret is what the rule's own expression captures. Rules that judge paths alone are left out; what cannot be read or
 * does not match is counted on stderr.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../test/simulation/random.ts';
import { type Call, declare, type Scope, type Value } from './go-values.ts';

type Rule = { readonly regex: RegExp | null; readonly group: number };

const PIECE = /\\.|\[\^?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\?[a-z-]*[:)]|\(\?P<\w+>|\{\d+(?:,\d*)?\}|./gs;
const PRINTABLE = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
const LIBRARY: readonly [string, Call][] = [
  ['append', (list, ...more) => [...(Array.isArray(list) ? list : [undefined]), ...more]],
  ['make', (type) => type],
  ['fmt.Sprintf', (format, ...args) => (isText(format) && args.every(isText) ? filled(format, args) : undefined)],
  ['strings.ToUpper', (text) => (isText(text) ? text.toUpperCase() : undefined)],
  ['strings.NewReplacer', (...pairs) => new Map([['Replace', (text: Value) => replaced(text, pairs)]])],
  ['secrets.NewSecret', (pattern) => (isText(pattern) ? drawn(pattern) : undefined)],
  ...['base64', 'b64'].flatMap((name): [string, Call][] => [
    [`${name}.StdEncoding.EncodeToString`, (text) => encoded(text, 'base64', '=')],
    [`${name}.RawStdEncoding.EncodeToString`, (text) => encoded(text, 'base64', '')],
    [`${name}.URLEncoding.EncodeToString`, (text) => encoded(text, 'base64url', '=')],
    [`${name}.RawURLEncoding.EncodeToString`, (text) => encoded(text, 'base64url', '')],
  ]),
];

const [checkout = '.'] = process.argv.slice(2);
const random = new Random(1);
const rules = rulesOf(readFileSync(join(checkout, 'config/gitleaks.toml'), 'utf8'));
const perRule = new Map<string, number>();
const leftOut = new Map<string, number>();

const utils: Scope = new Map(LIBRARY);
declare(sources('cmd/generate/config/utils'), utils);
const scope: Scope = new Map(LIBRARY);
for (const [name, value] of utils) scope.set(`utils.${name}`, value);
scope.set('utils.Validate', validate).set('utils.ValidateWithPaths', validate);
const makers = declare(sources('cmd/generate/config/rules'), scope);
// Draws until none of gitleaks' words for what is no secret is in it; these words matter to gitleaks alone.
scope.set('newPlausibleSecret', scope.get('secrets.NewSecret'));
for (const name of makers) {
  const make = scope.get(name);
  if (typeof make === 'function' && make() === undefined) count(leftOut, `${name}: the function cannot be read`);
}
const total = [...perRule.values()].reduce((sum, one) => sum + one, 0);
console.error(`${total} samples of ${perRule.size} rules`);
for (const [why, times] of leftOut) console.error(`left out\t${times}\t${why}`);

function sources(directory: string): string[] {
  const files = readdirSync(join(checkout, directory)).filter((name) => /(?<!_test)\.go$/.test(name));
  return files.sort().map((name) => readFileSync(join(checkout, directory, name), 'utf8'));
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** The rules that have an expression; the others judge paths alone. */
function rulesOf(toml: string): Map<string, Rule> {
  const all = new Map<string, Rule>();
  for (const block of toml.split('[[rules]]').slice(1)) {
    const id = /^id = "(.*)"$/m.exec(block)?.[1];
    const source = /^regex = '''(.*?)'''$/ms.exec(block)?.[1];
    const group = Number(/^secretGroup = (\d+)$/m.exec(block)?.[1] ?? 0);
    if (id !== undefined && source !== undefined) all.set(id, { regex: translated(source), group });
  }
  return all;
}

/** Stands in for the test that gitleaks makes here. */
function validate(made: Value, truePositives: Value): Value {
  const id = made instanceof Map ? made.get('RuleID') : undefined;
  if (!isText(id)) return undefined;
  const rule = rules.get(id);
  const texts = truePositives instanceof Map ? [...truePositives.values()] : truePositives;
  if (rule === undefined) count(leftOut, `${id}: gitleaks.toml has no expression for it`);
  else if (!Array.isArray(texts)) count(leftOut, `${id}: its texts cannot be read`);
  else for (const text of texts) write(id, rule, text);
  return made;
}

function write(id: string, { regex, group }: Rule, text: Value): void {
  const found = isText(text) ? regex?.exec(text) : null;
  if (!isText(text)) count(leftOut, `${id}: a text cannot be read`);
  else if (found === undefined) count(leftOut, `${id}: JavaScript cannot read its expression`);
  else if (found === null) count(leftOut, `${id}: its expression does not match`);
  else {
    const [whole, ...groups] = found;
    // As in gitleaks: the group that the rule names, or the first that is not empty.
    const secret = group > 0 ? found[group] : (groups.find((one) => one !== undefined && one !== '') ?? whole);
    console.log(JSON.stringify({ rule: id, text, secret }));
    count(perRule, id);
  }
}

function isText(value: Value): value is string {
  return typeof value === 'string';
}

function filled(format: string, args: readonly string[]): Value {
  const left = [...args];
  return /%[^s%]/.test(format)
    ? undefined
    : format.replaceAll(/%[s%]/g, (verb) => (verb === '%s' ? (left.shift() ?? '') : '%'));
}

function replaced(text: Value, pairs: readonly Value[]): Value {
  if (!isText(text) || !pairs.every(isText)) return undefined;
  // In one pass, so that nothing is replaced in what was put in.
  return text.replaceAll(/\{\w\}/g, (name) => (pairs.includes(name) ? (pairs[pairs.indexOf(name) + 1] ?? '') : name));
}

function encoded(text: Value, alphabet: 'base64' | 'base64url', pad: string): Value {
  if (!isText(text)) return undefined;
  const bare = Buffer.from(text).toString(alphabet).replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, pad);
}

/** Go's expression in JavaScript. Its flags are written out: V8 misses matches in groups that have the flag `i`. */
function translated(pattern: string): RegExp | null {
  const groups = [''];
  let source = '';
  for (const piece of pattern.match(PIECE) ?? []) {
    const flags = groups.at(-1) ?? '';
    const [, change, end] = /^\(\?([a-z-]*)([:)])$/.exec(piece) ?? [];
    if (end === ')' || piece === ')') groups.pop();
    if (change !== undefined) groups.push(changed(flags, change));
    else if (piece.startsWith('(')) groups.push(flags);
    if (end === ':') source += '(?:';
    else if (end === undefined) source += inJavaScript(piece, flags);
  }
  try {
    return new RegExp(source);
  } catch {
    return null;
  }
}

function changed(flags: string, change: string): string {
  const [on = '', off = ''] = change.split('-');
  return [...flags, ...on].filter((flag) => !off.includes(flag)).join('');
}

function inJavaScript(piece: string, flags = ''): string {
  if (piece === '\\z') return '$';
  if (piece.startsWith('(')) return piece.replace('?P', '?');
  if (piece === '.' && flags.includes('s')) return '[^]';
  const known = piece.replace('[:alnum:]', 'a-zA-Z0-9');
  if (!flags.includes('i') || piece.startsWith('\\')) return known;
  const either = known.replaceAll(/\\(?:x..|.)|[a-z]-[a-z]|[a-z]/gi, (one) =>
    one.startsWith('\\') ? one : one.toLowerCase() + one.toUpperCase(),
  );
  return /^[a-z]$/i.test(piece) ? `[${either}]` : either;
}

/** A random text that the expression matches. As in gitleaks, nothing comes more often than it must, or than once. */
function drawn(pattern: string): string | undefined {
  const pieces = pattern.match(PIECE) ?? [];
  let at = 0;
  let understood = true;
  const text = branches();
  return understood ? text : undefined;

  function branches(): string {
    const all = [sequence()];
    for (; pieces[at] === '|'; all.push(sequence())) at++;
    return random.pick(all);
  }

  function sequence(): string {
    let all = '';
    while (at < pieces.length && !/^[|)]$/.test(pieces[at] ?? '')) all += repeated();
    return all;
  }

  function repeated(): string {
    const from = at;
    let all = single();
    const [quantifier, least] = /^(?:[?*+]|\{(\d+).*\})$/.exec(pieces[at] ?? '') ?? [];
    if (quantifier === undefined) return all;
    const end = at + 1;
    const times = Number(least ?? (quantifier === '+' ? 1 : 0)) || random.int(0, 1);
    if (times === 0) all = '';
    for (let n = 1; n < times; n++) {
      at = from;
      all += single();
    }
    at = end;
    return all;
  }

  function single(): string {
    const piece = pieces[at++] ?? '';
    if (/^\(\?[a-z-]+\)$|^[$^]$|^\\[bB]$/.test(piece)) return '';
    if (piece.startsWith('(')) {
      const inner = branches();
      at++;
      return inner;
    }
    if (!/^(?:[\\[].|\.$)/.test(piece)) return piece;
    const fitting = PRINTABLE.filter((char) => new RegExp(`^${inJavaScript(piece)}$`).test(char));
    understood &&= fitting.length > 0;
    return fitting.length > 0 ? random.pick(fitting) : '';
  }
}
