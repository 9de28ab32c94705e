/**
 * First in a sandbox with a way out: makes the proxy's socket a port of loopback, writes the files a program needs, starts
 * it, and ends as it ends. Runs alone, beside nothing of ours, and before every CLI: so it loads as little as can be.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { BRIDGE_PORT, type BridgePlan, EGRESS_SOCKET } from '../mind/workers/bridge.ts';

const MAX_PLAN = 16 << 20;
/** As shells say it: not found, or not to be run. */
const NOT_STARTED = 127;

/** Read at once and exactly: what comes behind it is the program's, and `process.stdin` takes a tenth of a start to load. */
function readPlan(): BridgePlan {
  let head = '';
  for (const byte = Buffer.alloc(1); byte[0] !== 10; head += String.fromCharCode(byte[0] ?? 0)) {
    if (head.length > 12 || readInput(byte) === 0) fail('there is no plan');
  }
  if (!/^\d+\n$/.test(head)) fail('there is no plan');
  const size = Number(head);
  if (size > MAX_PLAN) fail('the plan is too long');
  const text = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const read = readInput(text.subarray(at));
    if (read === 0) fail('the plan did not come whole');
    at += read;
  }
  return JSON.parse(text.toString()) as BridgePlan;
}

function readInput(into: Buffer): number {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      // Somebody who holds the other end made it so that it does not wait.
      pause();
    }
  }
}

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);

/**
 * Both ways, each side's end passed on by itself, and at once: else the kernel holds back the body of an answer until its
 * head is acknowledged, which takes 40 ms. Resolves when the port is open.
 */
function listen(): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => {
    const outer = connect({ path: EGRESS_SOCKET, allowHalfOpen: true });
    inner.pipe(outer).pipe(inner);
    inner.on('error', () => outer.destroy());
    outer.on('error', () => inner.destroy());
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
  });
  server.on('error', ({ message }) => fail(`the port for the way out could not be opened: ${message}`));
  return new Promise((resolve) => server.listen(BRIDGE_PORT, '127.0.0.1', resolve));
}

function start([program, ...args]: BridgePlan['argv']): void {
  // SIGINT first: there CLIs end the tools they started in sessions of their own. Heard before it starts, or a program
  // that is asked to end with its first word would lose the bridge before it.
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => {
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGTERM'), POLITE_MS);
  });
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', ({ message }) => fail(message, NOT_STARTED));
  child.on('exit', (code, signal) => end(code, signal));
}

const POLITE_MS = 500;

function end(code: number | null, signal: NodeJS.Signals | null): void {
  if (signal === null) process.exit(code ?? NOT_STARTED);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Some signals take effect a little later.
  setInterval(() => {}, 1000);
}

function fail(message: string, code = 126): never {
  process.stderr.write(`supervisor: ${message}\n`);
  process.exit(code);
}

async function main(): Promise<void> {
  // Without a way out there is no port.
  if (existsSync(EGRESS_SOCKET)) await listen();
  const plan = readPlan();
  for (const { path, text } of plan.files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  start(plan.argv);
}

main().catch((error: Error) => fail(error.message));
