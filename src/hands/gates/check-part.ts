/** The result of one check of a gate, or of one built-in check. */

import type { BlockingFinding } from '../../mind/domain/values.ts';
import type { GateFacts } from '../../mind/gates/evidence.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import type { CheckResult } from '../../mind/gates/outcome.ts';
import type { CheckContext } from './runs.ts';

/** A gate on one candidate, before it is split into its checks. */
export type GateOn = Omit<CheckContext, 'check' | 'paths'> & { readonly gate: GateConfig };

export type CheckPart = CheckResult &
  Omit<GateFacts, 'gate' | 'status' | 'tree' | 'base' | 'environment'> & {
    /** The findings that failed it, if nothing else did. */
    readonly blockedBy?: readonly BlockingFinding[];
  };

export const NO_FINDINGS = { critical: 0, high: 0, medium: 0, low: 0, info: 0 } as const;

/** A part that measured nothing. */
export const NOT_RUN = {
  command: null,
  ms: null,
  cached: null,
  notes: [],
  red: [],
  output: '',
  score: null,
  tests: null,
  findings: null,
  flaky: null,
} as const;
