/** The category of an error: one word on every attempt that did not succeed. It decides nothing. */
import type { ErrorCategory, OutcomeClass } from '../domain/values.ts';

/** Total over the classes; a class without a row does not compile. */
const BY_CLASS: Readonly<Record<Exclude<OutcomeClass, 'ok'>, ErrorCategory>> = {
  // Without more knowledge: an answer that could not be read.
  invalid: 'parsing',
  transient: 'network',
  quota: 'resource',
  auth: 'cli',
  missing_cli: 'cli',
  wrong_version: 'cli',
  crash: 'cli',
  timeout: 'resource',
  killed: 'cli',
  output_limit: 'resource',
  resource_limit: 'resource',
  waiting_for_input: 'logic',
  blocked: 'logic',
  // The machine or the operator took Supervisor away.
  lost: 'resource',
  interrupted: 'resource',
  unknown: 'cli',
};

type KnownOfError = {
  /** What the hand says, which saw it. */
  readonly told?: ErrorCategory | null;
  /** Gates were run, and their verdict is the reason. */
  readonly gates?: boolean;
  /** The status of an HTTP answer, if the end hung on one. */
  readonly status?: number | null;
};

/** Null for a success only. */
export function categoryOf(outcome: OutcomeClass, known: KnownOfError = {}): ErrorCategory | null {
  if (outcome === 'ok') return null;
  if (known.told != null) return known.told;
  if (known.gates === true) return 'validation';
  // The server of the model answered with its own failure: whatever the CLI made of it, the fault is not in the CLI.
  if ((outcome === 'crash' || outcome === 'unknown') && (known.status ?? 0) >= 500) return 'network';
  return BY_CLASS[outcome];
}
