/** What must hold of the reviews in a log, however often Supervisor died: none is asked twice about the same change. */
import type { StoredEvent } from '../../src/engine/ports/store.ts';

type Data = Readonly<Record<string, unknown>> & {
  readonly step: string;
  readonly round: number;
  readonly token: number;
  readonly class: string;
  readonly next: { readonly do: string };
  readonly on: { readonly change_id: string } | null;
};

/** Every attempt of an answering step that began after one of the same round had brought its answer. Empty: none. */
export function askedTwice(events: readonly StoredEvent[]): string[] {
  const answered = new Set<string>();
  const rounds = new Map<number, string>();
  const twice: string[] = [];
  for (const { type, data: raw } of events) {
    const data = raw as Data & { readonly kind?: string };
    if (type.startsWith('attempt.started.') && data.kind === 'answer') {
      const key = `${data.step}, round ${data.round}, change ${data.on?.change_id ?? 'none'}`;
      rounds.set(data.token, key);
      if (answered.has(key)) twice.push(key);
    }
    if (type.startsWith('attempt.settled.') && data.next.do === 'complete') answered.add(rounds.get(data.token) ?? '');
  }
  return twice;
}

/** Answers and approvals that counted although the change they looked at had been sent back. Empty: none. */
export function voidedThatCounted(events: readonly StoredEvent[]): string[] {
  const looked = new Map<number, string | null>();
  const counted: string[] = [];
  let current: string | null = null;
  for (const { type, data: raw } of events) {
    const data = raw as Data & {
      readonly decision?: string;
      readonly candidate?: { readonly change_id: string } | null;
    };
    // An analysis looks at the change that was refused, and counts nowhere.
    if (data.step?.includes('-analysis-')) continue;
    if (type.startsWith('attempt.started.')) looked.set(data.token, data.on?.change_id ?? null);
    if (!type.startsWith('attempt.settled.') || data.next.do !== 'complete') {
      if (type.startsWith('step.joined.') && data.decision === 'APPROVE' && (data.on?.change_id ?? null) !== current)
        counted.push(`${data.step} approves ${data.on?.change_id ?? 'nothing'}, and the change is ${current}`);
      continue;
    }
    const on = looked.get(data.token) ?? null;
    if (data.candidate != null) current = data.candidate.change_id;
    else if (on !== current) counted.push(`${data.step} looked at ${on}, and the change is ${current}`);
  }
  return counted;
}
