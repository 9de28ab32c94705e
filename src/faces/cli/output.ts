/** What people and programs read. Text from outside is made harmless here; colours only where a terminal wants them. */
import { styleText } from 'node:util';
import { terminalText } from '../../kernel/terminal-text.ts';
import type { Tone } from '../../mind/protocol/event-text.ts';

type Style = Parameters<typeof styleText>[0];
const TONE: Readonly<Record<Tone, Style>> = { good: 'green', bad: 'red', note: 'yellow', plain: 'reset' };

export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** A line for people; nothing when a program asked for JSON. */
  line(text = '', tone: Tone = 'plain'): void {
    if (!this.json) process.stdout.write(`${paint(TONE[tone], terminalText(text), process.stdout)}\n`);
  }

  /** A line with its own emphasis: a dim head and a body. */
  entry(head: string, body: string, tone: Tone = 'plain'): void {
    if (!this.json)
      process.stdout.write(
        `${paint('dim', terminalText(head), process.stdout)} ${paint(TONE[tone], terminalText(body), process.stdout)}\n`,
      );
  }

  heading(text: string): void {
    if (!this.json) process.stdout.write(`${paint('bold', terminalText(text), process.stdout)}\n`);
  }

  /** One document, or one line of a stream. */
  value(value: unknown, style: 'document' | 'line' = 'document'): void {
    if (this.json)
      process.stdout.write(`${style === 'line' ? JSON.stringify(value) : JSON.stringify(value, null, 2)}\n`);
  }

  error(code: string, message: string): void {
    if (this.json) this.value({ error: { code, message } });
    else process.stderr.write(`${paint('red', 'supervisor:', process.stderr)} ${terminalText(message)}\n`);
  }

  /** Said beside the result, also when a program reads stdout. */
  aside(text: string): void {
    process.stderr.write(`${terminalText(text)}\n`);
  }
}

function paint(style: Style, text: string, stream: NodeJS.WriteStream): string {
  return style === 'reset' ? text : styleText(style, text, { stream });
}
