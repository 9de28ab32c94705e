/** What all CLIs that print events as lines of JSON have in common. */
import { lastJsonBlock } from '../../answers/fence.ts';
import type { Ended, Listener, Told } from '../adapter.ts';
import { ARGUMENT_BYTES } from '../limits.ts';
import { JsonLines } from './lines.ts';
import { TextEnd } from './text-end.ts';

type EventReader = {
  /** Lines of no interest, by their beginning; they are not parsed. */
  readonly skip?: (line: string) => boolean;
  readonly event: (event: unknown) => void;
  readonly tell: (ended: Ended, heard: EventsHeard) => Told;
};
export type EventsHeard = {
  readonly malformed: number;
  readonly stderr: string;
  /** The end of what was on stdout and no JSON: some CLIs say there why they do not start. */
  readonly plain: string;
};

const STDERR_CHARS = 16 << 10;
const PLAIN_CHARS = 4 << 10;
const PLAIN_LINE = 1_000;

export function eventListener(reader: EventReader): Listener {
  const stderr = new TextEnd(STDERR_CHARS);
  const plain = new TextEnd(PLAIN_CHARS);
  const lines = new JsonLines({
    value: reader.event,
    ...(reader.skip === undefined ? {} : { skip: reader.skip }),
    other: (line) => plain.add(`${line.slice(0, PLAIN_LINE)}\n`),
  });
  return {
    add: (stream, text) => (stream === 'stdout' ? lines.add(text) : stderr.add(text)),
    end: (ended) => {
      lines.end();
      return reader.tell(ended, { malformed: lines.malformed, stderr: stderr.text, plain: plain.text });
    },
  };
}

/** The type in `{"type":"…"` when a line begins so, as all of them print it; null: it has to be parsed to know. */
export function typeAtStart(line: string): string | null {
  if (!line.startsWith(START)) return null;
  const end = line.indexOf('"', START.length);
  if (end < 0 || end > START.length + 60) return null;
  const type = line.slice(START.length, end);
  // Spelled with escapes it could be any.
  return type.includes('\\') ? null : type;
}
const START = '{"type":"';

/** Our answers are a ```json block; a CLI's structured output is made one, unless the text has a block already. */
export function withBlock(text: string, structured: unknown): string {
  if (structured === null || typeof structured !== 'object') return text;
  if (text.includes('```') && lastJsonBlock(text).type === 'block') return text;
  let json: string;
  try {
    json = JSON.stringify(structured);
  } catch {
    // Nested deeper than it can be written; then it is no answer of ours either.
    return text;
  }
  const block = `\`\`\`json\n${json}\n\`\`\`\n`;
  const before = jsonOf(text) === undefined ? text.trimEnd() : '';
  if (before === '') return block;
  const both = `${before}\n\n${block}`;
  // A fence that the text leaves open would swallow the block.
  const read = before.includes('```') ? lastJsonBlock(both) : null;
  return read === null || (read.type === 'block' && read.text.trim() === json) ? both : block;
}

/** A text that is nothing but one JSON document, as CLIs print it that force the model to a schema. */
export function jsonOf(text: string): unknown {
  const body = text.trim();
  if (!body.startsWith('{') || !body.endsWith('}')) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The first that Linux does not take as one argument: it would fail with a message that helps nobody. */
export const tooLongArgument = (args: readonly string[]): string | null =>
  args.find((arg) => arg.length * 3 >= ARGUMENT_BYTES && new TextEncoder().encode(arg).length >= ARGUMENT_BYTES) ??
  null;
