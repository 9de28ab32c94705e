/** How to declare an event type: one name, one version, the kind of its stream, one schema. */
import type * as v from 'valibot';

export type StreamKind = 'task' | 'board' | 'goal' | 'workflow' | 'proposal' | 'host' | 'line';

type AnySchema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>;

export function event<const T extends string, const S extends StreamKind, Schema extends AnySchema>(
  type: T,
  version: number,
  stream: S,
  schema: Schema,
) {
  return { type, version, stream, schema };
}

/** The event that a declaration describes. */
export type EventOf<D> = D extends { readonly type: infer T; readonly schema: infer S extends AnySchema }
  ? { readonly type: T; readonly data: v.InferOutput<S> }
  : never;
