/**
 * How hard pages are to read: `node tools/readability.ts [--at REF] [FILE|FOLDER…]` prints words, sentences, mean sentence
 * length and Flesch reading ease of markdown files. `--draw N --seed S` prints N sentences drawn from them instead.
 *
 * Headings, tables, code blocks and HTML are left out. Inline code and `{values}` count as one word of one syllable.
 * Syllables are counted by groups of vowels, which is a few percent off: compare pages, do not trust the last digit.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const PAGES = ['README.md', 'docs/guide', 'docs/reference/messages.md'];

/** The sentences of a page, in order, as plain text. A paragraph and an item of a list end one. */
export function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1`*$/gm, '')
    .replace(/(?<=\n\n)(?: {4}.*\n?)+/g, '')
    .replace(/^\s*\|.*$/gm, '')
    .replace(/^\*\*[^*]*\*\*$/gm, '')
    .replace(/^#{1,6} .*$/gm, '')
    .replace(/<[^>\n]+>/g, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '');
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => plain(block))
    .flatMap((block) => block.split(/(?<=[.!?]["')]?)\s+(?=["'(]?[\p{Lu}`0-9])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsOf(sentence).length >= 3);
}

/** Words, sentences, mean sentence length, and Flesch reading ease (206.835 - 1.015 words/sentence - 84.6 syllables/word). */
export function measured(sentences: readonly string[]): { words: number; mean: number; flesch: number } {
  const words = sentences.flatMap(wordsOf);
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  const mean = words.length / sentences.length;
  return { words: words.length, mean, flesch: 206.835 - 1.015 * mean - 84.6 * (syllables / words.length) };
}

/** `count` of the sentences, the same for the same seed (mulberry32), none twice. */
export function drawn(sentences: readonly string[], count: number, seed: number): string[] {
  const left = [...sentences];
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0] ?? '');
}

function plain(block: string): string {
  return block
    .replace(/^\s*(?:>|[-*]|\d+\.)\s+/gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ');
}

function wordsOf(sentence: string): string[] {
  const text = sentence.replace(/`[^`]*`/g, ' x ').replace(/\{[^}]*\}|\$\{[^}]*\}/g, ' x ');
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
}

function syllablesOf(word: string): number {
  const letters = word.toLowerCase().replace(/[^a-z]/g, '');
  const groups = letters.replace(/(?:[^laeiouy]es|ed|[^laeiouy]e)$/, '').match(/[aeiouy]{1,2}/g);
  return Math.max(1, groups?.length ?? 1);
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { at: { type: 'string' }, draw: { type: 'string' }, seed: { type: 'string', default: '1' } },
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { at } = values;
  const wanted = positionals.length === 0 ? PAGES : positionals;
  const list =
    at === undefined
      ? git('ls-files', '-co', '--', ...wanted)
      : git('ls-tree', '-r', '--name-only', at, '--', ...wanted);
  const files = list
    .split('\n')
    .filter((path) => path.endsWith('.md'))
    .sort();
  const read = (path: string) =>
    at === undefined ? readFileSync(join(ROOT, path), 'utf8') : git('show', `${at}:${path}`);
  const sentences = new Map(files.map((path) => [path, sentencesOf(read(path))]));
  if (values.draw !== undefined) {
    console.log(`seed ${values.seed}, ${at ?? 'the working tree'}: ${files.join(' ')}`);
    const all = [...sentences.values()].flat();
    for (const [n, text] of drawn(all, Number(values.draw), Number(values.seed)).entries())
      console.log(`${n + 1}. ${text}`);
    return;
  }
  console.log('| page | words | sentences | words a sentence | Flesch reading ease |\n|---|---:|---:|---:|---:|');
  for (const [path, found] of sentences) {
    const { words, mean, flesch } = measured(found);
    console.log(`| ${path} | ${words} | ${found.length} | ${mean.toFixed(1)} | ${flesch.toFixed(1)} |`);
  }
}

if (import.meta.main) main();
