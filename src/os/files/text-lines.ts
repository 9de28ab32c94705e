/** Reads a text file line by line, with limits on each line and on the whole: anybody may have written the file. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The file cannot be read as lines; the message says why. `missing`: there is no such file, or it cannot be opened. */
export class LinesError extends Error {
  override readonly name = 'LinesError';
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

export async function* textLines(
  path: string,
  { maxLine, maxBytes }: { readonly maxLine: number; readonly maxBytes: number },
): AsyncGenerator<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new LinesError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${error.code})`,
      true,
    );
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new LinesError(`${path} is not a regular file`, true);
    if (stat.size > maxBytes) throw new LinesError(`${path} has ${stat.size} bytes, at most ${maxBytes} are read`);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let rest = '';
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const lines = (rest + decoded(decoder, chunk as Buffer, path)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > maxLine) throw new LinesError(`${path} has a line of more than ${maxLine} characters`);
    }
    if (rest !== '') throw new LinesError(`${path} is cut: its last line has no end`);
  } finally {
    await file.close();
  }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, path: string): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new LinesError(`${path} is not UTF-8`);
  }
}
