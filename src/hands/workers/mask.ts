/**
 * Masks values that are known to be secret (variables passed through to a worker), as they are and in base64, hex and URL
 * form. Not covered: a value split over two lines or streams, reversed, or encrypted. The first defence is that a worker
 * never has it.
 */
const MIN_LENGTH = 8;
/** Of a value with several lines, such as a key, each line is masked on its own too. */
const MIN_LINE = 16;
const MASKED = '[masked]';

export class Mask {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp | null;

  constructor(values: readonly string[]) {
    const known = values.flatMap((value) => [value, ...value.split(/\r?\n/).filter((line) => line.length >= MIN_LINE)]);
    const forms = new Set(known.filter((value) => value.length >= MIN_LENGTH).flatMap(formsOf));
    // The longest first: a shorter form may be the beginning of a longer one.
    this.#forms = [...forms].filter((form) => form.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
    this.#pattern = this.#forms.length === 0 ? null : new RegExp(this.#forms.map(RegExp.escape).join('|'), 'g');
  }

  get longest(): number {
    return this.#forms[0]?.length ?? 0;
  }

  text(text: string): string {
    return this.#pattern === null ? text : text.replaceAll(this.#pattern, MASKED);
  }

  /** How many characters at the end may be the beginning of a form: not to be written before more is known. */
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

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const percent = hex.replaceAll(/../g, '%$&');
  const url = encodeURIComponent(value.toWellFormed());
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
    ...[hex, hex.toUpperCase(), percent, percent.toUpperCase()],
    ...[url, url.replaceAll(/%../g, (code) => code.toLowerCase()), url.replaceAll('%20', '+')],
  ];
}

/** Inside a longer encoded text the value may begin at any of three places of a group; the characters sure to be there. */
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
