/** Runs the command line on a pseudo terminal and answers its questions. */
import { spawn } from 'node:child_process';
import { ENTRY, type World } from './cli.ts';

/** `answer` is typed when a question is asked, and never otherwise; `meanwhile` happens just before. */
export function onTerminal(
  world: World,
  args: readonly string[],
  answer: string,
  meanwhile: () => void = () => {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const words = [process.execPath, ENTRY, ...args].map((word) => `'${word}'`).join(' ');
  // `script` of util-linux: the command gets a terminal for all three streams; -e passes its exit code on.
  const child = spawn('script', ['-q', '-e', '-c', words, '/dev/null'], {
    cwd: world.repository,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: world.home,
      SUPERVISOR_HOME: world.state,
      NO_COLOR: '1',
      SHELL: '/bin/sh',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  let asked = false;
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (asked || !output.includes('[y/N]')) return;
    asked = true;
    meanwhile();
    child.stdin.write(answer);
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, output: output.replaceAll('\r\n', '\n') })),
  );
}
