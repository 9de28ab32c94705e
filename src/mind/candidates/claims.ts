/** Compares a worker's claims with its real change. The difference is recorded and shown; only the tree counts. */
import type { Answer } from '../answers/schemas.ts';
import type { PathChange } from './change.ts';

type ClaimMismatch = {
  readonly path: string;
  readonly mismatch:
    | 'claimed_but_not_changed'
    | 'changed_but_not_claimed'
    | 'claimed_created_but_existed'
    | 'claimed_modified_but_new'
    | 'claimed_but_deleted';
};

export type Claims = Pick<Answer<'implementation'>, 'files_created' | 'files_modified' | 'tests_written'>;

/** At most one finding for a path; sorted by path. */
export function claimMismatches(claims: Claims, changed: readonly PathChange[]): ClaimMismatch[] {
  const real = new Map(changed.map((change) => [change.path, change]));
  const created = new Set(claims.files_created.map(plain));
  const modified = new Set(claims.files_modified.map(plain));
  const claimed = new Set([...created, ...modified, ...claims.tests_written.map(plain)]);
  const found: ClaimMismatch[] = [];
  for (const path of new Set([...claimed, ...real.keys()])) {
    const mismatch = judge(real.get(path), claimed.has(path), created.has(path), modified.has(path));
    if (mismatch !== null) found.push({ path, mismatch });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * A worker may report everything that differs from the base, or only what it did itself: a claim is untrue if it is
 * wrong for both.
 */
export function untrueClaims(claims: Claims, all: readonly PathChange[], own: readonly PathChange[]): ClaimMismatch[] {
  const wrong = new Set(claimMismatches(claims, all).map(({ path }) => path));
  return claimMismatches(claims, own).filter(({ path }) => wrong.has(path));
}

export function mismatchText({ path, mismatch }: ClaimMismatch): string {
  return `${path} ${MISMATCHES[mismatch]}`;
}

const MISMATCHES: Readonly<Record<ClaimMismatch['mismatch'], string>> = {
  claimed_but_not_changed: 'is named in the answer, and was not changed',
  changed_but_not_claimed: 'was changed, and the answer does not name it',
  claimed_created_but_existed: 'is named in `files_created`, and was there before',
  claimed_modified_but_new: 'is named in `files_modified`, and is new',
  claimed_but_deleted: 'is named as written, and was removed',
};

function judge(
  change: PathChange | undefined,
  claimed: boolean,
  created: boolean,
  modified: boolean,
): ClaimMismatch['mismatch'] | null {
  if (change === undefined) return 'claimed_but_not_changed';
  // Answers have no list of deletions: some workers report them as modified, some not at all, and neither is wrong.
  if (change.after === null) return claimed && !modified ? 'claimed_but_deleted' : null;
  if (!claimed) return 'changed_but_not_claimed';
  if (created && !modified && change.before !== null) return 'claimed_created_but_existed';
  return modified && !created && change.before === null ? 'claimed_modified_but_new' : null;
}

const plain = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+/g, '/');
