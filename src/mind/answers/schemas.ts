/**
 * The answers of workers, by the kind of their role. Declared once: parsing, the output contract of a packet and the
 * docs read the same declaration. Workers see a field's description and first example (`prompts/contract.ts`); a field
 * without a description is accepted but not asked for.
 */
import * as v from 'valibot';

const MAX_ITEMS = 2_000;
const line = v.pipe(v.string(), v.maxLength(4_000));
const longText = v.pipe(v.string(), v.maxLength(20_000));
/** A claim about a file: compared with the real diff later, but never a path that could be mistaken for another. */
const path = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_024),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  v.regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, 'has a control character'),
  v.check((text) => !text.startsWith('/') && !text.split('/').includes('..'), 'leaves the repository'),
);
const lineNumber = v.pipe(v.number(), v.integer(), v.minValue(1));

const lines = (about: string, example: string[] = []) =>
  v.optional(v.pipe(v.array(line), v.maxLength(MAX_ITEMS), v.description(about), v.examples([example])), []);
const paths = (about: string, example: string[] = []) =>
  v.optional(v.pipe(v.array(path), v.maxLength(MAX_ITEMS), v.description(about), v.examples([example])), []);

/** A place in the code. */
const place = {
  file: v.optional(v.pipe(path, v.description('path in the project'), v.examples(['src/greet.ts']))),
  line: v.optional(v.pipe(lineNumber, v.description('the first line it is about'), v.examples([12]))),
};
const severity = v.pipe(v.picklist(['critical', 'high', 'medium', 'low', 'info']), v.examples(['high']));
const suggestion = (example: string) => v.optional(v.pipe(line, v.description('what to do'), v.examples([example])));

const common = {
  next_step: v.optional(
    v.nullable(v.pipe(line, v.description('What should come next; null if nothing follows from your work.'))),
    null,
  ),
  notes: v.optional(v.pipe(longText, v.description('What the next worker has to know.')), ''),
};

const workStatus = v.pipe(
  v.picklist(['SUCCESS', 'PARTIAL', 'FAILED', 'BLOCKED']),
  v.description(
    'SUCCESS only if all of it is done; PARTIAL or FAILED if it is not, with the reason in words; BLOCKED if a person has to decide or act first.',
  ),
);
const blockers = lines('With BLOCKED: what a person has to decide or do.');

const draftStatus = v.pipe(
  v.picklist(['COMPLETE', 'NEEDS_REFINEMENT', 'BLOCKED']),
  v.description('NEEDS_REFINEMENT or BLOCKED: the notes say what is missing.'),
);
const points = (about: string, example: string) =>
  v.pipe(v.array(line), v.maxLength(MAX_ITEMS), v.description(about), v.examples([[example]]));

const brainstormAnswer = v.strictObject({
  status: draftStatus,
  problem: v.pipe(
    longText,
    v.description('What goes wrong today, and what it costs.'),
    v.examples(['Visitors are greeted in English only, and leave.']),
  ),
  users: points('Who has this problem.', 'Visitors who do not read English'),
  goals: points('What is true when it is solved.', 'A visitor is greeted in the language of the browser'),
  limits: points('What must stay as it is, and what is left out.', 'No translation service is called'),
  risks: points('What may go wrong, and how one would notice.', 'A missing language: the greeting is empty'),
  ...common,
});

const documentAnswer = v.strictObject({
  status: draftStatus,
  requirements: v.pipe(
    v.array(
      v.strictObject({
        id: v.pipe(line, v.description('a short name of its own'), v.examples(['R1'])),
        requirement: v.pipe(
          line,
          v.description('what has to hold'),
          v.examples(['The greeting follows the language.']),
        ),
        criteria: v.pipe(
          v.array(
            v.strictObject({
              id: v.pipe(line, v.description('plans name it'), v.examples(['R1.1'])),
              criterion: v.pipe(
                line,
                v.description('one thing that is true or false'),
                v.examples(['greet("Ada", "fr") is "bonjour Ada"']),
              ),
              check: v.pipe(
                line,
                v.description('the command or the example that decides it'),
                v.examples(['node --test test/greet.test.ts']),
              ),
            }),
          ),
          v.maxLength(MAX_ITEMS),
          v.description('How one sees that it holds.'),
        ),
      }),
    ),
    v.maxLength(MAX_ITEMS),
    v.description('What has to hold, each with its criteria.'),
  ),
  ...common,
});

const planAnswer = v.strictObject({
  status: draftStatus,
  phases: v.pipe(
    v.array(v.looseObject({})),
    v.maxLength(200),
    v.description('What is done one after the other, each with a name and its components.'),
    v.examples([
      [
        {
          name: 'Greeting',
          components: [
            {
              name: 'greet',
              description: 'Says hello.',
              files: ['src/greet.ts'],
              acceptance: ['greet("Ada") says hello to Ada'],
            },
          ],
        },
      ],
    ]),
  ),
  dependencies: v.optional(
    v.pipe(
      v.array(v.looseObject({})),
      v.maxLength(MAX_ITEMS),
      v.description('Which component needs which other one first.'),
      v.examples([[{ component: 'polite', needs: 'greet' }]]),
    ),
    [],
  ),
  estimated_components: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(10_000),
    v.description('How many components there are in all.'),
    v.examples([2]),
  ),
  risks: lines('What may go wrong, and how one would notice.'),
  ...common,
});

const implementationAnswer = v.strictObject({
  status: workStatus,
  action_taken: v.pipe(
    longText,
    v.description('What you did, in a few sentences.'),
    v.examples(['Added greet() and a test for it.']),
  ),
  files_created: paths('Compared with what really changed, as are the next two.', ['src/greet.ts']),
  files_modified: paths('Files that were there before.', ['src/main.ts']),
  tests_written: paths('Test files that are new or longer.', ['test/greet.test.ts']),
  blockers,
  ...common,
});

/** Requested if there are any, with their ids: see the templates. */
const earlier = v.optional(
  v.pipe(
    v.array(
      v.strictObject({
        finding: v.optional(line, ''),
        became: v.optional(v.picklist(['fixed', 'dismissed', 'open']), 'open'),
        reason: v.optional(line, ''),
      }),
    ),
    v.maxLength(MAX_ITEMS),
  ),
);

const reviewStatus = v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'REJECTED']);
const verdict = v.pipe(
  reviewStatus,
  v.description('CHANGES_REQUESTED if it can be fixed, REJECTED if it is the wrong way to go.'),
  v.examples(['CHANGES_REQUESTED']),
);

const reviewAnswer = v.pipe(
  v.strictObject({
    status: verdict,
    /** Some models repeat the status under this name; a different value is refused. */
    review_status: v.optional(reviewStatus),
    issues: v.optional(
      v.pipe(
        v.array(
          v.strictObject({
            severity,
            ...place,
            message: v.pipe(line, v.description('what is wrong'), v.examples(['An empty name is not handled.'])),
            suggestion: suggestion('Return early when the name is empty.'),
          }),
        ),
        v.maxLength(MAX_ITEMS),
        v.description('What is wrong with the change, the worst first.'),
      ),
      [],
    ),
    earlier,
    suggestions: lines('What would be better, but need not be done now.'),
    security_concerns: lines('What could be abused.'),
    confidence: v.optional(
      v.pipe(
        v.number(),
        v.minValue(0),
        v.maxValue(1),
        v.description('How sure you are, from 0 to 1.'),
        v.examples([0.8]),
      ),
    ),
    ...common,
  }),
  v.check(
    (answer) => answer.review_status === undefined || answer.review_status === answer.status,
    'review_status contradicts status',
  ),
);

const testAnswer = v.strictObject({
  status: workStatus,
  tests_written: paths('Test files that are new or longer; compared with what really changed.', [
    'test/greet.e2e.test.ts',
  ]),
  test_types: lines('Such as unit, integration, contract, e2e.', ['integration']),
  files_created: paths('All new files, tests and what they need.', ['test/greet.e2e.test.ts']),
  files_modified: paths('Files that were there before.'),
  coverage: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0),
      v.maxValue(100),
      v.description('Per cent of lines, if you measured it.'),
      v.examples([84]),
    ),
  ),
  bugs_found: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          ...place,
          message: v.pipe(line, v.description('what is wrong'), v.examples(['greet(null) throws.'])),
        }),
      ),
      v.maxLength(MAX_ITEMS),
      v.description('What the tests show to be wrong in the code.'),
    ),
    [],
  ),
  blockers,
  ...common,
});

const securityAnswer = v.pipe(
  v.strictObject({
    status: v.pipe(
      reviewStatus,
      v.description(
        'CHANGES_REQUESTED if it can be fixed; REJECTED forbids the change, whatever other reviewers say of it.',
      ),
      v.examples(['CHANGES_REQUESTED']),
    ),
    findings: v.optional(
      v.pipe(
        v.array(
          v.strictObject({
            severity,
            category: v.optional(v.pipe(line, v.description('such as injection'), v.examples(['injection']))),
            cwe: v.optional(
              v.pipe(
                v.string(),
                v.regex(/^CWE-\d{1,5}$/, 'is not of the form CWE-89'),
                v.description('its number, if it has one'),
                v.examples(['CWE-89']),
              ),
            ),
            ...place,
            message: v.pipe(
              line,
              v.description('what an attacker could do, and how'),
              v.examples(['The name goes into the query unescaped.']),
            ),
            suggestion: suggestion('Bind it as a parameter.'),
          }),
        ),
        v.maxLength(MAX_ITEMS),
        v.description('What could be abused, the worst first.'),
      ),
      [],
    ),
    earlier,
    ...common,
  }),
  v.check(
    ({ status, findings }) => status !== 'APPROVED' || findings.every((finding) => finding.severity !== 'critical'),
    'status APPROVED contradicts a critical finding',
  ),
);

const genericAnswer = v.looseObject({
  status: v.pipe(
    line,
    v.description('SUCCESS, PARTIAL, FAILED or BLOCKED (a person has to decide or act first).'),
    v.examples(['SUCCESS']),
  ),
  ...common,
});

export const ANSWERS = {
  brainstorm: brainstormAnswer,
  document: documentAnswer,
  plan: planAnswer,
  implementation: implementationAnswer,
  review: reviewAnswer,
  test: testAnswer,
  security: securityAnswer,
  generic: genericAnswer,
} as const;
export type AnswerKind = keyof typeof ANSWERS;
export type Answer<K extends AnswerKind = AnswerKind> = v.InferOutput<(typeof ANSWERS)[K]>;
