/**
 * Parses what a program asks the proxy for into a name and port that every later reader understands the same. Anything
 * ambiguous is refused, not repaired: filters were bypassed wherever they and the dialler parsed differently.
 */
export type ProxyTarget = { readonly host: string; readonly port: number };
type Parsed<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string };

const MAX_NAME = 253;

/** `host:port`; `port` is the default, null if one is required. */
export function parseAuthority(text: string, port: number | null): Parsed<ProxyTarget> {
  const odd = oddity(text);
  if (odd !== null) return refused(odd);
  const [, host = '', said] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const problem = nameProblem(host);
  if (problem !== null) return refused(problem);
  if (said === undefined && port === null) return refused('no port is named');
  const number = said === undefined ? port : portOf(said);
  if (number === null) return refused('the port is not a number from 1 to 65535');
  return { ok: true, host: host.toLowerCase(), port: number };
}

/** `http://host[:port]/path?query`, as sent to a proxy. The path stays unchanged. */
export function parseAbsolute(text: string): Parsed<ProxyTarget & { readonly path: string }> {
  if (/^https:/i.test(text)) return refused('an https URL needs CONNECT');
  const [, authority, path = '/'] = /^http:\/\/([^/?#\\]*)([/?][^#]*)?$/is.exec(text) ?? [];
  if (authority === undefined) return refused('the address is not an http URL');
  const target = parseAuthority(authority, 80);
  if (!target.ok) return target;
  return { ...target, path: path.startsWith('?') ? `/${path}` : path };
}

/** The path of a request over the route, to be appended to its upstream's base; it must not climb out of that. */
export function parseOrigin(text: string): Parsed<{ readonly path: string }> {
  if (!text.startsWith('/')) return refused('the address is neither a path nor an http URL');
  if (/[#\\]/.test(text)) return refused('the path holds a character that servers read differently');
  const [path = ''] = text.split('?');
  const climbs = path.split(/\/|%2f|%5c/i).some((part) => /^(?:\.|%2e){1,2}(?:;.*)?$/i.test(part));
  return climbs ? refused('the path holds a dot segment') : { ok: true, path: text };
}

function oddity(text: string): string | null {
  if (text.includes('\0')) return 'the name holds a zero byte';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return 'the name holds a control character';
  if (/\s/.test(text)) return 'the name holds a blank';
  if (/[^\u0020-\u007e]/.test(text)) return 'the name is not plain ASCII: write it as xn--';
  if (text.includes('@')) return 'a user name before the host is not allowed';
  if (text.includes('%')) return 'the name holds a percent sign';
  if (/[[\]]/.test(text) || text.split(':').length > 2) return IP_LITERAL;
  return null;
}

function nameProblem(host: string): string | null {
  if (host === '') return 'no host is named';
  if (host.length > MAX_NAME) return 'the name is too long';
  if (host.endsWith('.')) return 'the name ends with a dot';
  const labels = host.split('.');
  // As browsers decide: whatever ends in a number is an address, in one of its many spellings.
  if (/^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '')) return IP_LITERAL;
  const plain = labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
  return plain ? null : 'that is not the name of a host';
}

const IP_LITERAL = 'an address instead of a name';

const portOf = (text: string): number | null =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;

const refused = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });
