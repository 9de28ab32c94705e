/** A verdict as one line for people. */
type VerdictView = {
  /** Null if the task goes on. */
  readonly decision: string | null;
  readonly score: number | null;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
};

export function verdictText({ decision, score, reasons, notes }: VerdictView): string {
  const why = [...reasons, ...notes].map((code) => code.replaceAll('_', ' '));
  const parts = [...(decision === null ? [] : [decision]), scoreText(score)];
  return `${parts.join(', ')}${why.length === 0 ? '' : ` (${why.join(', ')})`}`;
}

/** Never rounded up: 0.699 is not 0.70, which would pass. */
const scoreText = (score: number | null): string =>
  score === null ? 'score unknown' : `score ${(Math.floor(score * 100 + 1e-6) / 100).toFixed(2)}`;
