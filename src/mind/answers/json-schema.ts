/** The answers' declarations as JSON Schema, for CLIs that hold a model to one. The answer is checked by us all the same. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { ANSWERS, type AnswerKind } from './schemas.ts';

const made = new Map<AnswerKind, Readonly<Record<string, unknown>>>();

export function answerSchema(kind: AnswerKind): Readonly<Record<string, unknown>> {
  const known = made.get(kind);
  if (known !== undefined) return known;
  // What a schema can not say, such as that two fields agree, is left to the check.
  const { $schema: _, ...schema } = toJsonSchema(ANSWERS[kind], {
    errorMode: 'ignore',
    typeMode: 'input',
    // For the packet; vendors that hold a model to a schema refuse words they do not know.
    ignoreActions: ['examples'],
  });
  made.set(kind, schema);
  return schema;
}
