/** What names say about the values after them. */

/** A value after such a name is a secret if it looks like one at all. */
export const SECRET_NAME = pattern(
  ...['passw', 'passphrase', 'passcode', 'pass[_-]?(?:key|wd)', '[^a-z]pass(?:wd)?[^a-z]', '[^a-z]pwd', 'pwd[^a-z]'],
  ...['keytab', 'secret', 'token', 'credential', '[^a-z]creds?[^a-z]', 'bearer', 'authorization', 'x-?auth'],
  ...['webhooks?[^a-z]', '[^a-z]hooks[./]', 'connection[_-]?string', 'account[_-]?key', 'access[_-]?id'],
  'api[_. -]?(?:key|pass|auth|code|secret|token)',
  '(?:access|admin|app|application|auth|client|consumer|crypt|crypto|deploy|developer|encryption|function|host)[_. -]?key',
  '(?:integration|licen[cs]e|master|merchant|personal|private|project|rest|sdk|secure|server|service|session)[_. -]?key',
  '(?:shared|signing|storage|subscription|user|write)[_. -]?key',
  '[^a-z](?:jwt|sas|pat|otp|psk|hmac|dsn)[^a-z]',
);

/** `SMTP_PW_EU1`; in lower case it is part of too many words. */
export const CAPITAL_PW = /(?:^|_)PW(?:_|$)/;

/** Its value may be a secret: requires a value that is clearly random. */
export const KEY_NAME = pattern(
  ...['key[^a-z]', 'auth(?!ent|or)'],
  '[^a-z](?:api|app|pin|salt|seed|licen[cs]e|session|cookie|sid|login|sig|sign|signature)[^a-z]',
);

/** Every name of the two above contains one of these: a quick test before the exact ones. */
export const TELLING =
  /pass|pw|secret|token|cred|bearer|auth|hook|api|key|conn|access|private|app|jwt|sas|pat|otp|psk|hmac|dsn|pin|salt|seed|licen|session|cookie|sid|login|sig/i;

/** Random-looking but public: checksums, commit ids, public halves of keys, ids. */
export const OPEN_NAME = pattern(
  ...['hash', 'sha-?\\d', '[^a-z]sha[^a-z]', 'md5', 'digest', 'checksum', '[^a-z]sums?[^a-z]', 'integrity'],
  ...['commit', 'revision', '[^a-z](?:rev|ref|oid|blob|tree)[^a-z]', '[^a-z]e[_-]?tag[^a-z]', '(?:finger|thumb)print'],
  ...[
    'public',
    'pub_?key',
    'certificate',
    '[^a-z]certs?[^a-z]',
    '[^a-z](?:gpg|pgp|openpgp)[^a-z]',
    'recv-?keys?[^a-z]',
  ],
  ...['[^a-z](?:csrf|xsrf|nonce|guid|uu?id)', '[^a-z](?:kid|kty)[^a-z]', '[^a-z]arn:', 'placeholder', 'version'],
  '(?:cache|sort|primary|foreign|translation|i18n|react|group|partition|idempotency|site)[_-]?key',
  // A secret's name and its allowed characters are no secret.
  ...[
    '(?:secret|token|key|password)[_-]?name[^a-z]',
    '(?<!access[_-]?)key[_-]?id[^a-z]',
    'chars(?:et)?[^a-z]',
    'alphabet',
  ],
);

/** A certificate is public; its password is not. */
const ENDS_SECRET = /(?:pass(?:w(?:or)?d|phrase|code)?|pwd|secrets?)[^a-z]*$/i;
export const isOpen = (name: string): boolean => OPEN_NAME.test(name) && !ENDS_SECRET.test(name);

/**
 * In an address (`Signature=…`), and for some vendors, it grants access; elsewhere it only proves who wrote something.
 */
const SIGNATURE =
  /(?<!(?:access|api|paypal|acct\d{0,3}|amz|cloudfront|cookie|session)[_.-]?)signature(?:(?!key|secret|token|salt|seed|private|auth)\w){0,40}["'`\\\]]{0,3}(?:(?: ?(?::|=>)|\s{0,8}=) ?\[? ?\\?["'`]|: )$/i;
export const isSignature = (line: string): boolean => SIGNATURE.test(line) && !/policy/i.test(line);

/** Words of code and sentences between a name and its value. */
export const BETWEEN_NAME =
  /^(?:string|str|text|value|val|type|hidden|const|let|var|final|basic|is|as|of|to|was|default|b|f|r|u|b64|base64|the|an?|[\d.-]+)$/i;

/** Names start and end next to something that is no letter, as far as these patterns can see. */
function pattern(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join('|').replaceAll('[^a-z]', '(?:^|$|[^a-z])'), 'i');
}

const SESSION = /(?:^|[^\w.$-])([\w.$-]*?)session(?:[_ .-]id)?["'`\\\s=:,]{1,8}$/i;

/** Whether a line that ends here assigns a session id; not a cookie, nor anything else that grants access. */
export function namesSession(line: string): boolean {
  const name = SESSION.exec(spaced(line))?.[1];
  if (name === undefined || /[a-z]$/i.test(name)) return false;
  return !/cookie/i.test(line) && !SECRET_NAME.test(name) && !/auth/i.test(name);
}

const CAMEL = /([a-z0-9])([A-Z])/g;

/** `dbPwd` as `db_Pwd`, so that the patterns above see where words start. */
export function spaced(name: string): string {
  return name.replaceAll(CAMEL, '$1_$2');
}
