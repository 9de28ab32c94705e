/** A spent quota in words. */
type Parking = { readonly until: number; readonly told: boolean };

export const quotaText = (cli: string, { until, told }: Parking, now: number): string =>
  `${cli}'s quota until ${timeText(until, now)}${told ? '' : ', when it is tried again'}`;

/** `14:05:09 UTC`, for what is only seconds or minutes away. */
export const clockText = (time: number): string => `${new Date(time).toISOString().slice(11, 19)} UTC`;

/** `14:05 UTC`, with the date when it is not today's: UTC, because the mind does not know where the reader is. */
function timeText(time: number, now: number): string {
  const text = new Date(time)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, ' UTC')
    .replace('T', ' ');
  const day = new Date(now).toISOString().slice(0, 10);
  return text.startsWith(`${day} `) ? text.slice(day.length + 1) : text;
}
