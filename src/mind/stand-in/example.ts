/** The plainest value that a JSON Schema allows. */
import type { JsonSchema } from './model-request.ts';

export function exampleOf(schema: JsonSchema, depth = 0): unknown {
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined && depth < MAX_DEPTH) return exampleOf(first, depth + 1);
  const [type] = [schema.type ?? 'string'].flat();
  switch (type?.toLowerCase()) {
    case 'object': {
      const names = depth < MAX_DEPTH ? (schema.required ?? Object.keys(schema.properties ?? {})) : [];
      return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, depth + 1)]));
    }
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'stand-in';
  }
}

const MAX_DEPTH = 10;
