/** A used-up quota in words. */
type QuotaReset = { readonly until: number; readonly told: boolean };

export const quotaText = (cli: string, { until, told }: QuotaReset, now: number): string =>
  `${cli} quota, ${told ? 'resets' : 'next try'} ${timeText(until, now)}`;

/** `14:05:09 UTC`, for times only seconds or minutes away. */
export const clockText = (time: number): string => `${new Date(time).toISOString().slice(11, 19)} UTC`;

/** `14:05 UTC`, with the date if it is not today: UTC, because the mind does not know the reader's time zone. */
function timeText(time: number, now: number): string {
  const text = new Date(time)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, ' UTC')
    .replace('T', ' ');
  const day = new Date(now).toISOString().slice(0, 10);
  return text.startsWith(`${day} `) ? text.slice(day.length + 1) : text;
}
