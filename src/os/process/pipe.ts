/** Joins two programs, the output of the first being the input of the second, with memory bounded whatever goes through. */
import { spawn } from 'node:child_process';
import { whenOverdue } from '../machine/overdue.ts';
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
  /** Of both, the first one's before the second one's. */
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
  // One that could not be started for want of descriptors has no streams.
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
