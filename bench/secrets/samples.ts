/**
 * Makes samples of the rules of Nosey Parker or Kingfisher, which hold examples of what they find:
 *
 *   node bench/secrets/samples.ts RULES_DIRECTORY [--part dev|held-out] [--drawn] > samples.jsonl
 *
 * `dev` is every third file (by its name), to be looked at while rules are written; the rest is for judging alone. The
 * `--drawn` leaves out examples that were counted up by hand. The secret is what the rule's own expression captures. Rules for what is no secret by itself (ids, hosts, hashes) are left
 * out, as their authors mark them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { isDev } from './parts.ts';

type Rule = {
  readonly id: string;
  readonly name: string;
  readonly pattern: string;
  readonly examples?: readonly string[];
  readonly categories?: readonly string[];
  readonly visible?: boolean;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string' }, drawn: { type: 'boolean' } },
});
const [directory = '.'] = positionals;
let without = 0;
for (const file of readdirSync(directory).filter((name) => name.endsWith('.yml'))) {
  if (values.part !== undefined && isDev(file) !== (values.part === 'dev')) continue;
  const { rules = [] } = parse(readFileSync(join(directory, file), 'utf8')) as { rules?: Rule[] };
  for (const rule of rules.filter(isSecret))
    for (const text of rule.examples ?? []) {
      const secret = captured(rule, text);
      if (secret === null) without++;
      else if (values.drawn !== true || !isCounted(secret))
        console.log(JSON.stringify({ rule: rule.id, text, secret }));
    }
}
console.error(`${without} examples are left out: JavaScript cannot read their expression, or it does not match`);

/** Made up by hand: four characters in order or the same (`1234`, `abcd`, `xxxx`); of random ones one in a thousand has that. */
function isCounted(secret: string): boolean {
  const codes = [...secret.toLowerCase()].map((char) => char.charCodeAt(0));
  const by = codes.map((code, n) => code - (codes[n - 1] ?? Number.NaN));
  return by.some((step, n) => Math.abs(step) <= 1 && step === by[n + 1] && step === by[n + 2]);
}

function isSecret({ categories, visible, name }: Rule): boolean {
  if (visible === false || / id(?:entifier)?$|\busername|hash\b|hashed/i.test(name)) return false;
  return categories === undefined || (categories.includes('secret') && !categories.includes('hashed'));
}

function captured(rule: Rule, text: string): string | null {
  try {
    const { source, flags } = translated(rule.pattern);
    const found = new RegExp(source, flags).exec(text);
    // Of several groups the last: a user, a host or an id stands before the secret.
    return found?.findLast((group) => group !== undefined && group !== '') ?? null;
  } catch {
    return null;
  }
}

/** Rust's expressions in JavaScript: flags at the beginning, blanks and comments that do not count. */
function translated(pattern: string): { readonly source: string; readonly flags: string } {
  let source = pattern.trim();
  let flags = 'm';
  for (let head = /^\(\?([a-z]+)\)\s*/.exec(source); head !== null; head = /^\(\?([a-z]+)\)\s*/.exec(source)) {
    flags += head[1] ?? '';
    source = source.slice(head[0].length);
  }
  if (flags.includes('x')) source = compact(source);
  source = source
    .replaceAll(/\(\?[xu]+\)/g, '')
    .replaceAll('\\z', '$')
    .replaceAll('\\A', '^')
    .replaceAll('(?P<', '(?<');
  if (/\(\?i\)/.test(source)) {
    source = source.replaceAll('(?i)', '');
    flags += 'i';
  }
  return { source, flags: [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('') };
}

function compact(source: string): string {
  let out = '';
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? '';
    if (char === '\\') out += char + (source[++at] ?? '');
    else if (/\s/.test(char)) continue;
    else if (char === '#' && !inClass)
      at = Math.max(at, source.indexOf('\n', at) < 0 ? source.length : source.indexOf('\n', at));
    else {
      if (char === '[' && !inClass) inClass = true;
      else if (char === ']' && !/(?:^|[^\\])\[\^?$/.test(out)) inClass = false;
      out += char;
    }
  }
  return out;
}
