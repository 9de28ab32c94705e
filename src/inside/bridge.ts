/**
 * Starts first in a sandbox with network access: offers the proxy's socket as a loopback port, writes the files a
 * program needs, starts it, and exits as it does. It runs alone and before every CLI, so it loads as little as
 * possible.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { BRIDGE_PORT, type BridgePlan, EGRESS_SOCKET } from '../mind/workers/bridge.ts';

const MAX_PLAN = 16 << 20;
/** The codes of shells: not found, and not executable. */
const NOT_STARTED = 127;

/**
 * Reads exactly the plan: what follows belongs to the program, and loading `process.stdin` takes a tenth of a start.
 */
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
    if (read === 0) fail('the plan is incomplete');
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
      // The process at the other end made the pipe non-blocking.
      pause();
    }
  }
}

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);

/**
 * Copies both ways and passes on each side's end separately. No delay: otherwise the kernel holds back the body of an
 * answer until its header is acknowledged, which takes 40 ms. Resolves when the port is open.
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
  server.on('error', ({ message }) => fail(`the port for network access could not be opened: ${message}`));
  return new Promise((resolve) => server.listen(BRIDGE_PORT, '127.0.0.1', resolve));
}

function start([program, ...args]: BridgePlan['argv']): void {
  // SIGINT is passed on first: on it, CLIs end tools that they started in other sessions. The handler is set before the
  // start; otherwise a program asked to end with its first word would lose the bridge.
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
  // Without network access there is no port.
  if (existsSync(EGRESS_SOCKET)) await listen();
  const plan = readPlan();
  for (const { path, text } of plan.files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  start(plan.argv);
}

main().catch((error: Error) => fail(error.message));
