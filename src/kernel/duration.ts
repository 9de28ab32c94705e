/** Durations as people write them (`90s`, `5m`, `1h30m`) and as programs count them (milliseconds). */
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The longest accepted duration: ten years. The clock splits timers that are longer than Node allows (2^31-1 ms). */
export const MAX_DURATION_MS = 3_650 * 86_400_000;

/** Milliseconds of `text`; null if it is no duration. A bare number means seconds. */
export function parseDuration(text: string | number): number | null {
  if (typeof text === 'number') return bounded(text * 1_000);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text) return null;
  return bounded(parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] ?? ''] ?? Number.NaN), 0));
}

/** A short text for people: `340 ms`, `12.4 s`, `3 m 20 s`, `2 h 5 m`. Truncated, not rounded: there is no `60.0 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} m ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

function bounded(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= MAX_DURATION_MS ? Math.round(ms) : null;
}
