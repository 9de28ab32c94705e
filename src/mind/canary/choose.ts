import type { Dice } from './plant.ts';
export function chooseFiles(ask: {
  readonly testFiles: readonly string[];
  readonly loadsChanged: ReadonlySet<string>;
  readonly dice: Dice;
  readonly most?: number;
}): readonly string[] {
  return ask.testFiles.slice(0, ask.most ?? 40);
}
