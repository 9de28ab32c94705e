/**
 * First in a sandbox with a way out: makes the proxy's socket a port of loopback, writes the files a program needs, starts
 * it, and ends as it ends. Runs alone, beside nothing of ours, and before every CLI: so it loads as little as can be.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { BRIDGE_PORT, type BridgePlan, EGRESS_SOCKET } from '../mind/workers/bridge.ts';

const MAX_PLAN = 16 << 20;
/** As shells say it: not found, or not to be run. */
const NOT_STARTED = 127;

let first: Buffer[] = [];
let size = 0;

process.stdin.on('data', read);
process.stdin.on('end', () => fail('the plan did not come whole'));

function read(bytes: Buffer): void {
  const end = bytes.indexOf(10);
  size += bytes.length;
  if (end < 0) {
    first.push(bytes);
    if (size > MAX_PLAN) fail('the plan is too long');
    return;
  }
  process.stdin.pause();
  process.stdin.removeAllListeners();
  const plan = JSON.parse(Buffer.concat([...first, bytes.subarray(0, end)]).toString()) as BridgePlan;
  first = [];
  for (const { path, text } of plan.files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  if (!plan.egress) start(plan.argv, bytes.subarray(end + 1));
  else listen(() => start(plan.argv, bytes.subarray(end + 1)));
}

/** Both ways, each side's end passed on by itself. */
function listen(ready: () => void): void {
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ path: EGRESS_SOCKET, allowHalfOpen: true });
    inner.pipe(outer).pipe(inner);
    inner.on('error', () => outer.destroy());
    outer.on('error', () => inner.destroy());
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
  });
  server.on('error', ({ message }) => fail(`the port for the way out could not be opened: ${message}`));
  server.listen(BRIDGE_PORT, '127.0.0.1', ready);
}

function start([program, ...args]: BridgePlan['argv'], rest: Buffer): void {
  const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  child.on('error', ({ message }) => fail(message, NOT_STARTED));
  child.on('exit', (code, signal) => end(code, signal));
  // It need not read its input.
  child.stdin.on('error', () => {});
  child.stdin.write(rest);
  process.stdin.pipe(child.stdin);
  // SIGINT first: there CLIs end the tools they started in sessions of their own.
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => {
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGTERM'), POLITE_MS);
  });
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
