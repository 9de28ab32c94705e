/** Chooses the test files into which the canary plants. */
import { type Dice, shuffled } from './planted.ts';

type ChoiceOptions = {
  readonly testFiles: readonly string[];
  readonly loadsChanged: ReadonlySet<string>;
  readonly dice: Dice;
  readonly most?: number;
};

/** More would cost time and prove nothing more. */
const MOST = 40;

/** Files that load changed modules first, then others; each group in random order. */
export function chooseFiles({ testFiles, loadsChanged, dice, most = MOST }: ChoiceOptions): readonly string[] {
  const files = shuffled([...new Set(testFiles)], dice);
  return [...files.filter((file) => loadsChanged.has(file)), ...files.filter((file) => !loadsChanged.has(file))].slice(
    0,
    most,
  );
}
