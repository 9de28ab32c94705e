/**
 * A program of this folder as it would be shipped. From the source, Node reads types away and keeps what it needs for that:
 * twice the memory, and to start another program takes twice as long then.
 */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { plainBuiltins } from '../tools/plain-builtins.ts';
import * as bench from './support.ts';

/** The path of the program; beside it lies all that the product ships. */
export async function asShipped(dir: string, file: string): Promise<string> {
  const dist = join(dir, 'dist');
  execFileSync(process.execPath, [join(bench.ROOT, 'tools', 'build.ts'), '--out', dist]);
  for (const part of ['templates', 'package.json']) symlinkSync(join(bench.ROOT, part), join(dir, part));
  const build = await rolldown({ cwd: bench.ROOT, input: join('bench', file), platform: 'node', logLevel: 'silent' });
  await build.write({
    ...{ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'bench-[hash].js' },
    plugins: [plainBuiltins],
  });
  await build.close();
  return join(dist, `${basename(file, '.ts')}.js`);
}
