/**
 * Plants failing tests into test files, so that a gate that stays green shows that it cannot fail. Pure: text in, text out.
 *
 * What is planted certainly parses, or nothing is planted; that it also runs is seen on the base, where the same is done.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import { type Alterable, altered } from './altered.ts';
import { plantBesideGo, plantIntoGo } from './go.ts';
import type { Dice, Plant, Planted, PlantedText, Runner, Wish } from './planted.ts';
import { plantBesidePython, plantIntoPython } from './python.ts';
import { plantBesideRust, plantIntoRust } from './rust.ts';
import { plantBesideScript, plantIntoScript } from './script.ts';

export type { Dice, Plant, Planted, Runner } from './planted.ts';
export { shuffled } from './planted.ts';
export { isReported } from './reported.ts';

/**
 * Plants into one existing test file; null when nothing can be planted there for sure. `only`: one failure, in the test of
 * this name, and nothing else: neither the number of tests nor their names change. `alterable`: tests in which an expected
 * value may be altered instead. `spared`: the one test that stays as it is.
 */
export function plantInto(
  runner: Runner,
  path: string,
  text: string,
  dice: Dice,
  only: string | null = null,
  alterable: Alterable = new Set(),
  spared: string | null = null,
): Planted | null {
  const changed = altered(runner, path, text, { dice, only, alterable });
  const plants: Plant[] = changed.altered.map((test) => ({ kind: 'altered', path, test }));
  if (only !== null && plants.length > 0) return { path, text: changed.text, plants };
  const planted = intoText(runner, path, changed.text, {
    dice,
    only,
    without: { has: (name) => name === spared || changed.without.has(name) },
  });
  if (planted === null) return plants.length === 0 ? null : { path, text: changed.text, plants };
  plants.push(...planted.inside.map((test) => ({ kind: 'inside' as const, path, test })));
  if (planted.added !== null) plants.push({ kind: 'added', path, test: planted.added });
  return { path, text: planted.text, plants };
}

/** A test more in an existing file, of which every other test stays as it is; null where that is not possible. */
export function plantAdded(runner: Runner, path: string, text: string, dice: Dice): Planted | null {
  const planted = intoText(runner, path, text, { dice, only: null, without: { has: () => true } });
  if (planted === null || planted.added === null) return null;
  return { path, text: planted.text, plants: [{ kind: 'added', path, test: planted.added }] };
}

/**
 * A test file of its own beside an existing one: same folder, named like it, with its imports of the test framework. Null
 * when that is not possible.
 */
export function plantBeside(runner: Runner, path: string, text: string, dice: Dice): Planted | null {
  const own = besideText(runner, path, text, dice);
  if (own === null) return null;
  return { path: own.path, text: own.text, plants: [{ kind: 'own', path: own.path, test: own.test }] };
}

function intoText(runner: Runner, path: string, text: string, wish: Wish): PlantedText | null {
  switch (runner) {
    case 'tap':
    case 'vitest':
    case 'jest':
      return plantIntoScript(path, text, wish);
    case 'pytest':
    case 'unittest':
      return plantIntoPython(runner, path, text, wish);
    case 'go':
      return plantIntoGo(path, text, wish);
    case 'cargo':
      return plantIntoRust(path, text, wish);
    default:
      return assertNever(runner, 'runner');
  }
}

function besideText(runner: Runner, path: string, text: string, dice: Dice) {
  switch (runner) {
    case 'tap':
    case 'vitest':
    case 'jest':
      return plantBesideScript(path, text, dice);
    case 'pytest':
    case 'unittest':
      return plantBesidePython(runner, path, text, dice);
    case 'go':
      return plantBesideGo(path, text, dice);
    case 'cargo':
      return plantBesideRust(path, text, dice);
    default:
      return assertNever(runner, 'runner');
  }
}
