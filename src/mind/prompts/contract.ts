/** Instructions for a worker's answer, made from the declaration that parses it: there is no second list of fields. */
import * as v from 'valibot';
import { ANSWERS, type AnswerKind } from '../answers/schemas.ts';

type Contract = {
  /** One line for each field, with nested fields below it. */
  readonly fields: string;
  /** A valid answer, as JSON. */
  readonly example: string;
  /** Whether other fields are allowed. */
  readonly open: boolean;
  /** Whether it can say that a person has to act first. */
  readonly can_block: boolean;
};

const made = new Map<AnswerKind, Contract>();

export function contractOf(kind: AnswerKind): Contract {
  const known = made.get(kind);
  if (known !== undefined) return known;
  const schema: Schema = ANSWERS[kind];
  const fields = fieldLines(schema, '').join('\n');
  const contract = {
    fields,
    can_block: fields.includes('BLOCKED'),
    example: jsonText(exampleOf(schema), ''),
    open: schema.type === 'loose_object',
  };
  made.set(kind, contract);
  return contract;
}

/** As much of valibot's declarations as answers use. */
type Schema = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly wrapped?: Schema;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
};

function fieldLines(schema: Schema, indent: string): string[] {
  return shownFields(schema).flatMap(([name, field]) => {
    const inner = unwrapped(field);
    const type = `${typeText(inner)}${mayBeNull(field) ? ' or null' : ''}${field.type === 'optional' ? '' : ', required'}`;
    const about = v.getDescription(inner);
    const below = inner.type === 'array' ? inner.item : inner;
    return [
      `${indent}- \`${name}\` (${type})${about === undefined ? '' : `: ${about}`}`,
      ...(below === undefined ? [] : fieldLines(below, `${indent}  `)),
    ];
  });
}

/** Optional fields without a description are accepted from models that send them anyway, but not requested. */
const shownFields = ({ entries = {} }: Schema): [string, Schema][] =>
  Object.entries(entries).filter(
    ([, field]) => field.type !== 'optional' || v.getDescription(unwrapped(field)) !== undefined,
  );

const unwrapped = (schema: Schema): Schema =>
  (schema.type === 'optional' || schema.type === 'nullable') && schema.wrapped !== undefined
    ? unwrapped(schema.wrapped)
    : schema;

const mayBeNull = (schema: Schema): boolean =>
  schema.type === 'nullable' || (schema.type === 'optional' && schema.wrapped?.type === 'nullable');

function typeText(schema: Schema): string {
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'picklist':
      return (schema.options ?? []).join(' | ');
    case 'array':
      return schema.item === undefined ? 'list' : `list of ${PLURAL[typeText(schema.item)] ?? 'objects'}`;
    default:
      return 'object';
  }
}

const PLURAL: Readonly<Record<string, string>> = { text: 'texts', number: 'numbers' };

/** The field's own example, or its default, or the plainest value of its type. */
function exampleOf(schema: Schema): unknown {
  const inner = unwrapped(schema);
  const [example] = v.getExamples(inner) as readonly unknown[];
  if (example !== undefined) return example;
  if (inner.type === 'array' && inner.item?.entries !== undefined && shownFields(inner.item).length > 0)
    return [exampleOf(inner.item)];
  if (schema.type === 'optional' && schema.default !== undefined) return schema.default;
  if (inner.entries !== undefined)
    return Object.fromEntries(shownFields(inner).map(([name, field]) => [name, exampleOf(field)]));
  if (inner.type === 'picklist') return inner.options?.[0];
  if (inner.type === 'array') return [];
  return inner.type === 'number' ? 1 : '';
}

/** Like `JSON.stringify`, but a list of plain values stays on one line. */
function jsonText(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return value.some((item) => item !== null && typeof item === 'object')
      ? `[\n${value.map((item) => `${inner}${jsonText(item, inner)}`).join(',\n')}\n${indent}]`
      : `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${jsonText(one, inner)}`);
  return `{\n${fields.join(',\n')}\n${indent}}`;
}
