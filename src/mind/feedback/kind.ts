/** Why an attempt was sent back, in one word: it decides what its successor is told to do. */

export const FEEDBACK_KINDS = [
  ...(['failed_gate', 'violation', 'finding', 'rejection', 'invalid_output', 'clarification', 'other'] as const),
] as const;
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];

/** For callers that have the reason only; those that know more should say so instead. */
export function feedbackKind(reason: string, gates: number): FeedbackKind {
  if (gates > 0 || /^gate (?:failed|could not run)\b/.test(reason)) return 'failed_gate';
  if (/^The change touches /.test(reason)) return 'violation';
  if (/^The change is refused: /.test(reason)) return 'finding';
  if (/^the (?:reviewer|security auditor) says /.test(reason)) return 'rejection';
  if (/^the worker says BLOCKED|after asking: "/.test(reason)) return 'clarification';
  return INVALID.test(reason) ? 'invalid_output' : 'other';
}

/** As `readAnswer` and the schemas begin their sentences. */
const INVALID =
  /^(?:missing result: |the (?:```)?json block |there is no ```json block|the answer(?:: | has no field )|status "|[\w.]+: (?:Invalid |has |leaves |is not |review_status |status ))/;
