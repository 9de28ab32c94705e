/** Shared by all CLIs that print events as lines of JSON. */
import { lastJsonBlock } from '../../answers/fence.ts';
import type { CliExit, CliResult, Listener } from '../adapter.ts';
import { ARGUMENT_BYTES } from '../limits.ts';
import { JsonLines } from './lines.ts';
import { TextEnd } from './text-end.ts';

type EventReader = {
  /** Uninteresting lines, by their start; they are not parsed. */
  readonly skip?: (line: string) => boolean;
  readonly event: (event: unknown) => void;
  readonly tell: (ended: CliExit, heard: EventsHeard) => CliResult;
};
export type EventsHeard = {
  readonly malformed: number;
  readonly stderr: string;
  /** The end of stdout that was no JSON: some CLIs print there why they do not start. */
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

/** The type if a line starts with `{"type":"…"`, as all CLIs print it; null if the line has to be parsed. */
export function typeAtStart(line: string): string | null {
  if (!line.startsWith(START)) return null;
  const end = line.indexOf('"', START.length);
  if (end < 0 || end > START.length + 60) return null;
  const type = line.slice(START.length, end);
  // Spelled with escapes it could be any.
  return type.includes('\\') ? null : type;
}
const START = '{"type":"';

/** Our answers are a ```json block; a CLI's structured output becomes one, unless the text has a block already. */
export function withBlock(text: string, structured: unknown): string {
  if (structured === null || typeof structured !== 'object') return text;
  if (text.includes('```') && lastJsonBlock(text).type === 'block') return text;
  let json: string;
  try {
    json = JSON.stringify(structured);
  } catch {
    // Nested too deeply to be written; then it is no answer of ours either.
    return text;
  }
  const block = `\`\`\`json\n${json}\n\`\`\`\n`;
  const before = jsonOf(text) === undefined ? text.trimEnd() : '';
  if (before === '') return block;
  const both = `${before}\n\n${block}`;
  // An open fence in the text would swallow the block.
  const read = before.includes('```') ? lastJsonBlock(both) : null;
  return read === null || (read.type === 'block' && read.text.trim() === json) ? both : block;
}

/** A text that is one JSON document, as CLIs with a schema print it. */
export function jsonOf(text: string): unknown {
  const body = text.trim();
  if (!body.startsWith('{') || !body.endsWith('}')) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The first argument that is too long for Linux: it would fail with an unhelpful message. */
export const tooLongArgument = (args: readonly string[]): string | null =>
  args.find((arg) => arg.length * 3 >= ARGUMENT_BYTES && new TextEncoder().encode(arg).length >= ARGUMENT_BYTES) ??
  null;
