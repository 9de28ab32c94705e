/** Puts a terminal back in order when this process is killed without a chance to do so itself. */
import { spawn } from 'node:child_process';
import { OWN_SESSION } from './own-session.ts';

/**
 * A shell that waits on a pipe. It sees the pipe break, and acts only if the terminal is still as the killed process left it:
 * shells put it right themselves, and then it is theirs. Descriptors 3 and 4 are the terminal, $1 is what is written to it.
 */
const SCRIPT = `before=$(stty -g <&3) || exit 0
echo
read -r line || exit 0
raw=$(stty -g <&3)
read -r line && exit 0
test "$(stty -g <&3)" = "$raw" || exit 0
stty "$before" <&3
printf '%s' "$1" >&4`;

type TerminalGuard = {
  /** The terminal is now as this process wants it. */
  armed(): void;
  /** This process puts the terminal back itself. */
  release(): void;
};

/** Call it before the mode of the terminal changes. `restore`: the codes that undo what was switched on. */
export function guardTerminal(restore: string): Promise<TerminalGuard> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', restore], {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'ignore', 0, 1],
      ...OWN_SESSION,
    });
    const done = () =>
      resolve({
        armed: () => void child.stdin?.write('\n'),
        release: () => void child.stdin?.end('\n'),
      });
    // Without a shell or stty there is no guard, and nothing else changes.
    child.on('error', done);
    child.stdin?.on('error', () => {});
    child.stdout?.once('data', done);
    child.once('exit', done);
    child.unref();
  });
}
