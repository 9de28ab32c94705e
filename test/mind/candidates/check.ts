/** Changes as words, and a base to change, for the checks of a candidate. */
import type { PathChange } from '../../../src/mind/candidates/change.ts';
import { type CandidateCheck, type CandidateFacts, checkCandidate } from '../../../src/mind/candidates/check.ts';

const [OLD, NEW] = ['1'.repeat(40), '2'.repeat(40)];

/** `+ path` adds, `~ path` edits, `- path` deletes, `x path` makes executable, `> path` adds a link, `@ path` replaces by a link, `g path` adds a gitlink. */
export function change(words: string): PathChange {
  const [sign, path] = [words[0], words.slice(2)];
  if (sign === '+') return { path, before: null, after: `100644 ${NEW}` };
  if (sign === '~') return { path, before: `100644 ${OLD}`, after: `100644 ${NEW}` };
  if (sign === '-') return { path, before: `100644 ${OLD}`, after: null };
  if (sign === 'x') return { path, before: `100644 ${OLD}`, after: `100755 ${OLD}` };
  if (sign === '>') return { path, before: null, after: `120000 ${NEW}` };
  if (sign === '@') return { path, before: `100644 ${OLD}`, after: `120000 ${NEW}` };
  if (sign === 'g') return { path, before: null, after: `160000 ${NEW}` };
  throw new Error(`no such sign: ${sign}`);
}

export type Told = {
  readonly base?: readonly string[];
  readonly texts?: Readonly<Record<string, readonly [string | null, string | null]>>;
  readonly baseTexts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly allow?: readonly string[];
  readonly testPaths?: readonly string[];
  readonly protect?: readonly string[];
  readonly outputs?: readonly string[];
  readonly gates?: CandidateFacts['settings']['gates'];
  readonly services?: NonNullable<NonNullable<CandidateFacts['settings']['environment']>['services']>;
};

/** What is changed was in the base. */
export function check(changes: readonly string[], told: Told = {}): CandidateCheck {
  const changed = changes.map(change);
  const before = changed.filter((one) => one.before !== null).map(({ path }) => path);
  const facts: CandidateFacts = {
    changed,
    basePaths: [...new Set([...(told.base ?? []), ...before])].sort(),
    baseTexts: new Map(Object.entries(told.baseTexts ?? {})),
    texts: (path) => ({ before: told.texts?.[path]?.[0] ?? null, after: told.texts?.[path]?.[1] ?? null }),
    spec: {
      ...(told.files === undefined ? {} : { files: [...told.files] }),
      ...(told.allow === undefined ? {} : { allow: [...told.allow] }),
    },
    settings: {
      ...{ testPaths: told.testPaths ?? [], protect: told.protect ?? [], gates: told.gates ?? [] },
      environment: { key: [], services: told.services ?? [] },
    },
    outputs: told.outputs ?? [],
  };
  return checkCandidate(facts);
}

/** `kind path` for each violation. */
export const found = (changes: readonly string[], told?: Told): string[] =>
  check(changes, told).violations.map(({ kind, path }) => `${kind} ${path}`);
