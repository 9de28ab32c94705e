/** Makes the command from a declared CLI and a packet: the first half of an adapter. */
import type { DeclaredCli } from './cli-config.ts';
import { ARGUMENT_BYTES } from './limits.ts';

type WorkerCall =
  | {
      readonly type: 'call';
      readonly argv: readonly [string, ...string[]];
      readonly input: string;
      /** The command without the packet, for the record. */
      readonly shown: readonly string[];
    }
  | { readonly type: 'refused'; readonly message: string };

/** `program`: where the first word was found, as the sandbox sees it. */
export function callOf(name: string, cli: DeclaredCli, program: string, packet: string): WorkerCall {
  const args = cli.command.slice(1);
  const shown = [...cli.command];
  if (cli.prompt === 'stdin') return { type: 'call', argv: [program, ...args], input: packet, shown };
  const bytes = byteLength(packet) + 1;
  if (bytes > ARGUMENT_BYTES) {
    return {
      type: 'refused',
      message: `the packet has ${bytes} bytes, and an argument may have ${ARGUMENT_BYTES}: set clis.${name}.prompt to stdin`,
    };
  }
  return { type: 'call', argv: [program, ...args, packet], input: '', shown: [...shown, '(packet)'] };
}

export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
