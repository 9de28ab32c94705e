/** The values that a template sees, and how they become text. */
import { nearest } from '../../kernel/nearest.ts';
import { ForeignText, printedSeal, Quoted, sealed } from './foreign-text.ts';

/** Only data; foreign text can be printed and changed, but not inspected. */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | ForeignText
  | Quoted
  | readonly TemplateValue[]
  | Variables;
export type Variables = { readonly [name: string]: TemplateValue };

/** Copies without prototypes: what was not given does not exist. */
export function forTemplate(value: TemplateValue, seed: string): unknown {
  if (value instanceof ForeignText || value instanceof Quoted) return sealed(value, seed);
  if (isList(value)) return value.map((item) => forTemplate(item, seed));
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? null : value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) copy[name] = forTemplate(field, seed);
  return copy;
}

export function written(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  const quoted = printedSeal(value);
  if (quoted !== null) return quoted;
  if (Array.isArray(value)) throw new Error('a list is not text: use bullets or join, or go through it with for');
  if (typeof value === 'object' && Reflect.get(value, 'toString') === undefined)
    throw new Error('a value with fields is not text: name one of its fields');
  return String(value);
}

/** The problem of a variable's path, such as `role.nme`; null if `shape` has it. */
export function unknownPath(segments: readonly unknown[], shape: Variables): string | null {
  let at: TemplateValue | undefined = shape;
  for (const [index, segment] of segments.entries()) {
    if (typeof segment !== 'string' || !isRecord(at)) return null;
    const names: string[] = Object.keys(at);
    // An empty value here, such as a role's own settings, may have any key.
    if (names.length === 0 || segment === 'size') return null;
    if (!names.includes(segment)) {
      const before = segments.slice(0, index);
      const meant = nearest(segment, names);
      const hint = meant === null ? `there are: ${names.join(', ')}` : `did you mean ${[...before, meant].join('.')}?`;
      return `there is no variable ${[...before, segment].join('.')}; ${hint}`;
    }
    at = at[segment];
  }
  return null;
}

const isList = (value: TemplateValue): value is readonly TemplateValue[] => Array.isArray(value);
const isRecord = (value: TemplateValue | undefined): value is Variables =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  !(value instanceof ForeignText || value instanceof Quoted);
