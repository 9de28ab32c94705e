/** The answers' declarations as JSON Schema, for CLIs that hold a model to one. We check the answer in any case. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { ANSWERS, type AnswerKind } from './schemas.ts';

const made = new Map<AnswerKind, Readonly<Record<string, unknown>>>();

export function answerSchema(kind: AnswerKind): Readonly<Record<string, unknown>> {
  const known = made.get(kind);
  if (known !== undefined) return known;
  // The check covers what a schema cannot express, such as that two fields agree.
  const { $schema: _, ...schema } = toJsonSchema(ANSWERS[kind], {
    errorMode: 'ignore',
    typeMode: 'input',
    // For the packet; vendors that hold a model to a schema refuse unknown keywords.
    ignoreActions: ['examples'],
  });
  made.set(kind, schema);
  return schema;
}
