/** Memory that shows in the resident size of no process: bounded all the same where there is no control group. */
import { describe, expect, test } from 'vitest';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { Box } from './box.ts';
import { MIB } from './setup.ts';

const GROUPED = findPlaces().at.memory !== undefined;
const HELD = 400;
/** Far longer than it takes to be seen. */
const WAITS = '10';
const program = (kind: string, seconds: string) =>
  ['python3', '/programs/hidden.py', kind, `${HELD}`, seconds] as const;
const ROOM = { memoryBytes: 4096 * MIB, diskBytes: 4096 * MIB, processes: 100 };
const NO_GROUPS = { version: 2, at: {} } as const;

const REFUSED = [
  'memfd',
  'memfd-in-flight',
  'memfd-mapped',
  'segments',
  'messages',
  'semaphores',
  'pages-in-pipes',
] as const;
const COUNTED = ['shared', 'unix', 'datagrams', 'tcp', 'pipes', 'tables', 'empty-files', 'leaderless'] as const;

describe.each(REFUSED)('%s', (kind) => {
  test('cannot be had', async () => {
    await using box = new Box({ groups: NO_GROUPS });
    const played = await box.play(program(kind, '0'), { limits: { memoryBytes: 160 * MIB } });
    expect(played).toMatchObject({ end: { how: 'exit', code: 1 }, stdout: '' });
    expect(played.stderr).toMatch(/Function not implemented|Invalid argument/);
  });

  test('shows in no process (control), and a control group sees it', async () => {
    if (!GROUPED) return;
    await using box = new Box();
    const played = await box.play(program(kind, '0'), { limits: ROOM });
    expect(played.end, played.stderr).toEqual({ how: 'exit', code: 0 });
    expect(Number(/held, (\d+) MiB resident/.exec(played.stdout)?.[1])).toBeLessThan(40);
    const bounded = await box.play(program(kind, WAITS), { limits: { ...ROOM, memoryBytes: 160 * MIB } });
    expect(bounded.end).toEqual({ how: 'limit', limit: 'memory' });
  });
});

describe.each(COUNTED)('%s', (kind) => {
  test('is counted', async () => {
    await using box = new Box({ groups: NO_GROUPS });
    const played = await box.play(program(kind, WAITS), { limits: { ...ROOM, memoryBytes: 160 * MIB } });
    expect(played.end, played.stderr).toEqual({ how: 'limit', limit: 'memory' });
  });

  test('shows in no process (control), and may be had where there is room', async () => {
    await using box = new Box({ groups: NO_GROUPS });
    const played = await box.play(program(kind, '0.3'), { limits: ROOM });
    expect(played.end, played.stderr).toEqual({ how: 'exit', code: 0 });
    expect(Number(/held, (\d+) MiB resident/.exec(played.stdout)?.[1])).toBeLessThan(60);
  });
});
