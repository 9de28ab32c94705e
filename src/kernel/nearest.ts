/** The name a person probably meant: the fewest letters changed, dropped, added or swapped. */
export function nearest(name: string, known: Iterable<string>): string | null {
  const short = name.slice(0, 64);
  let best: string | null = null;
  let least = Math.max(1, Math.floor(short.length / 3)) + 1;
  for (const candidate of known) {
    const steps = distance(short, candidate.slice(0, 64));
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let steps = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      next.push(steps);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
