/** Every kind of secret, with each sign before its lines that a diff, a quote, a comment or a search puts there. */
import { describe, expect, test } from 'vitest';
import { leftOf } from './left-of.ts';
import { keyBlock, madeUp, TOKENS, uuid, webToken } from './made-up.ts';

const PREFIXES = ['+', '-', ' ', '+ ', '- ', '> ', '// ', '1:', '12-', '++', '--', '//', '# ', ' * ', '| ', '~', '\t'];
/** Ends of something else that are glued to a line: in JSON, in a terminal, in an address. */
const ENDS = ['a\\n', 'a\\r\\n', '\\t', '\\u0001', '\u001b[32m', '\u001b[1;31m+', '\\u001b[0m', '\\033[m', '%3D'];
const [ALL, HEX] = [madeUp(40), madeUp(32, 'hex')];
const PASSWORD = ['h4rd', 'T0gue55'].join('');
const BASIC = Buffer.from(`me:${PASSWORD}`).toString('base64');
const HOOK = `services/T${madeUp(8, 'upper')}/B${madeUp(8, 'upper')}/${madeUp(24)}`;

const KINDS: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ...TOKENS.map(([maker, token]) => [`token of ${maker}`, token, token] as const),
  ['web token', webToken(), webToken()],
  [
    'web token encoded once more',
    Buffer.from(webToken()).toString('base64'),
    Buffer.from(webToken()).toString('base64'),
  ],
  ['login in an address', `https://me:${PASSWORD}@example.org/x`, PASSWORD],
  ['web hook', `https://hooks.slack.com/${HOOK}`, HOOK],
  ['Bearer', `Bearer ${ALL}`, ALL],
  ['Basic', `Basic ${BASIC}`, BASIC],
  ['-u', `-u admin:${PASSWORD} https://localhost`, PASSWORD],
  ['--user', `--user 'admin:${PASSWORD}'`, PASSWORD],
  ['password', `password: "${PASSWORD}"`, PASSWORD],
  ['pass', `pass=${PASSWORD}&%`, PASSWORD],
  ['part of a connection string', 'Server=db;Password=sunflower;', 'sunflower'],
  ['named secret', `api_key = ${HEX}`, HEX],
  ['named secret in JSON', `"client_secret": "${ALL}",`, ALL],
  ['named key', `key: ${ALL}`, ALL],
  ['near a telling word', `the secret of this is what I say, ${ALL}`, ALL],
  ['near a maker', `algolia ${ALL}`, ALL],
  ['element', `<apiKey>${HEX}</apiKey>`, HEX],
  ['UUID', `client_secret: ${uuid()}`, uuid()],
];
const LINES: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ['block of YAML', `password: |\n  ${ALL}\n`, ALL],
  ['list of YAML', `tokens:\n  - ${ALL}\n`, ALL],
  ['element of several lines', `<accessToken>\n    ${ALL}\n</accessToken>`, ALL],
];

const behind = (prefix: string, text: string) =>
  text
    .split('\n')
    .map((line) => prefix + line)
    .join('\n');

test.each([...KINDS, ...LINES])('%s', (_, text, secret) => {
  for (const prefix of PREFIXES) {
    const rest = leftOf(`first\n${behind(prefix, text)}`);
    expect(rest, prefix).not.toContain(secret);
    expect(rest, prefix).toContain('…');
    // The sign stays: a diff is a diff still.
    expect(rest.split('\n')[1]?.startsWith(prefix.trimEnd()), prefix).toBe(true);
  }
});

test.each(KINDS)('%s, glued to the end of something else', (_, text, secret) => {
  for (const end of ENDS) {
    const rest = leftOf(`"${end}${text}`);
    expect(rest, end).not.toContain(secret.slice(4));
    // An encoded sign may be part of a value.
    expect(rest.startsWith(`"${end.replace('3D', '')}`), end).toBe(true);
  }
});

describe('private keys', () => {
  const block = keyBlock('RSA PRIVATE KEY').split('\n');
  const leaked = (text: string) => block.slice(1, -1).filter((line) => leftOf(text).includes(line.slice(0, 40)));

  test('the control: each line alone is nothing that is found', () => {
    expect(leaked(block.slice(1, -1).join('\n'))).toEqual(block.slice(1, -1));
  });

  test.each([...PREFIXES, '/', '_', '.', 'x', '1', ';', '!', '│ ', 'key.pem:3:', '\u001b[32m+'])(
    'behind %j',
    (prefix) => {
      const lines = behind(prefix, block.join('\n'));
      expect(leaked(lines), 'whole').toEqual([]);
      expect(leftOf(`a\n${lines}\n${prefix}b`), 'nothing else').toBe(`a\n${prefix}…\n${prefix}b`);
      const cut = lines.split('\n');
      expect(leaked(cut.slice(0, -1).join('\n')), 'without its end').toEqual([]);
      expect(leaked(cut.slice(2).join('\n')), 'without its beginning').toEqual([]);
    },
  );

  test('in a diff that changes it, and in one that is numbered', () => {
    const changed = block.map((line, n) => (n === 0 || n === block.length - 1 ? ` ${line}` : `-${line}\n+${line}`));
    expect(leaked(changed.join('\n'))).toEqual([]);
    expect(leaked(block.map((line, n) => `${n + 1}:${line}`).join('\n'))).toEqual([]);
    expect(leaked(block.map((line, n) => `key.pem-${n + 1}-${line}`).join('\n'))).toEqual([]);
  });

  test('behind an escaped end of a line, as in JSON', () => {
    const text = JSON.stringify({ said: `here:\n${block.join('\n')}\nthere` });
    expect(leftOf(text)).toBe('{"said":"here:\\n…\\nthere"}');
  });

  test('a part that is cut off from its end takes nothing else with it', () => {
    const text = `words\nand more words\n${block.at(-1)}\nwords`;
    expect(leftOf(text)).toBe(text);
    expect(leftOf(keyBlock('CERTIFICATE').split('\n').slice(2).join('\n'))).not.toContain('…');
  });
});
