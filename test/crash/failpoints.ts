/** The failpoints that a run passed with SUPERVISOR_FAILPOINT=-1, in order; and how to name one of them for the next run. */

export function passedFailpoints(stderr: string): string[] {
  const [, count = '', listed = ''] = /failpoints passed: (\d+)\n([\s\S]*)/.exec(stderr) ?? [];
  return listed.trim().split('\n').slice(0, Number(count));
}

/** By its name: the numbers of all points differ from run to run, as the inbox is looked at more often or less. */
export function placeOf(names: readonly string[], n: number): string {
  const name = names[n - 1];
  return `${name}#${names.slice(0, n).filter((one) => one === name).length}`;
}

/** The last point of each name. */
export const lastOfEach = (names: readonly string[]): string[] =>
  [...new Map(names.map((name, n) => [name, n + 1])).values()].map((n) => placeOf(names, n));
