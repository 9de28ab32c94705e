/** What workers answer, by the kind of their role. Declared once: parsing, prompts and docs read the same declaration. */
import * as v from 'valibot';

const MAX_ITEMS = 2_000;
const line = v.pipe(v.string(), v.maxLength(4_000));
const lines = v.optional(v.pipe(v.array(line), v.maxLength(MAX_ITEMS)), []);
const longText = v.pipe(v.string(), v.maxLength(20_000));
/** A claim about a file: checked against the real diff later, but never a path that could be mistaken for another. */
const path = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_024),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  v.regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, 'has a control character'),
  v.check((text) => !text.startsWith('/') && !text.split('/').includes('..'), 'leaves the repository'),
);
const paths = v.optional(v.pipe(v.array(path), v.maxLength(MAX_ITEMS)), []);
const common = { next_step: v.optional(v.nullable(line), null), notes: v.optional(longText, '') };

export const planAnswer = v.strictObject({
  status: v.picklist(['COMPLETE', 'NEEDS_REFINEMENT', 'BLOCKED']),
  phases: v.pipe(v.array(v.looseObject({})), v.maxLength(200)),
  dependencies: v.optional(v.pipe(v.array(v.looseObject({})), v.maxLength(MAX_ITEMS)), []),
  estimated_components: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)),
  risks: lines,
  ...common,
});

export const implementationAnswer = v.strictObject({
  status: v.picklist(['SUCCESS', 'PARTIAL', 'FAILED', 'BLOCKED']),
  action_taken: longText,
  files_created: paths,
  files_modified: paths,
  tests_written: paths,
  blockers: lines,
  ...common,
});

const reviewStatus = v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'REJECTED']);

export const reviewAnswer = v.pipe(
  v.strictObject({
    status: reviewStatus,
    /** Some models repeat the status under this name; a second opinion in the same answer is refused. */
    review_status: v.optional(reviewStatus),
    issues: v.optional(
      v.pipe(
        v.array(
          v.strictObject({
            severity: v.picklist(['critical', 'high', 'medium', 'low', 'info']),
            file: v.optional(path),
            line: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
            message: line,
            suggestion: v.optional(line),
          }),
        ),
        v.maxLength(MAX_ITEMS),
      ),
      [],
    ),
    suggestions: lines,
    security_concerns: lines,
    confidence: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    ...common,
  }),
  v.check(
    (answer) => answer.review_status === undefined || answer.review_status === answer.status,
    'review_status contradicts status',
  ),
);

export const genericAnswer = v.looseObject({ status: line, ...common });

export const ANSWERS = {
  plan: planAnswer,
  implementation: implementationAnswer,
  review: reviewAnswer,
  generic: genericAnswer,
} as const;
export type AnswerKind = keyof typeof ANSWERS;
export type Answer<K extends AnswerKind = AnswerKind> = v.InferOutput<(typeof ANSWERS)[K]>;
