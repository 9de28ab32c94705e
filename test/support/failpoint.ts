/** Failpoints for the crash matrix: at the chosen one the process dies as by kill -9, with nothing flushed or released. */
import { writeSync } from 'node:fs';

type Strike = (name: string) => void;

/** `17`: the 17th point of all. `append.inside#2`: the second one of that name. `-1`: none, only name them all at the end. */
export function failpointAt(chosen: string | null): Strike {
  if (chosen === null) return () => {};
  if (chosen === '-1') return counting();
  const [name, place] = chosen.includes('#') ? chosen.split('#') : [null, chosen];
  let passed = 0;
  return (here) => {
    if (name !== null && name !== here) return;
    passed += 1;
    if (passed !== Number(place)) return;
    writeSync(2, `failpoint ${passed}: ${here}\n`);
    process.kill(process.pid, 'SIGKILL');
    // The signal may arrive a moment later; nothing more may happen until then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}

function counting(): Strike {
  const passed: string[] = [];
  process.on('exit', () => writeSync(2, `failpoints passed: ${passed.length}\n${passed.join('\n')}\n`));
  return (name) => {
    passed.push(name);
  };
}
