/** What a config says about sandboxes: sizes people write, and a project that may only ask for less than its operator gives. */
import { expect, test } from 'vitest';
import { cascade } from '../../src/mind/config/cascade.ts';
import { config } from '../../src/mind/config/project-config.ts';
import { parseSize } from '../../src/mind/config/sandbox-limits.ts';
import { parseFile } from '../../src/mind/fields/parse-file.ts';

test.each([
  ['512MiB', 512 * 2 ** 20],
  ['4 GiB', 4 * 2 ** 30],
  ['1.5GiB', 1.5 * 2 ** 30],
  ['64KiB', 65_536],
])('%s is a size', (text, bytes) => expect(parseSize(text)).toBe(bytes));

test.each(['512', '4GB', '-1MiB', '1e3MiB', '0MiB', '999999TiB', ' 4GiB', 'GiB', ''])('%j is none', (text) => {
  expect(parseSize(text)).toBeNull();
});

const parsed = (text: string) => {
  const read = parseFile(config, text, 'config.yaml');
  if (read.type === 'problem') throw new Error(read.message);
  return read.value;
};

test('a project may ask for less than the person gives, not for more; absent stays absent', () => {
  const user = parsed('sandbox: {worker: {memory: 2GiB, processes: 100}, gate: {cpus: 2}}\n');
  const project = parsed('sandbox: {worker: {memory: 8GiB, processes: 50, idle: 1m}, gate: {disk: 1GiB}}\n');
  expect(cascade({ user, project }).settings.sandbox).toEqual({
    worker: { memoryBytes: 2 * 2 ** 30, processes: 50, idleMs: 60_000 },
    gate: { cpus: 2, diskBytes: 2 ** 30 },
    backend: 'bubblewrap',
    image: null,
  });
});

test('an invalid size is named with its place', () => {
  const read = parseFile(config, 'sandbox:\n  worker: {memory: lots}\n', 'config.yaml');
  expect(read).toMatchObject({ type: 'problem', line: 2, message: expect.stringContaining('must be a size such as') });
});
