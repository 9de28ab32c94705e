/**
 * The calls that are allowed over a route. The operator's key opens more than a model: files, other people's batches,
 * the account itself. So only the calls that a CLI needs go out, each by its method and its path below the route's
 * base.
 */
export type AllowedCall = {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Exact; `*` stands for the name of one model. */
  readonly path: string;
};

/** Paths are compared as written, so anything with a second reading (`%2e`, `//`, `;x`) matches nothing. */
export function callProblem(calls: readonly AllowedCall[], method: string, target: string): string | null {
  const [path = ''] = target.split('?');
  const segments = path.split('/');
  const known = calls.some((call) => call.method === method && fits(call.path.split('/'), segments));
  return known ? null : `${method} ${path} is not a model call`;
}

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length && pattern.every((part, index) => fitsOne(part, segments[index] ?? ''));

function fitsOne(pattern: string, segment: string): boolean {
  if (pattern === '*') return /^[a-z0-9][\w.:@-]*$/i.test(segment);
  if (!pattern.startsWith('*')) return segment === pattern;
  // For example `*:generateContent`: a second colon would be a second verb.
  const verb = pattern.slice(1);
  return segment.endsWith(verb) && /^[a-z0-9][\w.@-]*$/i.test(segment.slice(0, -verb.length));
}

const CREDENTIALS = new Set([
  ...['key', 'api_key', 'api-key', 'apikey', 'x-api-key', 'x-goog-api-key', 'token', 'access_token', 'auth_token'],
  ...['oauth_token', 'bearer_token', 'authorization'],
]);

/** Removes keys from the query: a program inside could bring its own, and with it an account that others read. */
export function withoutCredentials(target: string): string {
  const at = target.indexOf('?');
  if (at < 0) return target;
  const kept = target
    .slice(at + 1)
    .split('&')
    // Some servers end a parameter at a semicolon.
    .filter((one) => !one.split(';').some((part) => CREDENTIALS.has(nameOf(part))));
  return kept.length === 0 ? target.slice(0, at) : `${target.slice(0, at)}?${kept.join('&')}`;
}

function nameOf(parameter: string): string {
  const [name = ''] = parameter.split('=');
  const plain = name
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  // As in `$key` and `key[]`, which some servers read as `key`.
  return plain
    .trim()
    .toLowerCase()
    .replaceAll(/^\$|\[.*$/g, '');
}
