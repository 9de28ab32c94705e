/** `notify:` of a user's own config: when to notify whom about a task, and how. A project may not set it. */
import * as v from 'valibot';

const MOST = 4_000;
const value = v.pipe(v.string(), v.minLength(1), v.maxLength(MOST));
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Z_][A-Z0-9_]{0,99}$/, 'must be the name of a variable, such as SLACK_URL'),
);
const url = v.pipe(value, v.regex(/^https?:\/\/[^\s]+$/, 'must begin with https:// or http://'));

const common = {
  /** During these hours of the machine's own clock nothing is sent; one message follows afterwards. */
  quiet: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be two times, such as 22:00-07:00'),
    ),
  ),
  /** Only questions to a person, or also how tasks ended. */
  on: v.optional(v.picklist(['all', 'asks']), 'all'),
};

/** The address itself is often the secret, so it may be in a variable. */
const place = {
  url: v.optional(url),
  url_env: v.optional(variable),
  token_env: v.optional(variable),
  /** Allows this host to be in a private network, or on this machine. */
  private: v.optional(v.boolean(), false),
};

const posted = (kind: 'webhook' | 'slack' | 'ntfy') =>
  v.pipe(
    v.strictObject({ kind: v.literal(kind), ...place, ...common }),
    v.check(({ url, url_env }) => (url === undefined) !== (url_env === undefined), 'needs either url or url_env'),
  );

const channel = v.union(
  [
    v.strictObject({ kind: v.literal('desktop'), ...common }),
    v.strictObject({ kind: v.literal('command'), command: v.pipe(v.array(value), v.minLength(1)), ...common }),
    posted('webhook'),
    posted('slack'),
    posted('ntfy'),
  ],
  'must be {kind: desktop}, {kind: command, command: [PROGRAM, …]}, or {kind: webhook, slack or ntfy, url: … or url_env: …}; with quiet: 22:00-07:00 and on: asks if you like',
);

export const notifyConfig = v.pipe(v.array(channel), v.maxLength(10));
export type Channel = v.InferOutput<typeof channel>;
export type PostedChannel = Extract<Channel, { readonly private: boolean }>;

/** Minutes left of the quiet hours at this minute of the day; 0 if there are none. Quiet hours may pass midnight. */
export function quietMinutes(quiet: string | undefined, minute: number): number {
  if (quiet === undefined) return 0;
  const [from = 0, to = 0] = quiet.split('-').map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return hours * 60 + minutes;
  });
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  return isQuiet ? (to - minute + DAY) % DAY : 0;
}

const DAY = 24 * 60;
