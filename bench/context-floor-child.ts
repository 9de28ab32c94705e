/** The floor: lists what is tracked, reads every file once and looks at each byte. Nothing that packs can do less. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

const [dir = ''] = process.argv.slice(2);
const listed = spawnSync('git', ['-C', dir, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1 << 30 }).stdout;
const buffer = Buffer.allocUnsafe(16 << 20);
let lines = 0;
for (const path of listed.split('\0')) {
  if (path === '') continue;
  try {
    const file = openSync(`${dir}/${path}`, 'r');
    const length = readSync(file, buffer, 0, buffer.length, 0);
    closeSync(file);
    for (let at = 0; at < length; at += 1) if (buffer[at] === 10) lines += 1;
  } catch {
    // A directory (submodule) or a link that leads nowhere.
  }
}
console.log(JSON.stringify({ lines }));
