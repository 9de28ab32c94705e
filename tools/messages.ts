/**
 * Writes docs/reference/messages.md: every sentence that the program can print, read from the source.
 * `--check` only says whether the page is up to date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ROOT = join(import.meta.dirname, '..');
const PAGE = 'docs/reference/messages.md';

/** A node of the syntax tree, as far as this program looks at it. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const HEAD = `# Messages

Every sentence that a command, the live view, a refusal, an incident or feedback to a worker can print, in the order of the
source. \`{name}\` stands for a value. This page is generated: change the sentence in the source, then run
\`node tools/messages.ts\`.
`;

/** The page, from the source as it is. */
export function messagesPage(): string {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort();
  const parts = [HEAD];
  let room = '';
  for (const path of files) {
    const found = messagesOf(readFileSync(join(ROOT, 'src', path), 'utf8'));
    if (found.length === 0) continue;
    const here = path.split('/').slice(0, 2).join('/');
    if (here !== room) parts.push(`## ${here}\n`);
    room = here;
    parts.push(`**${path}**\n\n${found.map((text) => `- ${asItem(text)}`).join('\n')}\n`);
  }
  return parts.join('\n');
}

/** The sentences in one file, each once. Exported for its test. */
export function messagesOf(source: string): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    if (!isNode(node) || SILENT.has(node.type) || isData(node)) return;
    const text = textOf(node);
    if (text === null) {
      for (const [key, child] of Object.entries(node)) if (key !== 'type' && key !== 'key') visit(child);
      return;
    }
    if (isSentence(text)) found.add(text);
    // A value inside a sentence may be a sentence itself: `${ok ? 'it ran to its end' : …}`.
    for (const inner of valuesIn(node)) visit(inner);
  };
  visit(parseAst(source, { lang: 'ts' }).body);
  return [...found];
}

/** What never reaches a reader: imports, types, and the tags of SQL. */
const SILENT = new Set([
  'ImportDeclaration',
  'TSTypeAnnotation',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeParameterInstantiation',
  'TaggedTemplateExpression',
]);

/** A list of words that is split, and the name of a union in `assertNever`, which only a bug prints. */
function isData({ type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  if (callee.type === 'Identifier') return callee.name === 'assertNever';
  const { object, property } = callee;
  return isNode(object) && isNode(property) && property.name === 'split' && textOf(object) !== null;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** The text of a string, a template or a sum of these; null for everything else. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as { value: { cooked: string } }[];
    const values = node.expressions as Node[];
    return quasis
      .map(({ value }, n) => value.cooked + (values[n] === undefined ? '' : placeholder(values[n])))
      .join('');
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [node.left as Node, node.right as Node];
  const [before, after] = [textOf(left), textOf(right)];
  if (before === null && after === null) return null;
  return (before ?? placeholder(left)) + (after ?? placeholder(right));
}

function valuesIn(node: Node): unknown[] {
  if (node.type === 'TemplateLiteral') return node.expressions as unknown[];
  if (node.type !== 'BinaryExpression') return [];
  return [node.left, node.right].flatMap((side) => (textOf(side as Node) === null ? [side] : valuesIn(side as Node)));
}

/** The last name in an expression says best what it holds: `{path}` for `file.path`, `{count}` for `count(files)`. */
function placeholder(node: Node): string {
  if (node.type === 'Identifier') return `{${String(node.name)}}`;
  if (node.type === 'MemberExpression') return placeholder(node.property as Node);
  if (node.type === 'CallExpression') return placeholder(node.callee as Node);
  if (node.type === 'TSNonNullExpression' || node.type === 'ChainExpression' || node.type === 'TSAsExpression') {
    return placeholder(node.expression as Node);
  }
  return '{…}';
}

/** A text of many words without one of these is a table or a list. */
const FUNCTION_WORD =
  /(?<![-_\w.])(?:the|an?|is|are|was|it|to|of|and|or|for|in|on|by|with|no|not|has|have|must|at|be|as|from)(?![-_\w.|/])/i;
const LIST_WORDS = 20;

const WORD = /[\p{L}][\p{L}'’-]*/gu;
/** Programs for a shell, statements for a database, patterns and markup are no sentences. */
const PROGRAM =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|<|#!)|\$\(|&&|=>|\bset -e|<\/|\\[bdsw.([\]]|\(\?[:=!<]|^[-\w.]+( [-\w./]+)? -{1,2}\w/;

/** Three words of which two stand beside each other: everything shorter is a label or a key. */
function isSentence(text: string): boolean {
  if (PROGRAM.test(text)) return false;
  const prose = text.replace(/\{[^}]*\}/g, ' x ').replace(/`[^`]*`/g, ' x ');
  const words = prose.match(WORD) ?? [];
  if (words.length >= LIST_WORDS && !FUNCTION_WORD.test(prose)) return false;
  return words.filter((word) => word !== 'x').length >= 3 && /\p{L}{2,} \p{L}{2,}/u.test(prose);
}

/** One item of a list: lines joined, and nothing that Markdown would take for its own. */
function asItem(text: string): string {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(' ⏎ ')
    .replace(/(`[^`]*`)|[<*]/g, (sign, code) => code ?? `\\${sign}`);
}

if (resolve(process.argv[1] ?? '') === import.meta.filename) {
  const page = messagesPage();
  const at = join(ROOT, PAGE);
  if (!process.argv.includes('--check')) writeFileSync(at, page);
  else if (readFileSync(at, 'utf8') !== page) {
    console.error(`${PAGE} is out of date: run \`node tools/messages.ts\``);
    process.exitCode = 1;
  }
}
