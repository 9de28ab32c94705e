/** Why an attempt was sent back, as one word, which decides what its successor should do. */

export const FEEDBACK_KINDS = [
  ...(['failed_gate', 'violation', 'finding', 'rejection', 'invalid_output', 'no_change'] as const),
  ...(['clarification', 'other'] as const),
] as const;
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];

/** For callers that only have the reason; those that know more should set the kind instead. */
export function feedbackKind(reason: string, gates: number): FeedbackKind {
  if (gates > 0 || /^gate (?:failed|could not run)\b/.test(reason)) return 'failed_gate';
  if (/^The change touches /.test(reason)) return 'violation';
  if (/^The change is refused: /.test(reason)) return 'finding';
  if (/^the (?:reviewer|security auditor) says /.test(reason)) return 'rejection';
  if (/^the (?:worker|person) changed nothing/.test(reason)) return 'no_change';
  if (/^the worker says BLOCKED|after asking: "/.test(reason)) return 'clarification';
  return INVALID.test(reason) ? 'invalid_output' : 'other';
}

/** Matches the beginnings of sentences of `readAnswer` and the schemas. */
const INVALID =
  /^(?:missing result: |the (?:```)?json block |there is no ```json block|the answer(?:: | has no field )|status "|[\w.]+ is missing\b|[\w.]+: (?:Invalid |must |has |leaves |is not |review_status |status ))/;
