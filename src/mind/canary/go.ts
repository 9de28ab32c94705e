/** Plants into Go test files. Never a panic: it ends the whole process and loses the list of failed tests. */

import { complaint, filled, formTable, freePhrase, type Phrase, pascal, unequal } from './plant-names.ts';
import {
  type Dice,
  edited,
  isLast,
  lineEndOf,
  oneOf,
  type PlantedText,
  type PlantOptions,
  someOf,
  type TestBody,
} from './planted.ts';
import { type Scanned, scan } from './scan.ts';

type GoTest = { readonly name: string; readonly param: string; readonly at: number };

const TEST = /^func\s+(Test(?:[^\W\da-z]\w*|[\d_]\w*)?)\s*\(\s*(\w+)\s+\*testing\.T\s*,?\s*\)\s*\{/gm;
/** Statements in which PARAM is the test's parameter. */
const BUILT_INS = ['PARAM.Errorf("got %d, want %d", LOW, HIGH)', 'PARAM.Fatalf("got %d, want %d", LOW, HIGH)'];
const TESTIFY = formTable({
  'Equal EqualValues': 'LOW, HIGH',
  NotEqual: 'LOW, LOW',
  True: 'len("LOW") == 1',
  False: 'len("LOW") > 1',
  Len: '"LOW", 1',
  Contains: '"LOW", "HIGH"',
  Nil: 'LOW',
  Empty: '"LOW"',
});

export function plantIntoGo(path: string, text: string, wish: PlantOptions): PlantedText | null {
  const { dice, only } = wish;
  const file = read(path, text);
  const phrase = freePhrase(text, dice);
  if (file === null || phrase === null) return null;
  const chosen = someOf(file.tests, wish, ({ name }) => name);
  const plain = chosen.length > 1 ? Math.floor(dice() * chosen.length) : -1;
  const newline = lineEndOf(text);
  const edits = chosen.map(({ at, param }, index) => {
    const forms = index === plain || file.forms.length === 0 ? BUILT_INS : file.forms;
    const when = isLast(wish) ? 'defer ' : '';
    return { at, text: `${newline}\t${when}${statement(forms, param, dice)}${newline}` };
  });
  const begin = text.endsWith('\n') ? newline : newline + newline;
  const forms = file.forms.length === 0 || dice() < 0.5 ? BUILT_INS : file.forms;
  if (only === null) edits.push({ at: text.length, text: begin + newTest(phrase, forms, newline, dice) });
  if (edits.length === 0) return null;
  const planted = edited(text, edits);
  if (scan('go', planted) === null) return null;
  return {
    text: planted,
    inside: chosen.map(({ name }) => name),
    added: only === null ? `Test${pascal(phrase)}` : null,
  };
}

export function plantBesideGo(
  path: string,
  text: string,
  dice: Dice,
): { path: string; text: string; test: string } | null {
  const file = read(path, text);
  const phrase = freePhrase(text, dice);
  if (file === null || phrase === null) return null;
  const { code } = file.scanned;
  const clause = /^package\s+\w+/m.exec(code);
  if (clause === null) return null;
  // Build constraints stand above the package clause.
  const tags = [...text.slice(0, clause.index).matchAll(/^\/\/(?:go:build| \+build) .*$/gm)].map(([line]) =>
    line.trim(),
  );
  const head = tags.length === 0 ? '' : `${tags.join('\n')}\n\n`;
  const form = oneOf(BUILT_INS as [string, ...string[]], dice);
  const own = `${head}${clause[0]}\n\nimport "testing"\n\n${newTest(phrase, [form], '\n', dice)}`;
  // No underscore before the digits: it could be read as a system (`_linux`).
  const name = pascal(phrase).toLowerCase();
  return {
    path: `${path.slice(0, path.lastIndexOf('/') + 1)}${name}_test.go`,
    text: own,
    test: `Test${pascal(phrase)}`,
  };
}

export function bodiesOfGo(path: string, text: string): readonly TestBody[] {
  const file = read(path, text);
  const endOf = (at: number) => file?.scanned.pairs.get(at - 1) ?? at;
  return file?.tests.map(({ name, at }) => ({ name, from: at, to: endOf(at) })) ?? [];
}

type GoFile = { readonly scanned: Scanned; readonly tests: readonly GoTest[]; readonly forms: readonly string[] };

function read(path: string, text: string): GoFile | null {
  const scanned = path.endsWith('_test.go') ? scan('go', text) : null;
  if (scanned === null || !isImported(text, scanned.code, 'testing')) return null;
  const { code } = scanned;
  const tests: GoTest[] = [];
  for (const { index, 0: head, 1: name = '', 2: param = '' } of code.matchAll(TEST)) {
    if (param !== '_' && name !== 'TestMain') tests.push({ name, param, at: index + head.length });
  }
  return { scanned, tests, forms: formsIn(text, code) };
}

function formsIn(text: string, code: string): readonly string[] {
  const found = new Set<string>();
  for (const base of ['assert', 'require']) {
    if (!isImported(text, code, `github.com/stretchr/testify/${base}`)) continue;
    for (const [call, name = ''] of code.matchAll(new RegExp(`(?<![\\w.])${base}\\.(\\w+)\\(`, 'g'))) {
      const args = TESTIFY.get(name);
      if (args !== undefined) found.add(`${call}PARAM, ${args})`);
    }
  }
  return [...found];
}

/** Whether a package is imported under its own name. */
function isImported(text: string, code: string, name: string): boolean {
  const place = text.search(new RegExp(`^(?:import\\s+|[ \\t]+)"${name.replaceAll('.', '\\.')}"`, 'm'));
  return (
    place >= 0 &&
    code
      .slice(place, place + 200)
      .trimStart()
      .replace(/^import\s+/, '')
      .startsWith('"')
  );
}

function newTest(phrase: Phrase, forms: readonly string[], newline: string, dice: Dice): string {
  const line = dice() < 0.7 ? statement(forms, 't', dice) : `t.Fatal("${complaint(dice)}")`;
  return [`func Test${pascal(phrase)}(t *testing.T) {`, `\t${line}`, `}${newline}`].join(newline);
}

const statement = (forms: readonly string[], param: string, dice: Dice): string =>
  filled(oneOf(forms as [string, ...string[]], dice), ...unequal(dice)).replace('PARAM', param);
