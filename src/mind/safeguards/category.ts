/** The category of an error: one word on every attempt that did not succeed. It decides nothing. */
import type { ErrorCategory, OutcomeClass } from '../domain/values.ts';

/** Covers all classes; a class without a row does not compile. */
const BY_CLASS: Readonly<Record<Exclude<OutcomeClass, 'ok'>, ErrorCategory>> = {
  // The default: an answer that could not be parsed.
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
  // The machine or the operator ended Supervisor.
  lost: 'resource',
  interrupted: 'resource',
  unknown: 'cli',
};

type KnownOfError = {
  /** The category that the hand reports, which saw the error. */
  readonly told?: ErrorCategory | null;
  /** Gates ran, and their verdict is the reason. */
  readonly gates?: boolean;
  /** The status of an HTTP answer, if that caused the end. */
  readonly status?: number | null;
};

/** Returns null only for a success. */
export function categoryOf(outcome: OutcomeClass, known: KnownOfError = {}): ErrorCategory | null {
  if (outcome === 'ok') return null;
  if (known.told != null) return known.told;
  if (known.gates === true) return 'validation';
  // The model server itself failed: whatever the CLI made of that, the fault is not in the CLI.
  if ((outcome === 'crash' || outcome === 'unknown') && (known.status ?? 0) >= 500) return 'network';
  return BY_CLASS[outcome];
}
