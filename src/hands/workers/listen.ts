/** Runs the program and listens to it: everything to the transcript, stdout also to the adapter. */
import type { Sandbox, SandboxPolicy, SandboxResult } from '../../engine/ports/sandbox.ts';
import type { Heard } from '../../mind/workers/outcome.ts';
import { type FinalText, Said } from '../../mind/workers/said.ts';
import type { Command } from './command.ts';
import type { Transcript, Written } from './transcript.ts';

export type Listened = {
  readonly result: SandboxResult;
  readonly final: FinalText;
  readonly heard: Heard;
  readonly file: Written;
};

export async function listen(of: {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly command: Extract<Command, { type: 'command' }>;
  readonly policy: SandboxPolicy;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}): Promise<Listened> {
  const { sandbox, command, policy, transcript, signal } = of;
  const said = new Said(command.output, command.pointer);
  const decoder = new TextDecoder();
  const result = await sandbox.run({
    argv: command.argv,
    policy,
    input: command.input,
    onOutput: (stream, bytes) => {
      transcript.add(stream, bytes);
      if (stream === 'stdout') said.add(decoder.decode(bytes, { stream: true }));
    },
    signal,
  });
  said.add(decoder.decode());
  const file = await transcript.close();
  const { wallMs, idleMs, outputBytes } = policy.limits;
  const heard = {
    limits: { wallMs, idleMs, outputBytes },
    unfinished: transcript.unfinished,
    stderr: transcript.stderr,
  };
  return { result, final: said.end(), heard, file };
}
