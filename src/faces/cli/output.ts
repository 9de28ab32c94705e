/**
 * Writes for people and programs. Text from outside is made harmless here; colours appear only where a terminal wants
 * them.
 */
import { styleText } from 'node:util';
import { terminalJson, terminalText } from '../../kernel/terminal-text.ts';
import { wrapBeside, wrapWords } from '../../kernel/wrap-words.ts';
import type { Tone } from '../../mind/protocol/event-text.ts';

type Style = Parameters<typeof styleText>[0];
const TONE: Readonly<Record<Tone, Style>> = { good: 'green', bad: 'red', note: 'yellow', plain: 'reset' };

export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** Prints a line for people; nothing in JSON mode. Wrapped lines continue after `indent` blanks. */
  line(text = '', tone: Tone = 'plain', indent = 0): void {
    if (!this.json)
      process.stdout.write(`${paint(TONE[tone], fitted(text, process.stdout, indent), process.stdout)}\n`);
  }

  /** Prints without wrapping, for text whose lines mean something, such as a diff. */
  verbatim(text: string, tone: Tone = 'plain'): void {
    if (!this.json) process.stdout.write(`${paint(TONE[tone], terminalText(text), process.stdout)}\n`);
  }

  /** Prints a dim head and a body. */
  entry(head: string, body: string, tone: Tone = 'plain'): void {
    if (this.json) return;
    const first = terminalText(head);
    const told = terminalText(body);
    const { isTTY, columns } = process.stdout;
    const rest = isTTY === true ? wrapBeside(first, told, columns || 80) : ` ${told}`;
    process.stdout.write(`${paint('dim', first, process.stdout)}${paint(TONE[tone], rest, process.stdout)}\n`);
  }

  heading(text: string): void {
    if (!this.json) process.stdout.write(`${paint('bold', fitted(text, process.stdout), process.stdout)}\n`);
  }

  /** Prints one document, or one line of a stream. */
  value(value: unknown, style: 'document' | 'line' = 'document'): void {
    if (this.json) process.stdout.write(`${terminalJson(value, style === 'line' ? 0 : 2)}\n`);
  }

  error(code: string, message: string): void {
    if (this.json) this.value({ error: { code, message } });
    else
      process.stderr.write(
        `${paint('red', 'supervisor:', process.stderr)}${fitted(`supervisor: ${message}`, process.stderr).slice('supervisor:'.length)}\n`,
      );
  }

  /** Prints to stderr, also when a program reads stdout. */
  aside(text: string): void {
    process.stderr.write(`${fitted(text, process.stderr)}\n`);
  }
}

/** Makes text harmless, and wraps at words if the terminal is narrower. */
function fitted(text: string, stream: NodeJS.WriteStream, indent = 0): string {
  const safe = terminalText(text);
  return stream.isTTY === true ? wrapWords(safe, stream.columns || 80, indent) : safe;
}

function paint(style: Style, text: string, stream: NodeJS.WriteStream): string {
  return style === 'reset' ? text : styleText(style, text, { stream });
}
