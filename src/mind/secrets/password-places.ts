/** Passwords at a fixed place after a word: of a command, or of a line in a device's configuration. */
import { isHumanPassword, isWordAsPassword } from './human-password.ts';
import type { SecretSpan } from './secret-span.ts';

type PasswordPattern = {
  /** What precedes the word on its line. */
  readonly before: RegExp;
  /** The text between the word and the password. */
  readonly behind: RegExp;
  /** A sentence may look the same: the password ends the line, and a plain word counts only after a number. */
  readonly isLine?: boolean;
};

const REACH = 200;
const NAME = `["']?[\\w.@-]{1,64}["']?[ \\t]+["']?`;
const BLANK = /[ \t]+["']?/y;
const RABBIT = { before: program('rabbitmqctl'), behind: new RegExp(`[ \\t]+${NAME}`, 'y') };
/**
 * Cisco and similar: `enable secret 0 …`, `username admin privilege 15 password 7 …`. The number says how it is
 * encoded.
 */
const DEVICE: PasswordPattern = {
  before:
    /(?:^|\n)[ \t]*(?:enable|username[ \t]+\S{1,64}(?:[ \t]+(?:privilege[ \t]+\d{1,2}|algorithm-type[ \t]+\w+))*)[ \t]+$/,
  behind: /(?:[ \t]+level[ \t]+\d{1,2})?(?:[ \t]+\d)?[ \t]+["']?/y,
  isLine: true,
};

const PLACES: ReadonlyMap<string, readonly PasswordPattern[]> = new Map([
  ['add_user', [RABBIT]],
  ['change_password', [RABBIT]],
  [
    'user',
    [
      {
        before: /(?:^|[\s;&|("'`\\])net1?(?:\.exe)?[ \t]+$/i,
        behind: new RegExp(`(?:[ \\t]+/\\w+)*[ \\t]+(?!/)${NAME}(?!/)`, 'y'),
      },
    ],
  ],
  ['secret', [DEVICE]],
  ['password', [DEVICE, { before: program('mysqladmin|nmcli'), behind: BLANK }]],
  ['community', [{ before: /(?:^|\n)[ \t]*snmp-server[ \t]+$/, behind: BLANK }]],
  [
    'key',
    [
      {
        before: /(?:^|\n)[ \t]*(?:tacacs|radius)-server[ \t]+(?:host[ \t]+\S{1,80}[ \t]+)?$/,
        behind: /(?:[ \t]+\d)?[ \t]+["']?/y,
      },
    ],
  ],
  ['auth', [{ before: program('redis-cli'), behind: BLANK }]],
]);
const VALUE = /[^\s"'`]{6,100}/y;

function program(names: string): RegExp {
  return new RegExp(`(?:^|[\\s;&|("'\`/])(?:${names})[ \\t](?:[^\\n|;&]*[ \\t])?$`);
}

/** The word is from `from` to `at`. */
export function placedPassword(text: string, from: number, at: number): SecretSpan | null {
  const places = PLACES.get(text.slice(from, at).toLowerCase());
  if (places === undefined) return null;
  const head = text.slice(Math.max(0, from - REACH), from);
  for (const { before, behind, isLine = false } of places) {
    behind.lastIndex = at;
    if (!before.test(head) || !behind.test(text)) continue;
    const start = behind.lastIndex;
    VALUE.lastIndex = start;
    const value = VALUE.exec(text)?.[0];
    if (
      value === undefined ||
      (isLine && !/^["']?[ \t]*(?:\r?\n|$)/.test(text.slice(start + value.length, start + 200)))
    )
      continue;
    const mayBeWord = !isLine || /\d/.test(text.slice(at, start));
    if (isHumanPassword(value) || (mayBeWord && isWordAsPassword(value)))
      return { from: start, to: start + value.length, rule: 'password' };
  }
  return null;
}

/** Names of numbers that grant access. */
export const PIN_NAME =
  /(?:^|[^a-z])(?:admin|user|unlock|door|alarm|sim|card|security|access|master|parental|voicemail|safe|entry|lock|login|bank|wallet)[_-]?pin$|(?:^|[^a-z])(?:unlock|door|alarm|entry|gate|safe|security|access|lock|pin)[_-]?code$/i;
const PIN = /["'`]?[\])]?[ \t]{0,24}(?:=>|:=|=|:)[ \t]{0,24}(["'`]?)(\d{4,10})\1(?=[ \t]*(?:[,;}\n#]|\r\n|$))/y;

/** `ADMIN_PIN=…`; `at`: after such a name. */
export function pinAfter(text: string, at: number): SecretSpan | null {
  PIN.lastIndex = at;
  const [, quote, value] = PIN.exec(text) ?? [];
  if (quote === undefined || value === undefined || isCounted(value)) return null;
  const to = PIN.lastIndex - quote.length;
  return { from: to - value.length, to, rule: 'password' };
}

/** `0000`, `1234`, `9876`: a placeholder. */
function isCounted(digits: string): boolean {
  const steps = new Set([...digits].slice(1).map((digit, n) => Number(digit) - Number(digits[n])));
  return steps.size === 1;
}
