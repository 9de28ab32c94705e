/**
 * Plants failing tests into test files: a gate that stays green on them cannot fail. Pure: text in, text out. Every
 * plant parses for certain, or nothing is planted. The base runs the same plants, which shows that they also run.
 */
import { assertNever } from '../../kernel/assert-never.ts';
import { type Alterable, altered } from './altered.ts';
import { plantBesideGo, plantIntoGo } from './go.ts';
import type { Dice, Plant, Planted, PlantedText, PlantOptions, TestRunner } from './planted.ts';
import { plantBesidePython, plantIntoPython } from './python.ts';
import { plantBesideRust, plantIntoRust } from './rust.ts';
import { plantBesideScript, plantIntoScript } from './script.ts';

export type { Dice, Plant, Planted, TestRunner } from './planted.ts';
export { shuffled } from './planted.ts';
export { isReported } from './reported-plants.ts';

/**
 * Plants into one existing test file; null if no safe place is found. `only`: one failure, in the test of this name,
 * and nothing else: neither the number of tests nor their names change. `alterable`: tests in which an expected value
 * may be changed instead. `spared`: the one test that stays unchanged.
 */
export function plantInto(
  runner: TestRunner,
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

/** Adds one test to an existing file and leaves all others unchanged; null if that is impossible. */
export function plantAdded(runner: TestRunner, path: string, text: string, dice: Dice): Planted | null {
  const planted = intoText(runner, path, text, { dice, only: null, without: { has: () => true } });
  if (planted === null || planted.added === null) return null;
  return { path, text: planted.text, plants: [{ kind: 'added', path, test: planted.added }] };
}

/**
 * A new test file beside an existing one: same folder, a similar name, and its imports of the test framework. Null if
 * that is impossible.
 */
export function plantBeside(runner: TestRunner, path: string, text: string, dice: Dice): Planted | null {
  const own = besideText(runner, path, text, dice);
  if (own === null) return null;
  return { path: own.path, text: own.text, plants: [{ kind: 'own', path: own.path, test: own.test }] };
}

function intoText(runner: TestRunner, path: string, text: string, wish: PlantOptions): PlantedText | null {
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

function besideText(runner: TestRunner, path: string, text: string, dice: Dice) {
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
