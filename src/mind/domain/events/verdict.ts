/** What a verdict puts on record: all that metrics are computed from later, so that none of it has to be judged again. */
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
  /** The step that was judged, or that judged, under the token of its attempt. */
  step: stepId,
  token: count,
  /** The change that it is about. */
  on: candidate,
  round: count,
  /** Attempts used so far at the last change step, over all rounds, and candidates that this step rejected before. */
  attempts: count,
  rejections: count,
  decision: verdictDecision,
  /** Is null if nothing was measured, or not all that has to be. */
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
      /** What it printed, of a gate that only advises and did not pass: reviewers are shown it. Absent: it is not needed. */
      evidence: v.optional(blobHash),
      /** A person took back every finding that failed it. Absent: no. */
      cleared: v.optional(v.boolean()),
      ...measured,
    }),
  ),
  reviews: v.array(
    v.object({ step: stepId, role: line, cli: line, change_id: v.nullable(line), said: v.nullable(said) }),
  ),
  /** What the text of the change says. Absent: nobody looked, as in logs that are older than it. */
  diff: v.optional(diffFacts),
  /** Sums over the gates. */
  tests: measured.tests,
  /** Line coverage against the base, in points. */
  coverage_delta: v.nullable(v.number()),
});
export type VerdictRecord = v.InferOutput<typeof verdict>;
