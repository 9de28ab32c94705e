/** Changes expected values in the assertions of existing tests. */
import { type Expected, expectedIn, otherThan } from './expected.ts';
import { bodiesOfGo } from './go.ts';
import { type Dice, edited, MAX_INSIDE, oneOf, shuffled, type TestBody, type TestRunner } from './planted.ts';
import { bodiesOfPython } from './python.ts';
import { bodiesOfRust } from './rust.ts';
import { type Scanned, scan, type TestLanguage } from './scan.ts';
import { bodiesOfScript } from './script.ts';

/** Tests in which it may be done: all at the base, where this is learned. */
export type Alterable = ReadonlySet<string> | 'all';
type AlteredText = {
  readonly text: string;
  readonly altered: readonly string[];
  /** Tests that get no additional assertion. */
  readonly without: ReadonlySet<string>;
};

const FAMILIES: Readonly<Record<TestRunner, TestLanguage>> = {
  tap: 'script',
  vitest: 'script',
  jest: 'script',
  pytest: 'python',
  unittest: 'python',
  go: 'go',
  cargo: 'rust',
};

type AlterOptions = { readonly dice: Dice; readonly only: string | null; readonly alterable: Alterable };

export function altered(runner: TestRunner, path: string, text: string, wanted: AlterOptions): AlteredText {
  const { dice, only, alterable } = wanted;
  const untouched: AlteredText = { text, altered: [], without: new Set() };
  if (alterable !== 'all' && alterable.size === 0) return untouched;
  const family = FAMILIES[runner];
  const scanned = scan(family, text);
  if (scanned === null) return untouched;
  const bodies = bodiesOf(runner, path, text, scanned);
  const values = new Map(bodies.map((body) => [body.name, expectedIn(family, text, scanned, body)] as const));
  const chosen = shuffled(
    bodies.map(({ name }) => name),
    dice,
  )
    .filter((name) => only === null || name === only)
    .slice(0, MAX_INSIDE);
  const able = chosen.filter(
    (name) => (values.get(name)?.length ?? 0) > 0 && (alterable === 'all' || alterable.has(name)),
  );
  const names = alterable === 'all' ? able : able.slice(0, howMany(able.length, chosen.length, only !== null, dice));
  if (names.length === 0) return untouched;
  const all = [...values.values()].flat();
  const edits = names.map((name) => {
    const { from, to, value } = oneOf(values.get(name) as [Expected, ...Expected[]], dice);
    return { at: from, until: to, text: otherThan(value, all, dice) };
  });
  const plain = new Set(chosen.filter((name) => !names.includes(name)));
  return {
    text: edited(text, edits),
    altered: names,
    without: new Set(bodies.map(({ name }) => name).filter((name) => !plain.has(name))),
  };
}

/** At least one, and not all of several: other ways to fail have to show as well. */
function howMany(able: number, chosen: number, isSingle: boolean, dice: Dice): number {
  if (isSingle || chosen === 1) return dice() < 0.7 ? able : 0;
  return Math.max(1, Math.min(able, Math.floor(chosen / 2)));
}

function bodiesOf(runner: TestRunner, path: string, text: string, scanned: Scanned): readonly TestBody[] {
  switch (runner) {
    case 'pytest':
    case 'unittest':
      return path.endsWith('.py') ? bodiesOfPython(runner, scanned) : [];
    case 'go':
      return bodiesOfGo(path, text);
    case 'cargo':
      return path.endsWith('.rs') ? bodiesOfRust(text, scanned) : [];
    default:
      return bodiesOfScript(path, text);
  }
}
