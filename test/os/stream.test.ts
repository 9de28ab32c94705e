/** A program whose output is looked at piece by piece is always ended: when it is enough, too late, or something throws. */
import { expect, test } from 'vitest';
import { stream } from '../../src/os/process/stream.ts';

const sh = (script: string) => ({ command: 'sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } });
const patient = { timeoutMs: 30_000 };

test('shows all of it, in order, with the program’s input', async () => {
  let seen = '';
  const result = await stream(sh('cat; echo oops >&2; exit 3'), { ...patient, input: 'caf\xe9' }, (piece) => {
    seen += piece.toString('latin1');
    return true;
  });
  expect([seen, result]).toEqual(['caf\xe9', { code: 3, stderr: 'oops\n', ended: 'exit' }]);
});

test('ends a program that would run for ever', async () => {
  let size = 0;
  const enough = await stream(sh('exec yes'), patient, (piece) => {
    size += piece.length;
    return size < 1 << 20;
  });
  expect(enough.ended).toBe('enough');
  expect(size).toBeGreaterThanOrEqual(1 << 20);
  expect((await stream(sh('exec sleep 60'), { timeoutMs: 50 }, () => true)).ended).toBe('timeout');
});

test('throws on what the reader throws, once the program has ended', async () => {
  const reading = stream(sh('exec yes'), patient, () => {
    throw new Error('no more');
  });
  await expect(reading).rejects.toThrow('no more');
});

test('says when there is no such program', async () => {
  const program = { command: 'no-such-program-at-all', args: [], env: { PATH: '/usr/bin:/bin' } };
  expect((await stream(program, { ...patient, input: 'x' }, () => true)).ended).toBe('missing');
});
