/** Whether a red gate is excused because everything that failed had failed before the task began. */
import type { Spec } from '../domain/values.ts';
import type { FailedTests } from './ids.ts';

type Excuse =
  | { readonly type: 'excused'; readonly ids: readonly string[] }
  | { readonly type: 'refused'; readonly why: string };

/** What a gate finds at the base, before any change. */
export type BaseFinding = {
  readonly gate: string;
  readonly status: 'pass' | 'fail' | 'error';
  /** How it ended, or why it could not run. */
  readonly ended: string;
  /** How many tests failed; null if uncertain. Only then failures of the base can be excused. */
  readonly red: number | null;
  /** Some of their names, redacted like evidence. */
  readonly tests: readonly string[];
};

/** The finding of a gate that only looks at changed files: at a commit alone it has nothing to do. */
export const nothingAtBase = (gate: string): BaseFinding => ({
  gate,
  status: 'pass',
  ended: 'nothing to do: it looks at changed files only',
  red: 0,
  tests: [],
});

/** One line for people; null if the base is green. */
export function baseText({ gate, status, ended, red, tests }: BaseFinding): string | null {
  if (status === 'pass') return null;
  if (status === 'error') return `the base: gate ${gate} gives no verdict there: ${ended}`;
  if (red === null) return `the base is red: gate ${gate} fails there (${ended}); nothing is excused`;
  const names = tests.length === 0 ? '' : `: ${shortList(tests, 3)}`;
  return `the base is red: gate ${gate} has ${red} failed test${red === 1 ? '' : 's'} there${names}`;
}

export const FIX_BASE = 'the task was made with --fix-base';

/** Every text would contain shorter names. */
const MIN_NAME = 3;

export function excuse(candidate: FailedTests | null, base: FailedTests | null, spec: Spec): Excuse {
  if (candidate === null) return refused('the output does not say for certain which tests failed');
  if (base === null) return refused('the base does not fail in a way that says for certain which tests failed');
  if (spec.red_base === 'fix') return refused(FIX_BASE);
  const known = new Set(base.failed);
  const fresh = candidate.failed.filter((id) => !known.has(id));
  if (fresh.length > 0) return refused(`these do not fail at the base: ${shortList(fresh)}`);
  const named = candidate.failed.filter((id) => isNamed(id, spec));
  if (named.length > 0) return refused(`the task names these itself: ${shortList(named)}`);
  if (candidate.ran !== null && base.ran !== null && candidate.ran < base.ran) {
    return refused(`only ${candidate.ran} tests ran to an end, ${base.ran} at the base`);
  }
  return { type: 'excused', ids: candidate.failed };
}

/** By its id, its file or its own name, in any case. Too many matches are safe, because red then stays red. */
export function isNamed(id: string, spec: Spec): boolean {
  const said = [spec.text, ...(spec.acceptance ?? []), spec.test_command ?? ''].join('\n').toLowerCase();
  return namesOf(id.toLowerCase()).some((name) => said.includes(name));
}

function namesOf(id: string): string[] {
  const parts = id.split(/ > | › |::/);
  const last = parts.at(-1) ?? '';
  const files = parts.filter((part) => /^[^\s]+[./][^\s]+$/.test(part)).map((path) => path.split('/').at(-1) ?? '');
  const stems = files.map((file) => file.replace(/\..*$/, '').replace(/^test_|_test$/, ''));
  const bare = last.replace(/\[.*$/, '');
  // Test, class and module of `tests.module.Class.test_x`, as unittest names it.
  const dotted = /^\w+(?:\.\w+){2,}(?= [([]|$)/.exec(id)?.[0].split('.').slice(-3) ?? [];
  return [id, last, bare, ...files, ...stems, ...dotted].filter((name) => name.length >= MIN_NAME);
}

const refused = (why: string): Excuse => ({ type: 'refused', why });

export function shortList(names: readonly string[], most = 20): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
