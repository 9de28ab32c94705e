/** Which headers pass a proxy. Uses Node's flat list of names and values, so that order and repeats are kept. */

/** These headers are about one connection, not about the request. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

export function passedOn(raw: readonly string[], drop: readonly string[] = []): string[] {
  const gone = new Set([...HOP_BY_HOP, ...named(raw, 'connection'), ...drop.map((name) => name.toLowerCase())]);
  // A program must not name a header that gives its own body's length.
  for (const name of ['content-length', 'host']) if (!drop.includes(name)) gone.delete(name);
  return raw.flatMap((name, index) =>
    index % 2 === 1 || gone.has(name.toLowerCase()) ? [] : [name, raw[index + 1] ?? ''],
  );
}

/** The items of a header that is a list. */
function named(raw: readonly string[], header: string): string[] {
  return raw
    .flatMap((name, index) => (index % 2 === 0 && name.toLowerCase() === header ? [raw[index + 1] ?? ''] : []))
    .flatMap((value) => value.split(','))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
}

export const valuesOf = (raw: readonly string[], header: string): string[] =>
  raw.flatMap((name, index) => (index % 2 === 0 && name.toLowerCase() === header ? [raw[index + 1] ?? ''] : []));

/** These headers would make a request other than it looks, or split its answer so that a key is cut. */
export const OVERRIDES = [
  ...['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
  ...['range', 'if-range'],
];

/** A key could hide in an encoded answer, and none was requested. */
export function answerProblem(raw: readonly string[]): string | null {
  const codings = [...named(raw, 'content-encoding'), ...named(raw, 'transfer-encoding')];
  const odd = codings.find((coding) => coding !== 'identity' && coding !== 'chunked');
  return odd === undefined ? null : `the answer is coded (${odd}) although the request did not ask for that`;
}

const MAX_HEADERS = 200;
/** TRACE returns what it was sent, and over the route that is the key. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What two servers might parse differently; the parser before this has refused the rest. */
export function headProblem(method: string, raw: readonly string[]): string | null {
  if (!METHODS.includes(method)) return `the method ${method} is not taken`;
  if (raw.length / 2 > MAX_HEADERS) return 'the request has too many headers';
  if (valuesOf(raw, 'host').length > 1) return 'the request has two hosts';
  if (valuesOf(raw, 'content-length').length > 1) return 'the request has two lengths';
  const coded = valuesOf(raw, 'transfer-encoding');
  if (coded.length > 0 && valuesOf(raw, 'content-length').length > 0) return 'the request has a length and is chunked';
  if (coded.some((value) => value.trim().toLowerCase() !== 'chunked') || coded.length > 1)
    return 'the request uses an encoding that is not supported';
  if (valuesOf(raw, 'upgrade').length > 0) return 'another protocol (WebSocket) is not supported';
  return null;
}
