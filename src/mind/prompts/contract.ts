/** What a worker is told about its answer: the fields that the schemas demand, with an example that they accept. */
import type { AnswerKind } from '../answers/schemas.ts';

type Contract = { readonly example: Readonly<Record<string, unknown>>; readonly meaning: readonly string[] };

export const CONTRACTS: Readonly<Record<AnswerKind, Contract>> = {
  implementation: {
    example: {
      status: 'SUCCESS',
      action_taken: 'Added the function and its test.',
      files_created: ['src/new.ts'],
      files_modified: ['src/old.ts'],
      tests_written: ['test/new.test.ts'],
      blockers: [],
      next_step: null,
      notes: '',
    },
    meaning: [
      'status: SUCCESS (all is done), PARTIAL or FAILED (say why in action_taken), BLOCKED (a person has to act; say what in blockers).',
      'The lists of files are compared with what really changed.',
    ],
  },
  review: {
    example: {
      status: 'CHANGES_REQUESTED',
      issues: [{ severity: 'high', file: 'src/a.ts', line: 12, message: 'What is wrong.', suggestion: 'What to do.' }],
      suggestions: [],
      security_concerns: [],
      confidence: 0.8,
      next_step: null,
      notes: '',
    },
    meaning: [
      'status: APPROVED, CHANGES_REQUESTED or REJECTED.',
      'severity: critical, high, medium, low or info. file, line and suggestion may be left out.',
    ],
  },
  plan: {
    example: {
      status: 'COMPLETE',
      phases: [{ name: 'One', components: [] }],
      dependencies: [],
      estimated_components: 1,
      risks: [],
      next_step: null,
      notes: '',
    },
    meaning: ['status: COMPLETE, NEEDS_REFINEMENT or BLOCKED (say why in notes).'],
  },
  generic: {
    example: { status: 'SUCCESS', notes: 'What you found.' },
    meaning: ['status: SUCCESS, PARTIAL, FAILED or BLOCKED. You may add other fields.'],
  },
};

export function contractText(kind: AnswerKind): string {
  const { example, meaning } = CONTRACTS[kind];
  return [
    'End what you print on standard output with exactly one fenced block like this one, complete and strict JSON',
    '(no other fields, no comments, nothing twice). Only the last block counts, and nothing on standard error does.',
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
    ...meaning,
  ].join('\n');
}
