/** Feeds one adapter's parser, in a process that has nothing else in its memory, and tells what that took. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADAPTERS } from '../src/mind/workers/adapters/index.ts';

export type Parsed = {
  /** As they come from a pipe. */
  readonly bytes: number;
  /** Time of the parsing thread, on a core that nothing else uses. */
  readonly processorMs: number;
  readonly wallMs: number;
  /** Heap in use after a collection, after a tenth of it and at the end; and the most the process ever had. */
  readonly early: number;
  readonly late: number;
  readonly resident: number;
};

const BYTES = 1e9;
const PIECE = 64 << 10;
const [cli = ''] = process.argv.slice(2);

/** What our own programs print for agents and servers, which are no CLIs that could be recorded. */
const ANSWER = 'Done.\n```json\n{"status":"SUCCESS","action_taken":"wrote hello.txt"}\n```\n';
const OURS: Readonly<Record<string, readonly object[]>> = {
  acp: [
    { type: 'init', session: 's1', protocol: 1, agent: 'agent', version: '1' },
    { type: 'text', text: 'I write the file now.' },
    { type: 'tool', id: 'toolu_1', title: 'Write hello.txt', status: 'pending' },
    { type: 'tool', id: 'toolu_1', title: 'Write hello.txt', status: 'completed' },
    { type: 'text', text: ANSWER.slice(0, 40) },
    { type: 'text', text: ANSWER.slice(40) },
    { type: 'result', stop: 'end_turn', usage: { inputTokens: 250, outputTokens: 50 }, meta: null },
  ],
  http: [
    { type: 'text', text: 'I begin.' },
    { type: 'text', text: ANSWER.slice(0, 40) },
    { type: 'text', text: ANSWER.slice(40) },
    { type: 'result', finish: 'stop', model: 'm', usage: { prompt_tokens: 250, completion_tokens: 50 } },
  ],
};

/** A run, and all that it prints between its first and its last event over and over, as a long one does. */
const ours = OURS[cli]?.map((event) => JSON.stringify(cli === 'acp' ? { ...event, session: 's1' } : event));
const lines =
  ours ??
  readFileSync(join(import.meta.dirname, `../test/clis/golden/${cli}/tool.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
const body = Buffer.from(`${lines.slice(1, -1).join('\n')}\n`);

/** Made while it is fed, in pieces that know nothing of lines: no more than one of them is ever there. */
function* pieces(bytes: number): Generator<Uint8Array> {
  const piece = Buffer.alloc(PIECE);
  let from = 0;
  for (let fed = 0; fed < bytes; fed += PIECE) {
    for (let at = 0; at < PIECE; ) {
      const copied = body.copy(piece, at, from);
      at += copied;
      from = (from + copied) % body.length;
    }
    yield piece;
  }
  // To the end of what it was saying.
  yield body.subarray(from);
}

const listener = ADAPTERS[cli]?.listen();
if (listener === undefined) throw new Error(`no adapter is called ${cli}`);
const decoder = new TextDecoder();
const add = (bytes: Uint8Array) => listener.add('stdout', decoder.decode(bytes, { stream: true }));
const used = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

add(Buffer.from(`${lines[0]}\n`));
let [bytes, processorMs, wallMs, early] = [0, 0, 0, 0];
// The making of the pieces is not its work.
for (const piece of pieces(BYTES)) {
  const { user, system } = process.threadCpuUsage();
  const start = performance.now();
  add(piece);
  wallMs += performance.now() - start;
  const after = process.threadCpuUsage();
  processorMs += (after.user - user + after.system - system) / 1000;
  bytes += piece.length;
  if (early === 0 && bytes >= BYTES / 10) early = used();
}
const late = used();
add(Buffer.from(`${lines.at(-1)}\n`));
const { claims } = listener.end({ exit: { how: 'exit', code: 0 }, now: 0, upstream: null });
if (claims !== 'success') throw new Error(`${cli}: what was parsed says ${claims}`);
const resident = process.resourceUsage().maxRSS * 1024;
process.send?.({ bytes, processorMs, wallMs, early, late, resident } satisfies Parsed);
process.disconnect?.();
