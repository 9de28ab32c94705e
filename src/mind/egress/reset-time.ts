/** When a server that refused for now wants to be asked again, in all formats in use. */

/** A later time is a mistake, or too long to wait. */
const LATEST_MS = 32 * 24 * 3_600_000;

/** Milliseconds since 1970, or null; `headers` by lower-case name. */
export function resetTime(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number,
): number | null {
  const value = (name: string): string | null => {
    const found = headers[name];
    return typeof found === 'string' ? found.trim() : (found?.[0]?.trim() ?? null);
  };
  const sane = (at: number | null): number | null =>
    at !== null && Number.isFinite(at) && at >= now - 60_000 && at <= now + LATEST_MS ? Math.round(at) : null;
  const told = [
    numberOf(value('retry-after-ms'), (ms) => now + ms),
    moment(value('retry-after'), now),
    latest(headers, value, now),
    moment(value('x-ratelimit-reset'), now),
  ];
  return told.map(sane).find((at) => at !== null) ?? null;
}

/** Several windows may run in parallel. Used-up ones say so; the one that opens last counts. */
function latest(
  headers: Readonly<Record<string, unknown>>,
  value: (name: string) => string | null,
  now: number,
): number | null {
  const windows = Object.keys(headers).flatMap((name) => {
    const [, window] = /^anthropic-ratelimit-(.+)-reset$/.exec(name) ?? [];
    if (window !== undefined)
      return [{ at: moment(value(name), now), left: value(`anthropic-ratelimit-${window}-remaining`) }];
    const [, kind] = /^x-ratelimit-reset-(.+)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ at: moment(value(name), now), left: value(`x-ratelimit-remaining-${kind}`) }];
  });
  const used = windows.filter(({ left }) => left !== null && Number(left) <= 0);
  const times = (used.length > 0 ? used : windows).flatMap(({ at }) => at ?? []);
  if (times.length === 0) return null;
  return used.length > 0 ? Math.max(...times) : Math.min(...times);
}

/** Seconds from now, seconds or milliseconds since 1970, a duration such as `6m0s` or `20ms`, or a date. */
function moment(text: string | null, now: number): number | null {
  if (text === null || text === '' || text.length > 64) return null;
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number > 1e11) return number;
    return number > 1e9 ? number * 1000 : now + number * 1000;
  }
  const length = lengthOf(text);
  if (length !== null) return now + length;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function lengthOf(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? 's'] ?? 0),
    0,
  );
}

const numberOf = (text: string | null, make: (value: number) => number): number | null =>
  text !== null && /^\d+(?:\.\d+)?$/.test(text) ? make(Number(text)) : null;
