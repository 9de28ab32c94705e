/** Plants into JavaScript and TypeScript test files: node:test, vitest and jest. */

import { freePhrase, kebab, type Phrase, sentence } from './plant-names.ts';
import {
  type Dice,
  type Edit,
  edited,
  isLast,
  lineEndOf,
  oneOf,
  type PlantedText,
  type PlantOptions,
  someOf,
  type TestBody,
} from './planted.ts';
import { scan } from './scan.ts';
import { type Assertion, assertionFor, assertionsOf, thrown, written } from './script-asserts.ts';
import { type BoundName, boundNames } from './script-imports.ts';
import { type ScriptTest, scriptTests, testNames } from './script-tests.ts';

const ENDING = /\.[cm]?[jt]sx?$/;

export function plantIntoScript(path: string, text: string, wish: PlantOptions): PlantedText | null {
  const { dice } = wish;
  const file = read(path, text);
  const phrase = freePhrase(text, dice);
  if (file === null || phrase === null) return null;
  const { tests, assertions } = file;
  const call = wish.only === null ? file.call : null;
  const chosen = someOf(tests, wish, ({ name }) => name);
  // One throws, whatever the file asserts with; of several, one asserts.
  const thrower = chosen.length > 1 ? Math.floor(dice() * chosen.length) : -1;
  const statements = chosen.map((test, index) => {
    const assertion = index === thrower || (index > 1 && dice() < 0.3) ? null : assertionFor(assertions, test, dice);
    return assertion === null ? thrown(dice) : written(assertion, dice);
  });
  const newline = lineEndOf(text);
  const edits = chosen.flatMap((test, index) =>
    editsFor(test, statements[index] ?? '', text, { newline, isLast: isLast(wish) }),
  );
  if (call !== null) {
    const added = newTest(call, phrase, text, assertions, { throws: chosen.length === 1 || dice() < 0.5 }, dice);
    edits.push({ at: text.length, text: `${text.endsWith('\n') ? '' : newline}${newline}${added}` });
  }
  const planted = edited(text, edits);
  if (edits.length === 0 || scan('script', planted) === null) return null;
  return { text: planted, inside: chosen.map(({ name }) => name), added: call === null ? null : sentence(phrase) };
}

/** A new file beside another one: with a similar name and the same import of the framework. */
export function plantBesideScript(
  path: string,
  text: string,
  dice: Dice,
): { path: string; text: string; test: string } | null {
  const file = read(path, text);
  const phrase = freePhrase(text, dice);
  if (file === null || phrase === null || file.call === null) return null;
  const beside = nameBeside(path, phrase);
  if (beside === null) return null;
  const { call, bound } = file;
  const alone = file.assertions.filter(({ root }) =>
    bound.every(({ local, statement }) => local !== root || statement !== ''),
  );
  const added = newTest(call, phrase, text, alone, { throws: false }, dice);
  const needed = bound.filter(({ local }) =>
    new RegExp(`(?<![\\w$.])${local.replaceAll('$', '\\$')}\\s*[.(]`).test(added),
  );
  if (needed.some(({ statement }) => statement === '')) return null;
  const statements = [...new Set(needed.map(({ statement }) => `${statement};\n`))];
  const own = `${statements.join('')}${statements.length > 0 ? '\n' : ''}${added}`;
  return scan('script', own) === null ? null : { path: beside, text: own, test: sentence(phrase) };
}

export const bodiesOfScript = (path: string, text: string): readonly TestBody[] =>
  read(path, text)?.tests.map(({ name, body }) =>
    body.kind === 'block'
      ? { name, from: body.at, to: body.end }
      : { name, from: body.from + (/^\s*/.exec(text.slice(body.from, body.to))?.[0].length ?? 0), to: body.to },
  ) ?? [];

type ScriptFile = {
  readonly tests: readonly ScriptTest[];
  /** The name by which the file calls tests at its top level; null if unknown. */
  readonly call: string | null;
  readonly bound: readonly BoundName[];
  readonly assertions: readonly Assertion[];
};

function read(path: string, text: string): ScriptFile | null {
  const scanned = ENDING.test(path) ? scan('script', text) : null;
  if (scanned === null) return null;
  const bound = boundNames(text, scanned);
  const names = testNames(bound);
  const tests = scriptTests(text, scanned, names);
  if (tests === null) return null;
  const calls = names.tests.filter((name) =>
    new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}[\\w$.]*\\s*\\(`).test(scanned.code),
  );
  // An undefined name is the runner's own; a name declared here may be anything.
  const call = calls.find((name) => bound.every(({ local, module }) => local !== name || module !== null)) ?? null;
  return tests.length === 0 && call === null ? null : { tests, call, bound, assertions: assertionsOf(scanned, bound) };
}

type Manner = { readonly newline: string; readonly isLast: boolean };

/** Nested tests that are not awaited, or a test that skips itself: the end of such a test decides nothing. */
const OWN_END = /\.(?:test|it|skip|todo|only|runOnly|plan)\s*\(/;

function editsFor({ body }: ScriptTest, statement: string, text: string, manner: Manner): readonly Edit[] {
  const { newline } = manner;
  const to = body.kind === 'expression' ? body.to : body.end;
  const isEnd = manner.isLast && !OWN_END.test(text.slice(body.kind === 'expression' ? body.from : body.at, to));
  if (body.kind === 'expression') {
    if (isEnd)
      return [
        { at: body.from, text: '{ try { return (' },
        { at: body.to, text: `${newline}); } finally { ${statement} } }` },
      ];
    return [
      { at: body.from, text: `{ ${statement} return (` },
      // The expression's last line may end with a comment.
      { at: body.to, text: `${newline}); }` },
    ];
  }
  const indent = /^\r?\n([ \t]*)/.exec(text.slice(body.at, body.at + 200))?.[1];
  // A test may return from anywhere.
  if (isEnd)
    return [
      { at: body.at, text: ' try {' },
      {
        at: body.end,
        text: `${/\n[ \t]*$/.test(text.slice(body.end - 100, body.end)) ? '' : newline}} finally { ${statement} }${newline}`,
      },
    ];
  return [{ at: body.at, text: indent === undefined ? ` ${statement}` : `${newline}${indent}${statement}` }];
}

function newTest(
  call: string,
  phrase: Phrase,
  text: string,
  all: readonly Assertion[],
  { throws }: { readonly throws: boolean },
  dice: Dice,
): string {
  const assertion = throws || all.length === 0 ? null : oneOf(all as [Assertion, ...Assertion[]], dice);
  const statement = assertion === null ? thrown(dice) : written(assertion, dice);
  const isAsync = assertion?.isAsync === true || dice() < 0.3;
  const quote = text.split('"').length > text.split("'").length ? '"' : "'";
  const newline = lineEndOf(text);
  return [
    `${call}(${quote}${sentence(phrase)}${quote}, ${isAsync ? 'async ' : ''}(${assertion?.param ?? ''}) => {`,
    `  ${statement}`,
    `});${newline}`,
  ].join(newline);
}

/** A name that runners find like its neighbour's; null for a neighbour that only a command names. */
function nameBeside(path: string, phrase: Phrase): string | null {
  const cut = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, cut), path.slice(cut)];
  const [, stem = '', suffix] =
    /^(.*?)((?:[._-](?:unit|int|integration|node|browser))?[._-](?:test|tests|spec)\.[cm]?[jt]sx?)$/.exec(name) ?? [];
  const own = kebab(phrase, stem.includes('_') || suffix?.startsWith('_') ? '_' : '-');
  if (suffix !== undefined) return `${folder}${own}${suffix}`;
  const ending = ENDING.exec(name)?.[0] ?? '';
  if (/^test-/.test(name)) return `${folder}test-${own}${ending}`;
  return /(?:^|\/)(?:__tests__|tests?|specs?)\/(?:[^/]+\/)*$/.test(folder) ? `${folder}${own}${ending}` : null;
}
