/** What the tests of findings ask: a change in few words, and which rules found something in it. */
import type { ChangedFile } from '../../../src/mind/changes/changed-file.ts';
import { type DiffInput, diffFindings, type RuleFinding } from '../../../src/mind/findings/index.ts';

export const file = (path: string, before: string | null, after: string | null): ChangedFile => ({
  path,
  before,
  after,
});

export function findings(files: readonly ChangedFile[], told: Partial<DiffInput> = {}): readonly RuleFinding[] {
  return diffFindings({
    files,
    task: 'Fix the parser',
    testPaths: [],
    claims: [],
    grants: [],
    recent: [],
    generated: () => null,
    ...told,
  });
}

/** `rule path:line`, with `!` when it blocks. */
export const told = (files: readonly ChangedFile[], more: Partial<DiffInput> = {}): string[] =>
  findings(files, more).map(({ rule, path, line, blocks }) => `${blocks ? '!' : ''}${rule} ${path}:${line ?? ''}`);

export const rules = (files: readonly ChangedFile[], more: Partial<DiffInput> = {}): string[] => [
  ...new Set(findings(files, more).map(({ rule, blocks }) => `${blocks ? '!' : ''}${rule}`)),
];
