/** Attempts that were sent back: the parts of a worker's order, and of a packet. */
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import type { FeedbackFacts } from '../../src/mind/feedback/document.ts';

export const NOTHING_SENT_BACK: Pick<WorkerRun, 'reviews' | 'gates' | 'sentBack'> = {
  reviews: [],
  gates: [],
  sentBack: { task: 't-1' as never, step: 'build' as never, trace: 'trace-1', change: null, count: 0, until: 0 },
};

export const sentBack = (reason: string | null, over: Partial<FeedbackFacts> = {}): FeedbackFacts => ({
  ...{ task: 't-1', step: 'build', trace: 'trace-1', change: 'c'.repeat(64), reason, repeated: false },
  ...{ gates: [], answers: [], starts_from: 'line' },
  attempt: { number: 2, sent_back: 1, of: 3 },
  time: { task_ms: 23 * 3_600_000, attempt_ms: 30 * 60_000 },
  scope: { only: [], frozen: [], except: [] },
  ...over,
});
