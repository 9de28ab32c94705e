/** Pipes the output of one program into another, with bounded memory whatever the size. */
import { spawn } from 'node:child_process';
import { whenOverdue } from '../machine/missed-deadline.ts';
import { OWN_SESSION } from './own-session.ts';
import { lives } from './run.ts';

export type Piped = {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
};

export type PipeResult = {
  readonly codes: readonly [first: number | null, second: number | null];
  readonly stdout: string;
  /** The stderr of both, the first program's first. */
  readonly stderr: string;
  readonly timedOut: boolean;
};

const MAX_STDERR = 64 << 10;

export async function pipe(
  first: Piped,
  second: Piped,
  options: { readonly input: string; readonly timeoutMs: number },
): Promise<PipeResult> {
  const children = [first, second].map(({ command, args, env }) =>
    spawn(command, [...args], { ...OWN_SESSION, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] }),
  );
  const [from, to] = children as [(typeof children)[number], (typeof children)[number]];
  let timedOut = false;
  const kill = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  const timer = whenOverdue(options.timeoutMs, () => {
    timedOut = children.some(lives);
    kill();
  });
  const errors = [collect(from.stderr), collect(to.stderr)];
  const output = collect(to.stdout);
  const both = Promise.all([ended(from), ended(to)]);
  // If it could not be started for lack of descriptors, it has no streams.
  from.stdin?.on('error', () => {});
  to.stdin?.on('error', () => {});
  from.stdin?.end(options.input);
  if (to.stdin) from.stdout?.pipe(to.stdin);
  try {
    const codes = await both;
    return { codes, stdout: output(), stderr: errors.map((text) => text()).join(''), timedOut };
  } catch (error) {
    kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const ended = (child: ReturnType<typeof spawn>): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });

function collect(stream: NodeJS.ReadableStream | null | undefined): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_STDERR) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}
