/** Runs the program and reads its output: all of it into the transcript, stdout also into the adapter. */
import type { Sandbox, SandboxPolicy, SandboxResult } from '../../engine/ports/sandbox.ts';
import type { Heard } from '../../mind/workers/outcome.ts';
import type { Transcript } from './transcript.ts';
import type { WorkerCommand } from './worker-command.ts';

export type CliRun = {
  readonly result: SandboxResult;
  readonly heard: Heard;
};

export async function listen(of: {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly command: Extract<WorkerCommand, { type: 'command' }>;
  readonly policy: SandboxPolicy;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}): Promise<CliRun> {
  const { sandbox, command, policy, transcript, signal } = of;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const result = await sandbox.run({
    argv: command.argv,
    policy,
    input: command.input,
    onOutput: (stream, bytes) => {
      transcript.add(stream, bytes);
      command.listener.add(stream, decoders[stream].decode(bytes, { stream: true }));
    },
    signal,
  });
  for (const stream of ['stdout', 'stderr'] as const) command.listener.add(stream, decoders[stream].decode());
  const { wallMs, idleMs, outputBytes } = policy.limits;
  // Getters, because the end of a stream is only known when the transcript is closed, perhaps turns later.
  const heard: Heard = {
    limits: { wallMs, idleMs, outputBytes },
    get unfinished() {
      return transcript.unfinished;
    },
    get stderr() {
      return transcript.stderr;
    },
  };
  return { result, heard };
}
