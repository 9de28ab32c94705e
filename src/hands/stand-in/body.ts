/** Reads what a client sends; JSON, or null when it is none. */
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** CLIs send whole conversations; prompts of 3 MB were seen. */
const MAX_BYTES = 64_000_000;

export type Body = { readonly value: unknown; readonly bytes: number };

export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`a request is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = unpacked(Buffer.concat(chunks), request.headers['content-encoding']);
  return { value: parsed(text.toString('utf8')), bytes: text.length };
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  const options = { maxOutputLength: MAX_BYTES };
  if (encoding === 'gzip') return gunzipSync(bytes, options);
  if (encoding === 'deflate') return inflateSync(bytes, options);
  if (encoding === 'br') return brotliDecompressSync(bytes, options);
  return encoding === 'zstd' ? zstdDecompressSync(bytes, options) : bytes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
