/** Finds tests that fail beside planted ones: they expose a change that behaves only while no test file was touched. */
import { isReported, type Plant } from './plant.ts';

/**
 * Failed tests in which nothing was planted. A suite fails with its tests, and a test with its cases: they count as
 * one.
 */
export function failedBeside(plants: readonly Plant[], failedIds: readonly string[]): readonly string[] {
  const planted = failedIds.filter((id) => plants.some((plant) => isReported(plant, [id])));
  const isOf = (inner: string, outer: string) =>
    inner.startsWith(outer) && /^(?: > |\/|::|\[| \()/.test(inner.slice(outer.length));
  return failedIds.filter(
    (id) => !planted.includes(id) && !planted.some((other) => isOf(id, other) || isOf(other, id)),
  );
}
