/**
 * Whether a JSON Schema is of the strict kind that OpenAI's structured output takes: every object closed, every property
 * required. Another is answered with an error, so it is better not sent; the packet says the shape as well.
 */
export function isStrict(schema: unknown, depth = 0): boolean {
  if (schema === null || typeof schema !== 'object') return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(schema)) return schema.every((one) => isStrict(one, depth + 1));
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (type === 'object') {
    if (additionalProperties !== false || properties === null || typeof properties !== 'object') return false;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every((one) => isStrict(one, depth + 1));
}

const MAX_DEPTH = 50;
