/** What became of the base's tests in a candidate: a test that no longer runs protects nothing. */
import { shortList } from './baseline.ts';

/** The tests of one run by name. */
export type TestsOfRun = { readonly ran: readonly string[]; readonly skipped: readonly string[] };
/** A run's facts about its tests; names only if its report or output lists them. */
type TestsOf = { readonly ran: number | null; readonly listed: TestsOfRun | null };

export type LostTests = {
  /** Tests of the base that did not run, by name; empty if only their number is known. */
  readonly names: readonly string[];
  readonly text: string;
};

/** Returns null if every test of the base still runs, as far as the runner says. */
export function lostTests(base: TestsOf, candidate: TestsOf): LostTests | null {
  if (base.listed !== null && candidate.listed !== null) {
    const ran = new Set(candidate.listed.ran);
    const skipped = new Set(candidate.listed.skipped);
    const lost = base.listed.ran.filter((id) => !ran.has(id));
    if (lost.length === 0) return fewer(base, candidate);
    const newSkips = lost.filter((id) => skipped.has(id));
    const gone = lost.filter((id) => !skipped.has(id));
    const parts = [
      ...(gone.length === 0 ? [] : [`${gone.length} no longer run: ${shortList(gone, 20)}`]),
      ...(newSkips.length === 0 ? [] : [`${newSkips.length} skipped now: ${shortList(newSkips, 20)}`]),
    ];
    return { names: lost, text: `tests of the base: ${parts.join('; ')}` };
  }
  return fewer(base, candidate);
}

/** Applies even if all names are there: several tests may share one. */
function fewer(base: TestsOf, candidate: TestsOf): LostTests | null {
  if (base.ran === null || candidate.ran === null || candidate.ran >= base.ran) return null;
  return { names: [], text: `FEWER TESTS RAN THAN AT THE BASE: ${candidate.ran}, there ${base.ran}` };
}
