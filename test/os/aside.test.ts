/** Work that nobody waits for: after a rest, one after the other, and never in the way of an end. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { meanwhile, Spare } from '../../src/os/machine/aside.ts';
import { eventually } from '../support/cli.ts';

test('who has nobody else to do it waits for it, and hears what went wrong', async () => {
  const done: string[] = [];
  await meanwhile(async (over) => {
    expect(over).toBeNull();
    await setImmediate();
    done.push('a');
  });
  expect(done).toEqual(['a']);
  await expect(meanwhile(() => Promise.reject(new Error('no use')))).rejects.toThrow('no use');
});

test('one after the other, later; one that fails keeps no other from its turn', async () => {
  const spare = new Spare(1);
  const done: string[] = [];
  const named = (name: string) => async () => {
    done.push(`${name} begins`);
    await setImmediate();
    done.push(`${name} ends`);
  };
  await spare.add(named('a'));
  await spare.add(() => Promise.reject(new Error('no use')));
  await spare.add(named('b'));
  expect(done).toEqual([]);
  await eventually(() => done.length === 4, 'both are done');
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('the end stops what is under way and waits for it; what has not begun never does', async () => {
  const spare = new Spare(1);
  const done: string[] = [];
  await spare.add(async (over) => {
    done.push('begun');
    while (over?.aborted === false) await setImmediate();
    await setImmediate();
    done.push('stopped');
  });
  await spare.add(async () => done.push('too late'));
  await eventually(() => done.includes('begun'), 'it is under way');
  await spare.close();
  expect(done).toEqual(['begun', 'stopped']);
  await spare.add(async () => done.push('too late'));
  await spare.close();
  expect(done).toEqual(['begun', 'stopped']);
});

test('a process ends without it', () => {
  const module = join(import.meta.dirname, '../../src/os/machine/aside.ts');
  const program = `import { Spare } from ${JSON.stringify(module)};
    await new Spare(3_600_000).add(async () => console.log('done'));
    console.log('end');`;
  expect(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 120_000 }),
  ).toBe('end\n');
});
