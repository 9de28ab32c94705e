/** Adds up many schedules, and says how to see a failed one again. */
import type { Result } from './schedule.ts';

export class Tally {
  schedules = 0;
  events = 0;
  steps = 0;
  readonly happened = new Map<string, number>();
  readonly failed: Result[] = [];

  add(result: Result): void {
    this.schedules += 1;
    this.events += result.events;
    this.steps += result.steps;
    for (const [what, times] of result.happened) this.happened.set(what, (this.happened.get(what) ?? 0) + times);
    if (result.problems.length > 0) this.failed.push(result);
  }

  /** How often things happened whose name begins like this. */
  of(what: string): number {
    return [...this.happened].reduce((sum, [name, times]) => sum + (name.startsWith(what) ? times : 0), 0);
  }
}

/** How to see a schedule again, step by step. */
export const replay = (seed: number): string => `node test/simulation/main.ts --seed ${seed} --trace`;

const SHOWN = 5;

export function report(tally: Tally, options = { detailed: true }): string {
  const all = [...tally.happened].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `${tally.schedules} schedules, ${tally.events} events, ${tally.steps} steps`,
    `${tally.of('crash')} crashes, ${tally.of('process frozen')} freezes, ${tally.of('take-over')} take-overs, ${tally.of('append fenced')} fenced appends, ${tally.of('event outcome.refused')} late outcomes refused`,
    ...(options.detailed ? all.map(([what, times]) => `  ${String(times).padStart(8)}  ${what}`) : []),
  ];
  for (const { seed, problems } of tally.failed.slice(0, SHOWN)) {
    lines.push(`FAILED seed ${seed}; replay it with: ${replay(seed)}`, ...problems.map((problem) => `    ${problem}`));
  }
  if (tally.failed.length > 0)
    lines.push(
      `${tally.failed.length} of ${tally.schedules} schedules failed: ${tally.failed
        .slice(0, 30)
        .map(({ seed }) => seed)
        .join(' ')}`,
    );
  return `${lines.join('\n')}\n`;
}
