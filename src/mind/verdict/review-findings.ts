/** Which findings of a review count: those that name a line that its reader can look up, each once. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { Findings } from '../domain/values.ts';

export type ReviewFinding = {
  readonly severity: keyof Findings;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly message: string;
  readonly suggestion?: string | undefined;
};

/** The files of the change and those that the reviewer saw, with their number of lines; null if it is no text. */
export type ShownLines = ReadonlyMap<string, number | null>;

/** Why a finding does not count. */
type Fault = 'no file and line' | 'not in the change' | 'no such line' | 'said twice';
type Uncounted = { readonly finding: ReviewFinding; readonly fault: Fault };

type CountedFindings = { readonly counted: readonly ReviewFinding[]; readonly uncounted: readonly Uncounted[] };

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** If two findings are equal, the one with the higher severity counts. */
export function checkFindings(findings: readonly ReviewFinding[], shown: ShownLines): CountedFindings {
  const counted = new Map<string, ReviewFinding>();
  const uncounted: Uncounted[] = [];
  for (const finding of [...findings].sort((a, b) => rankOf(a) - rankOf(b))) {
    const fault = faultOf(finding, shown) ?? (counted.has(keyOf(finding)) ? 'said twice' : null);
    if (fault === null) counted.set(keyOf(finding), finding);
    else uncounted.push({ finding, fault });
  }
  return { counted: [...counted.values()], uncounted };
}

function faultOf({ file, line }: ReviewFinding, shown: ShownLines): Fault | null {
  if (file === undefined || line === undefined) return 'no file and line';
  const lines = shown.get(plainPath(file));
  if (lines === undefined) return 'not in the change';
  return lines !== null && line > lines ? 'no such line' : null;
}

/** The path as git writes it. */
export const plainPath = (file: string): string => file.replace(/^(?:\.\/+)+/, '');

export const rankOf = ({ severity }: ReviewFinding): number => SEVERITIES.indexOf(severity);

/** Ignores punctuation and capital letters. */
export const keyOf = ({ file = '', line = 0, message }: ReviewFinding): string =>
  JSON.stringify([
    plainPath(file),
    line,
    message
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? message,
  ]);

/** For the record of the attempt. */
export const uncountedText = ({ finding, fault }: Uncounted): string => `${fault}: ${placeOf(finding)}`;

export const placeOf = ({ severity, file = '', line, message }: ReviewFinding): string =>
  `${severity} ${terminalLine(`${file}:${line ?? ''} ${message}`, 300)}`;
