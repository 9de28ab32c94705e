/** When a limit ends, from messages of CLIs and vendors. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Limits last a month at most; more is a misreading. */
const FARTHEST = 40 * DAY;

/** Milliseconds since 1970, always after `now`; null if the text does not say. Times without a zone are UTC. */
export function resetAtFrom(text: string, now: number): number | null {
  const words = text.slice(0, 4_000).replaceAll(/\s+/g, ' ');
  for (const read of [moment, span, date, clock]) {
    const found = read(words, now);
    if (found !== null && Number.isFinite(found) && found > now && found <= now + FARTHEST) return Math.ceil(found);
  }
  return null;
}

/** `limit reached|1763200000`, `"resets_at": 1763200000`, `resets at 2026-11-15T12:00:00Z`. */
function moment(words: string): number | null {
  const iso =
    /\b(?:resets?|until|again|after|at)\b.{0,20}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d\d:?\d\d)?/i.exec(
      words,
    );
  if (iso?.[1] !== undefined) {
    const zone = iso[2] === undefined || /^(z|utc)$/i.test(iso[2]) ? 'Z' : iso[2].replace(/^(...)(\d\d)$/, '$1:$2');
    return Date.parse(`${iso[1].replace(' ', 'T')}${zone}`);
  }
  const epoch = /(?:\||resets?[_ ]?at["']?[:=]?\s*)(\d{10}|\d{13})\b/i.exec(words)?.[1];
  return epoch === undefined ? null : Number(epoch) * (epoch.length === 10 ? 1000 : 1);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };
const UNIT = '(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])';
const AMOUNTS = new RegExp(`(\\d{1,6}(?:\\.\\d{1,9})?) ?${UNIT}`, 'gi');
const SPAN = new RegExp(
  `(?:again|retry|resets?|wait|retryDelay)["']?[:=]? ?(?:in|after|for)? ?["']?((?:\\d{1,6}(?:\\.\\d{1,9})? ?${UNIT}[, ]{0,2}(?:and )?){1,5})`,
  'i',
);

/**
 * `try again in 3 days 4 hours`, `retry in 12.5s`, `"retryDelay": "34s"`, `reset after 18h31m10s`,
 * `"resets_in_seconds": 90`.
 */
function span(words: string, now: number): number | null {
  const seconds = /(?:resets?_in_seconds|retry[-_]after)["']?[:=]?\s*"?(\d{1,9}(?:\.\d+)?)\b(?!\s*[a-z])/i.exec(
    words,
  )?.[1];
  if (seconds !== undefined) return now + Number(seconds) * 1000;
  const found = SPAN.exec(words)?.[1];
  if (found === undefined) return null;
  let total = 0;
  for (const [, number = '', unit = ''] of found.matchAll(AMOUNTS)) {
    const name = unit.toLowerCase();
    total += Number(number) * (UNITS[/^(ms|milli)/.test(name) ? 'ms' : name.slice(0, 1)] ?? 0);
  }
  return total > 0 ? now + total : null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = '(\\d{1,2})(?::(\\d\\d))? ?(am|pm)?';
const ZONE = '(?: ?\\(?(UTC|GMT|[A-Z][A-Za-z_]{1,20}/[A-Za-z_/]{2,30})\\)?)?';

const ON_DAY = new RegExp(
  `(?:resets?|again) ?(?:at|on)? ?(${MONTHS.join('|')})[a-z]{0,6}\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?:,? ?(?:at )?${TIME}${ZONE})?`,
  'i',
);
const AT_TIME = new RegExp(`(?:resets?|again) ?(?:at)? ${TIME}${ZONE}`, 'i');

/** `resets Nov 20, 5pm (Europe/Berlin)`, `try again at Nov 20th, 2026 3:45 PM`. */
function date(words: string, now: number): number | null {
  const found = ON_DAY.exec(words);
  if (found === null) return null;
  const [, month = '', day = '', year, hour, minute, half, zone] = found;
  const time = hour === undefined ? 0 : minutesOf(hour, minute, half);
  if (time === null) return null;
  const index = MONTHS.indexOf(month.toLowerCase());
  const inYear = (of: number) => zoned(Date.UTC(of, index, Number(day)) + time * MINUTE, zone);
  if (year !== undefined) return inYear(Number(year));
  const thisYear = new Date(now).getUTCFullYear();
  const soon = inYear(thisYear);
  return soon === null || soon > now ? soon : inYear(thisYear + 1);
}

/** `resets 3pm (UTC)`, `resets at 15:30`, `try again at 3:45 PM`: the next such time. */
function clock(words: string, now: number): number | null {
  const found = AT_TIME.exec(words);
  const [, hour, minute, half, zone] = found ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return null;
  const time = minutesOf(hour, minute, half);
  if (time === null) return null;
  const yesterday = Math.floor(now / DAY) * DAY - DAY + time * MINUTE;
  for (let days = 0; days < 4; days += 1) {
    const one = zoned(yesterday + days * DAY, zone);
    if (one !== null && one > now) return one;
  }
  return null;
}

function minutesOf(hour: string, minute: string | undefined, half: string | undefined): number | null {
  const hours = Number(hour);
  const minutes = Number(minute ?? 0);
  if (hours > 24 || minutes > 59 || (half !== undefined && (hours < 1 || hours > 12))) return null;
  if (half === undefined) return hours * 60 + minutes;
  return ((hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)) * 60 + minutes;
}

/** The UTC time at which a clock in `zone` shows this. An unknown zone gives an unknown time. */
function zoned(wall: number, zone: string | undefined): number | null {
  if (zone === undefined || /^(utc|gmt)$/i.test(zone)) return wall;
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const [, day, month, year, time] = /(\d+)\/(\d+)\/(\d+),? ([\d:]+)/.exec(format.format(wall)) ?? [];
    const shown = Date.parse(`${year}-${month}-${day}T${time}Z`);
    return wall - (shown - wall);
  } catch {
    return null;
  }
}
