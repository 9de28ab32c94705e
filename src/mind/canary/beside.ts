/** Tests that fail beside planted ones: a change that behaves only while no test was touched shows itself by them. */
import { isReported, type Plant } from './plant.ts';

/**
 * Of a list of failed tests those that nothing was planted in. A suite fails with its tests, and a test with its cases: they
 * are told as one.
 */
export function failedBeside(plants: readonly Plant[], failedIds: readonly string[]): readonly string[] {
  const planted = failedIds.filter((id) => plants.some((plant) => isReported(plant, [id])));
  const isOf = (inner: string, outer: string) =>
    inner.startsWith(outer) && /^(?: > |\/|::|\[| \()/.test(inner.slice(outer.length));
  return failedIds.filter(
    (id) => !planted.includes(id) && !planted.some((other) => isOf(id, other) || isOf(other, id)),
  );
}
