/** A rule's finding in a change: one place, and a reason that a person can act on. */

export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info';

export type Finding = {
  readonly rule: string;
  readonly severity: Severity;
  readonly path: string;
  /** Starts at 1, in the new text; null for the whole file. */
  readonly line: number | null;
  readonly message: string;
  readonly tool: string;
};
