/** How an attempt ended, in words. */
import type { OutcomeClass } from '../domain/values.ts';

export const OUTCOME_TEXT: Readonly<Record<OutcomeClass, string>> = {
  ok: 'done',
  invalid: 'sent back',
  transient: 'a transient error',
  quota: 'the quota is used up',
  auth: 'the CLI is not logged in',
  missing_cli: 'the CLI is not installed',
  wrong_version: 'the CLI has a version that does not work here',
  crash: 'the worker crashed',
  timeout: 'the worker took too long',
  killed: 'the worker was killed',
  output_limit: 'the worker printed too much',
  resource_limit: 'the worker hit a resource limit',
  waiting_for_input: 'the worker asks something',
  blocked: 'blocked',
  lost: 'the attempt was lost',
  interrupted: 'the attempt was interrupted',
  unknown: 'how the worker ended is not known',
};
