/** Versions of programs, as far as they can be compared: only the numbers. */
/** The first `1.2.3` in a program's output; null if there is none. */
export function versionIn(text: string): string | null {
  return /(?<![\d.])(\d{1,6}\.\d{1,6}\.\d{1,9})(?!\.?\d)/.exec(text)?.[1] ?? null;
}

export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let index = 0; index < 3; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** Compares with a tested range; `below` is not part of it. */
export function judgeVersion(
  version: string,
  tested: { readonly from: string; readonly below: string },
): 'tested' | 'older' | 'newer' {
  if (compareVersions(version, tested.from) < 0) return 'older';
  return compareVersions(version, tested.below) < 0 ? 'tested' : 'newer';
}
