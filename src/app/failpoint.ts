/** Failpoints for the crash matrix: at the n-th one the process dies as by kill -9, with nothing flushed or released. */
import { writeSync } from 'node:fs';

export type Strike = (name: string) => void;

export function failpointAt(n: number | null): Strike {
  if (n === null) return () => {};
  let passed = 0;
  if (n < 0) process.on('exit', () => writeSync(2, `failpoints passed: ${passed}\n`));
  return (name) => {
    passed += 1;
    if (passed !== n) return;
    writeSync(2, `failpoint ${n}: ${name}\n`);
    process.kill(process.pid, 'SIGKILL');
    // The signal may arrive a moment later; nothing more may happen until then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
