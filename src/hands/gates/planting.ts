/** Makes the failing tests that the canary plants into a tree: in every possible place, or a single one. */
import { randomInt } from 'node:crypto';
import type { Workspaces } from '../../engine/ports/workspace.ts';
import { chooseFiles } from '../../mind/canary/choose.ts';
import {
  type Dice,
  type Plant,
  type Planted,
  plantAdded,
  plantBeside,
  plantInto,
  shuffled,
  type TestRunner,
} from '../../mind/canary/plant.ts';
import { runnerOf, testFilesOf } from '../../mind/canary/runner.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import type { GateCheck } from '../../mind/gates/kinds.ts';
import type { PlantedFile } from './run-result.ts';

export type PlantingSite = {
  readonly workspaces: Pick<Workspaces, 'paths' | 'read'>;
  readonly check: GateCheck;
  readonly canary: GateConfig['canary'];
  readonly tree: string;
  readonly testPaths: readonly string[];
  /** Paths of the change; tests that load these come first. */
  changed(): Promise<readonly string[]>;
};

/** A planted test; for one in a new file also the test file that it stands beside. */
type PlacedPlant = Plant & { readonly beside: string };
export type Planting = {
  readonly files: readonly PlantedFile[];
  readonly plants: readonly PlacedPlant[];
  /** Includes plants that are not expected to show: in tests that are skipped, or red anyway. */
  readonly all: readonly Plant[];
  /** The runner's list of tests is unknown: only the exit code tells. */
  readonly byExit: boolean;
};

const MOST_AT_BASE = 200;
const MOST_FILES = 40;

const dice: Dice = () => randomInt(2 ** 32) / 2 ** 32;

/**
 * Each existing test is a place of its own, because one of them may be skipped here. A new test file stands for its
 * neighbour.
 */
const placeOf = ({ kind, path, test, beside }: PlacedPlant): string =>
  kind === 'inside' || kind === 'altered' ? `${kind} ${path}\0${test}` : `${kind} ${beside}`;
/**
 * If a test's own failing assertion was noticed, the test runs that far, so another assertion there is noticed as well.
 */
export const placesOf = (plant: PlacedPlant): readonly string[] =>
  plant.kind === 'altered' ? [placeOf(plant), placeOf({ ...plant, kind: 'inside' })] : [placeOf(plant)];
const pathOf = (place: string): string => place.slice(place.indexOf(' ') + 1).split('\0', 1)[0] ?? '';

/** `places`: plant only there; null for everywhere. `spared`: the one test that stays unchanged. */
export async function plantAll(
  where: PlantingSite,
  given: ReadonlySet<string> | null,
  spared: Plant | null = null,
): Promise<Planting> {
  const places = given === null || spared === null ? given : withoutTest(given, spared);
  const { canary } = where;
  if (canary !== undefined && canary !== 'off') {
    const test = `t${randomInt(1e9)}`;
    const file = { path: canary.file.replaceAll('NAME', test), text: canary.text.replaceAll('NAME', test) };
    return {
      files: [file],
      plants: [{ kind: 'own', path: file.path, test, beside: file.path }],
      all: [],
      byExit: true,
    };
  }
  const texts = await chosenTexts(where, places);
  const files = texts.flatMap(({ path, text, runner }) => {
    const own = plantBeside(runner, path, text, dice);
    const alterable = places === null ? 'all' : alterableIn(path, places);
    const made = [
      plantInto(runner, path, text, dice, null, alterable, spared?.path === path ? spared.test : null),
      own,
    ].flatMap((one) => (one === null ? [] : [one]));
    return made.map((one) => placed(one, path, places)).filter(({ plants }) => plants.length > 0);
  });
  return planting(files);
}

/** Plants added tests, in existing or new files; changes no existing test. */
export async function plantBesideAll(where: PlantingSite, places: ReadonlySet<string> | null): Promise<Planting> {
  const texts = await chosenTexts(where, places);
  const files = texts.flatMap(({ path, text, runner }) => {
    const added = plantAdded(runner, path, text, dice);
    const own = added === null ? plantBeside(runner, path, text, dice) : null;
    return [added, own].flatMap((one) => (one === null ? [] : [placed(one, path, places)]));
  });
  return planting(files.filter(({ plants }) => plants.length > 0));
}

/**
 * Plants one failure in one existing test: the same number of tests, names and files, with a single failure. `at`: in
 * this test again.
 */
export async function plantOne(where: PlantingSite, places: ReadonlySet<string>, at?: Plant): Promise<Planting | null> {
  const inside = [...places].filter((place) => place.startsWith('inside '));
  const texts = await chosenTexts(where, new Set(inside));
  for (const { path, text, runner } of texts) {
    if (at !== undefined && at.path !== path) continue;
    const tests = inside.filter((place) => pathOf(place) === path).map((place) => place.split('\0')[1] ?? '');
    for (const test of at === undefined ? shuffled(tests, dice) : [at.test]) {
      const planted = plantInto(runner, path, text, dice, test, alterableIn(path, places));
      if (planted === null) continue;
      return planting([placed(planted, path, null)]);
    }
  }
  return null;
}

function withoutTest(places: ReadonlySet<string>, { path, test }: Plant): ReadonlySet<string> {
  return new Set([...places].filter((place) => !place.endsWith(` ${path}\0${test}`)));
}

function alterableIn(path: string, places: ReadonlySet<string>): ReadonlySet<string> {
  const begin = `altered ${path}\0`;
  return new Set([...places].filter((place) => place.startsWith(begin)).map((place) => place.slice(begin.length)));
}

type PlantableFile = { readonly path: string; readonly text: string; readonly runner: TestRunner };

async function chosenTexts(where: PlantingSite, places: ReadonlySet<string> | null): Promise<readonly PlantableFile[]> {
  const { workspaces, check, tree, testPaths } = where;
  const live = places === null ? null : new Set([...places].map(pathOf));
  const paths = await workspaces.paths(tree);
  // Known places first: a change could put any number of files in front of them.
  const wanted = testFilesOf(check, live === null ? paths : paths.filter((path) => live.has(path)), testPaths);
  const texts = await textsOf(where, wanted);
  const stems = (await where.changed())
    .map((path) => (path.split('/').at(-1) ?? '').replace(/\..*$/, ''))
    .filter((stem) => stem.length > 2);
  const loadsChanged = new Set(wanted.filter((path) => stems.some((stem) => texts.get(path)?.includes(stem))));
  const most = places === null ? MOST_AT_BASE : MOST_FILES;
  return chooseFiles({ testFiles: wanted, loadsChanged, dice, most }).flatMap((path) => {
    const text = texts.get(path);
    const runner = text === undefined ? null : runnerOf(check, path, text);
    return text === undefined || runner === null ? [] : [{ path, text, runner }];
  });
}

async function textsOf(
  { workspaces, tree }: PlantingSite,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = await workspaces.read(tree, paths);
  return new Map(paths.flatMap((path, n) => (texts[n] == null ? [] : [[path, texts[n]] as const])));
}

function placed(planted: Planted, beside: string, places: ReadonlySet<string> | null) {
  const all: PlacedPlant[] = planted.plants.map((plant) => ({ ...plant, beside }));
  return { ...planted, all, plants: all.filter((plant) => places === null || places.has(placeOf(plant))) };
}

const planting = (files: readonly ReturnType<typeof placed>[]): Planting => ({
  files,
  plants: files.flatMap(({ plants }) => plants),
  all: files.flatMap(({ all }) => all),
  byExit: false,
});
