/**
 * The only place for upcasts: a stored event of an older version is converted to the current one, one version at a
 * time.
 */
import { streamId } from '../stream-name.ts';
import { NOT_MEASURED } from '../values.ts';
import { type DomainEvent, knownType } from './index.ts';

type Stored = { readonly type: string; readonly stream: string; readonly data: unknown };
type Upcast = (
  data: Readonly<Record<string, unknown>>,
  stored: Stored,
) => { readonly type: string; readonly data: unknown };

/** By stored name. Each converts to the next version; none is ever removed. */
const UPCASTS: Readonly<Record<string, Upcast>> = {
  // 0.1.0 had no rounds, and did not record what an attempt looks at.
  'attempt.started.1': (data) => ({ type: 'attempt.started.2', data: { ...data, round: 1, on: null } }),
  // Events did not hold what an answer said, only whether it was good enough.
  'attempt.produced.1': (data) => ({ type: 'attempt.produced.2', data: { record: null, ...data, said: null } }),
  'attempt.settled.1': (data) => ({ type: 'attempt.settled.2', data: { record: null, ...data, said: null } }),
  'gate.reported.1': (data) => ({
    type: 'gate.reported.2',
    data: { excused: 0, cached: false, ...data, ...NOT_MEASURED },
  }),
  // A task ran at most one effect of each kind at a time.
  'effect.started.1': (data, { stream }) => ({
    type: 'effect.started.2',
    data: { key: oldKey(data, stream), ...data },
  }),
  'effect.settled.1': (data, { stream }) => ({
    type: 'effect.settled.2',
    data: { key: oldKey(data, stream), ...data },
  }),
};

const oldKey = ({ kind, token }: Readonly<Record<string, unknown>>, stream: string): string =>
  `${streamId(stream)}/-/${token}/${kind}`;

/** Returns null for a type that this version does not know: a newer one wrote it. */
export function currentForm(stored: Stored): DomainEvent | null {
  const upcast = Object.hasOwn(UPCASTS, stored.type) ? UPCASTS[stored.type] : undefined;
  if (upcast !== undefined)
    return currentForm({ ...upcast(stored.data as Readonly<Record<string, unknown>>, stored), stream: stored.stream });
  const type = knownType(stored.type);
  return type === null ? null : ({ type, data: stored.data } as DomainEvent);
}
