type PlantKind = 'inside' | 'added' | 'own';
export type Plant = { readonly kind: PlantKind; readonly path: string; readonly test: string };
export type Planted = { readonly path: string; readonly text: string; readonly plants: readonly Plant[] };
export type Dice = () => number;
export type Runner = 'tap' | 'vitest' | 'jest' | 'pytest' | 'unittest' | 'go' | 'cargo';
export function plantInto(_runner: Runner, _path: string, _text: string, _dice: Dice): Planted | null {
  return null;
}
export function plantBeside(_runner: Runner, _path: string, _text: string, _dice: Dice): Planted | null {
  return null;
}
export function isReported(_plant: Plant, _failedIds: readonly string[]): boolean {
  return false;
}
