/** What a verdict records: everything that metrics are computed from later, so that nothing has to be judged again. */
import * as v from 'valibot';
import {
  blobHash,
  candidate,
  count,
  diffFacts,
  gateStatus,
  line,
  measured,
  said,
  stepId,
  verdictDecision,
} from '../values.ts';

/** Reasons and notes are codes: `mind/verdict` lists them, and later versions add some. */
const codes = v.array(line);

export const verdict = v.object({
  /** The step that was judged, or that judged, with the token of its attempt. */
  step: stepId,
  token: count,
  /** The change that it is about. */
  on: candidate,
  round: count,
  /** Attempts used so far at the last change step, over all rounds, and candidates that this step rejected before. */
  attempts: count,
  rejections: count,
  decision: verdictDecision,
  /** Null if nothing was measured, or not everything required. */
  score: measured.score,
  reasons: codes,
  notes: codes,
  gates: v.array(
    v.object({
      gate: line,
      kind: line,
      weight: v.number(),
      blocking: v.boolean(),
      proven: v.picklist(['on', 'off', 'unknown']),
      status: gateStatus,
      excused: count,
      /** The output of an advisory gate that did not pass, for reviewers; absent if not needed. */
      evidence: v.optional(blobHash),
      /** A person dismissed every finding that failed it. Absent: no. */
      cleared: v.optional(v.boolean()),
      ...measured,
    }),
  ),
  reviews: v.array(
    v.object({ step: stepId, role: line, cli: line, change_id: v.nullable(line), said: v.nullable(said) }),
  ),
  /** Findings in the text of the change. Absent if it was not checked, as in older logs. */
  diff: v.optional(diffFacts),
  /** Sums over the gates. */
  tests: measured.tests,
  /** Line coverage against the base, in points. */
  coverage_delta: v.nullable(v.number()),
});
export type VerdictRecord = v.InferOutput<typeof verdict>;
