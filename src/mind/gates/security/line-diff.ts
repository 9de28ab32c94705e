/** Which lines of a text are new, by Myers' algorithm with a limit on its steps. */

/**
 * Steps per line before the diff gives up. An ordinary change takes about two; only texts with little in common take
 * more, and for those it makes no difference which equal lines are matched with which.
 */
const STEPS_PER_LINE = 20;
const FREE_STEPS = 20_000;

/** The places in `after` of the lines that `before` does not have; beyond the limit the lines are compared as multisets. */
export function newPlaces(before: readonly string[], after: readonly string[]): number[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const least = Math.min(before.length, after.length) - head;
  while (tail < least && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  if (now.length === 0) return [];
  if (old.length === 0) return now.map((_, n) => head + n);
  const ids = new Map<string, number>();
  const places = byMyers(numbered(old, ids), numbered(now, ids)) ?? byCount(old, now);
  return places.map((place) => head + place);
}

function numbered(lines: readonly string[], ids: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const id = ids.get(line) ?? ids.size;
    if (id === ids.size) ids.set(line, id);
    return id;
  });
}

function byCount(before: readonly string[], after: readonly string[]): number[] {
  const left = new Map<string, number>();
  for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
  return after.flatMap((line, place) => {
    const count = left.get(line) ?? 0;
    if (count === 0) return [place];
    left.set(line, count - 1);
    return [];
  });
}

/** Null when the limit of steps is reached. */
function byMyers(before: Int32Array, after: Int32Array): number[] | null {
  const [n, m] = [before.length, after.length];
  let steps = FREE_STEPS + STEPS_PER_LINE * (n + m);
  /** For each number of edits: how far each diagonal reaches in `before`, with diagonal `-edits` first. */
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= n + m; edits += 1) {
    const last = rounds.at(-1);
    const reach = new Int32Array(2 * edits + 1);
    for (let k = -edits; k <= edits; k += 2) {
      let x = last === undefined ? 0 : startOf(last, k, edits);
      let y = x - k;
      while (x < n && y < m && before[x] === after[y]) {
        x += 1;
        y += 1;
        steps -= 1;
      }
      reach[k + edits] = x;
      if (x >= n && y >= m) return walkBack(rounds, n, m);
    }
    steps -= reach.length;
    if (steps < 0) return null;
    rounds.push(reach);
  }
  return null;
}

/** Where a diagonal begins after one more edit: by a new line (from above) or by a removed one (from the left). */
const startOf = (last: Int32Array, k: number, edits: number): number =>
  isInsert(last, k, edits) ? reachOf(last, k + 1, edits - 1) : reachOf(last, k - 1, edits - 1) + 1;
const isInsert = (last: Int32Array, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && reachOf(last, k - 1, edits - 1) < reachOf(last, k + 1, edits - 1));
const reachOf = (round: Int32Array, k: number, edits: number): number => round[k + edits] ?? -1;

function walkBack(rounds: readonly Int32Array[], n: number, m: number): number[] {
  const added: number[] = [];
  let [x, y] = [n, m];
  for (let edits = rounds.length; edits > 0; edits -= 1) {
    const last = rounds[edits - 1] as Int32Array;
    const k = x - y;
    if (isInsert(last, k, edits)) {
      x = reachOf(last, k + 1, edits - 1);
      y = x - k - 1;
      added.push(y);
    } else {
      x = reachOf(last, k - 1, edits - 1);
      y = x - k + 1;
    }
  }
  return added.reverse();
}
