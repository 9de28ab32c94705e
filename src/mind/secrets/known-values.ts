/**
 * Masks values that are known to be secret (keys of the operator, variables passed through to a worker), in plain,
 * base64, hex, URL and JSON form. Not covered: a value split over two lines or streams, reversed, or encrypted. The
 * first defence is that a worker never has it.
 */

import { isPlaceholder } from './harmless.ts';
import { SECRET_NAME, spaced } from './names.ts';
import type { SecretSpan } from './secret-span.ts';
import { surprise } from './word-entropy.ts';

const MIN_LENGTH = 8;
/** The lines of a multi-line value, such as a key, are also masked separately. */
const MIN_LINE = 16;
const MASKED = '[masked]';
const KNOWN_RULE = 'known-value';

export class KnownValues {
  readonly #forms: readonly string[];
  /** By the first two characters, longest first: a shorter form may be the start of a longer one. */
  readonly #byStart = new Map<number, string[]>();
  readonly #starts = new Uint8Array(1 << 14);

  constructor(values: readonly string[]) {
    const known = values.flatMap((value) => [value, ...value.split(/\r?\n/).filter((line) => line.length >= MIN_LINE)]);
    const forms = new Set(known.filter((value) => value.length >= MIN_LENGTH).flatMap(formsOf));
    this.#forms = [...forms].filter((form) => form.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
    for (const form of this.#forms) {
      const start = startAt(form, 0);
      this.#starts[start & 0x3fff] = 1;
      const same = this.#byStart.get(start);
      if (same === undefined) this.#byStart.set(start, [form]);
      else same.push(form);
    }
  }

  get longest(): number {
    return this.#forms[0]?.length ?? 0;
  }

  /** Where they are, sorted; without overlaps. */
  findings(text: string): SecretSpan[] {
    const found: SecretSpan[] = [];
    if (this.#forms.length === 0) return found;
    for (let at = 0; at + MIN_LENGTH <= text.length; at++) {
      const start = startAt(text, at);
      if (this.#starts[start & 0x3fff] === 0) continue;
      const form = this.#byStart.get(start)?.find((one) => text.startsWith(one, at));
      if (form === undefined) continue;
      found.push({ from: at, to: at + form.length, rule: KNOWN_RULE });
      at += form.length - 1;
    }
    return found;
  }

  text(text: string): string {
    let clean = '';
    let end = 0;
    for (const { from, to } of this.findings(text)) {
      clean += text.slice(end, from) + MASKED;
      end = to;
    }
    return end === 0 ? text : clean + text.slice(end);
  }

  /** How many characters at the end may be the start of a form: not to be written before more is known. */
  open(text: string): number {
    let most = 0;
    for (const form of this.#forms) {
      const first = form.slice(0, 1);
      const from = Math.max(0, text.length - form.length + 1);
      for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
        if (!form.startsWith(text.slice(at))) continue;
        most = Math.max(most, text.length - at);
        break;
      }
    }
    return most;
  }
}

/** Two characters as one number; the lower 14 bits are those of both if they are ASCII. */
const startAt = (text: string, at: number): number => text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);

/** How a program might write the value without meaning to hide it. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const percent = hex.replaceAll(/../g, '%$&');
  const url = encodeURIComponent(value.toWellFormed());
  const escaped = [...value].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
    ...[hex, hex.toUpperCase(), percent, percent.toUpperCase()],
    ...[url, url.replaceAll(/%../g, (code) => code.toLowerCase()), url.replaceAll('%20', '+')],
    ...[escaped, escaped.toUpperCase().replaceAll('\\U', '\\u')],
  ];
}

/** Inside a longer encoded text the value may start at any of three places of a group; these characters are certain. */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const sure = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    return text.slice(shift === 0 ? 0 : shift + 1, sure);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

const KEY_AT_END = /(?:^|_)key$/i;
const PLAIN_LENGTH = 16;
const PLAIN_BITS = 12;

/**
 * The values of variables whose names say that they are secrets. A plain word does not count: with
 * `POSTGRES_PASSWORD=postgres` every `postgres` would be masked. Nor does a path: `SSH_AUTH_SOCK` is no secret.
 */
export function secretVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value.length < MIN_LENGTH || !(SECRET_NAME.test(spaced(name)) || KEY_AT_END.test(name)))
      return [];
    if (/^[./~]|^\w+:\/\/[^@]*$/.test(value) || isPlaceholder(value)) return [];
    const telling = value.length >= PLAIN_LENGTH || surprise(value) >= PLAIN_BITS;
    return telling ? [value] : [];
  });
}
