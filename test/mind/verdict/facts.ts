/** Facts that tests of the verdict speak of: gates that pass, reviews that approve, unless they say otherwise. */
import type { AnswerFacts, Findings } from '../../../src/mind/domain/values.ts';
import { type GateFact, THRESHOLDS, type VerdictFacts } from '../../../src/mind/verdict/verdict.ts';
import type { ReviewFact } from '../../../src/mind/verdict/weigh.ts';

export const NONE: Findings = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

/** The gates of section 2.3, with its weights. */
const SEED = { syntax: 0.15, tests: 0.3, security: 0.25, coverage: 0.1 } as const;
export function gate(name: keyof typeof SEED, over: Partial<GateFact> = {}): GateFact {
  const usual = { status: 'pass', score: 1, findings: null, proven: 'on' } as const;
  return { name, kind: name, weight: SEED[name], blocking: name !== 'coverage', ...usual, ...over };
}

export const said = (
  status: AnswerFacts['status'],
  confidence: number | null = null,
  over: Partial<AnswerFacts> = {},
): AnswerFacts => ({
  ...{ status, confidence, findings: null, vetoes: null, dismissed: null },
  ...over,
});
export function review(
  cli: string,
  says: AnswerFacts | null = said('APPROVED', 1),
  over: Partial<ReviewFact> = {},
): ReviewFact {
  return { by: `by-${cli}`, cli, role: 'reviewer', said: says, change_id: 'change-1', ...over };
}

export type Context = VerdictFacts['context'];
export const context = (over: Partial<Context> = {}): Context => ({
  ...{ change_id: 'change-1', rejections: 0, maxRetries: 3, minApprovals: null, consensusAvailable: false },
  ...{ thresholds: THRESHOLDS, degraded: false, redBase: false },
  ...over,
});

type Partly = Partial<Omit<VerdictFacts, 'context'>> & { readonly context?: Partial<Context> };
export const facts = ({ gates = [], reviews = [], dismissed = [], context: over = {} }: Partly): VerdictFacts => ({
  gates,
  reviews,
  dismissed,
  context: context(over),
});
