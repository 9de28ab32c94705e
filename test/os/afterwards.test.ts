/** Work for later is done once: together after a rest, or when the process ends. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atOnce, Later } from '../../src/os/machine/afterwards.ts';
import { eventually } from '../support/cli.ts';

test('at once, or a moment later and in order; one that fails keeps no other from its turn', async () => {
  const done: string[] = [];
  atOnce(() => done.push('now'));
  expect(done).toEqual(['now']);
  const { add, flush } = new Later(1);
  for (const name of ['a', 'b']) add(() => done.push(name));
  add(() => {
    throw new Error('of no use');
  });
  add(() => done.push('c'));
  expect(done).toEqual(['now']);
  await eventually(() => done.length === 4, 'the first ones are done');
  add(() => done.push('d'));
  flush();
  expect(done).toEqual(['now', 'a', 'b', 'c', 'd']);
});

test('a process that ends does it on its way, and is not kept from ending', () => {
  const module = join(import.meta.dirname, '../../src/os/machine/afterwards.ts');
  const program = `import { Later } from ${JSON.stringify(module)}; new Later(3_600_000).add(() => console.log('done'));`;
  for (const end of ['', 'process.exit(0);'])
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', program + end], { encoding: 'utf8' })).toBe(
      'done\n',
    );
});
