/** Plants into Python test files: pytest and unittest. */

import { complaint, filled, formTable, freePhrase, type Phrase, pascal, snake, unequal } from './plant-names.ts';
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
import { type PythonTest, pythonTests } from './python-tests.ts';
import { type Scanned, scan } from './scan.ts';

/** Methods of unittest's `TestCase`. */
const METHODS = formTable({
  'assertEqual assertEquals assertGreater': 'LOW, HIGH',
  assertLess: 'HIGH, LOW',
  assertNotEqual: 'LOW, LOW',
  assertTrue: 'LOW == HIGH',
  assertFalse: 'LOW == LOW',
  assertIs: 'LOW, None',
  assertIsNone: 'LOW',
  assertIsNotNone: 'None',
  assertIn: 'LOW, [HIGH]',
  assertNotIn: 'LOW, [LOW]',
  assertIsInstance: 'LOW, str',
  assertAlmostEqual: 'LOW.0, HIGH.0',
  'assertListEqual assertSequenceEqual assertCountEqual': '[LOW], [HIGH]',
  assertDictEqual: "{'size': LOW}, {'size': HIGH}",
  assertRegex: "'LOW', '^HIGH$'",
  assertRaises: "ValueError, int, 'LOW'",
});
const PLAIN = ['LOW == HIGH', '[LOW, 7] == [HIGH, 7]', 'LOW in {HIGH}', "{'size': LOW} == {'size': HIGH}"] as const;

export function plantIntoPython(
  runner: 'pytest' | 'unittest',
  path: string,
  text: string,
  wish: PlantOptions,
): PlantedText | null {
  const { dice, only } = wish;
  const scanned = path.endsWith('.py') ? scan('python', text) : null;
  const tests = scanned === null ? null : pythonTests(runner, scanned);
  const phrase = freePhrase(text, dice);
  if (scanned === null || tests === null || phrase === null) return null;
  const newline = lineEndOf(text);
  const asserted = methodsIn(scanned.code);
  const chosen = someOf(tests, wish, idOf);
  const thrower = chosen.length > 1 ? Math.floor(dice() * chosen.length) : -1;
  const edits: Edit[] = chosen.map((test, index) => {
    const raises = index === thrower || (index > 1 && dice() < 0.3);
    const line = `${test.indent}${statement(test, asserted, raises, dice)}`;
    return isLast(wish) && test.end !== null
      ? { at: test.end, text: `${newline}${line}` }
      : { at: test.body, text: `${line}${newline}` };
  });
  const added =
    only !== null
      ? null
      : addedTest(tests, { asserted, phrase, newline, raises: chosen.length === 1 || dice() < 0.5 }, dice);
  const isFunctions =
    only === null && runner === 'pytest' && (added === null || tests.some(({ owner }) => owner === null));
  const name = `test_${snake(phrase)}`;
  if (isFunctions) edits.push({ at: text.length, text: ownFunction(text, name, newline, dice) });
  else if (added !== null) edits.push(added.edit);
  if (edits.length === 0) return null;
  const planted = edited(text, edits);
  const again = scan('python', planted);
  if (again === null || pythonTests(runner, again) === null) return null;
  return { text: planted, inside: chosen.map(idOf), added: isFunctions ? name : (added?.name ?? null) };
}

export function plantBesidePython(
  runner: 'pytest' | 'unittest',
  path: string,
  text: string,
  dice: Dice,
): { path: string; text: string; test: string } | null {
  const scanned = scan('python', text);
  const phrase = freePhrase(text, dice);
  const [, folder = '', before, after] = /^(.*\/)?(?:(test_)[^/]*|[^/]*?(_tests?))\.py$/.exec(path) ?? [];
  if (scanned === null || phrase === null || (before ?? after) === undefined) return null;
  const file = `${folder}${before ?? ''}${snake(phrase)}${after ?? ''}.py`;
  const name = `test_${snake(phrase)}`;
  const asserted = methodsIn(scanned.code);
  if (runner === 'pytest' && asserted.length === 0) {
    return { path: file, text: `def ${name}():\n    ${plain(dice)}\n`, test: name };
  }
  const owner = { name: `${pascal(phrase)}Test`, bases: '', isCase: true, isAsync: false };
  const line = statement({ owner, self: 'self' }, asserted, false, dice);
  const own = `import unittest\n\n\nclass ${owner.name}(unittest.TestCase):\n    def ${name}(self):\n        ${line}\n`;
  return { path: file, text: own, test: `${owner.name}.${name}` };
}

export function bodiesOfPython(runner: 'pytest' | 'unittest', scanned: Scanned): readonly TestBody[] {
  const tests = pythonTests(runner, scanned) ?? [];
  return tests.map((test) => ({ name: idOf(test), from: test.body, to: test.to }));
}

const idOf = ({ owner, name }: PythonTest): string => (owner === null ? name : `${owner.name}.${name}`);

const methodsIn = (code: string): readonly string[] => [
  ...new Set(
    [...code.matchAll(/\bself\.(assert\w+)\s*\(/g)].map(([, name]) => name ?? '').filter((name) => METHODS.has(name)),
  ),
];

function statement(
  { owner, self }: Pick<PythonTest, 'owner' | 'self'>,
  asserted: readonly string[],
  raises: boolean,
  dice: Dice,
): string {
  if (raises) return `raise ${oneOf(['ValueError', 'AssertionError', 'RuntimeError'], dice)}('${complaint(dice)}')`;
  if (owner?.isCase !== true) return plain(dice);
  const method = asserted.length === 0 ? 'assertEqual' : oneOf(asserted as [string, ...string[]], dice);
  return `${self}.${method}(${filled(METHODS.get(method) ?? 'LOW, HIGH', ...unequal(dice))})`;
}

const plain = (dice: Dice): string => `assert ${filled(oneOf(PLAIN, dice), ...unequal(dice))}`;

type Adding = {
  readonly asserted: readonly string[];
  readonly phrase: Phrase;
  readonly newline: string;
  readonly raises: boolean;
};

/** Adds a method before an existing one, in the same class. */
function addedTest(tests: readonly PythonTest[], adding: Adding, dice: Dice): { edit: Edit; name: string } | null {
  const places = tests.filter(({ head, owner }) => head !== null && owner !== null);
  if (places.length === 0) return null;
  const place = oneOf(places as [PythonTest, ...PythonTest[]], dice);
  const name = `test_${snake(adding.phrase)}`;
  const { newline, asserted, raises } = adding;
  const line = statement({ owner: place.owner, self: 'self' }, asserted, raises, dice);
  const text = `${place.margin}def ${name}(self):${newline}${place.indent}${line}${newline}${newline}`;
  return { edit: { at: place.head ?? 0, text }, name: `${place.owner?.name}.${name}` };
}

function ownFunction(text: string, name: string, newline: string, dice: Dice): string {
  const begin = text === '' || text.endsWith('\n') ? '' : newline;
  const line = dice() < 0.5 ? plain(dice) : `raise ValueError('${complaint(dice)}')`;
  return `${begin}${newline}${newline}def ${name}():${newline}    ${line}${newline}`;
}
