/** A case under small limits of the sandbox, which no config names: the real hand for workers, sandbox and workspace. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SandboxLimits } from '../../../src/engine/ports/sandbox.ts';
import { Room } from '../../workers/room.ts';
import { BASE, type HostileCase } from './case.ts';

export async function runHand(one: HostileCase, limits: Partial<SandboxLimits>): Promise<void> {
  const files = Object.entries({ ...BASE, ...one.files }).flatMap(([path, text]) =>
    text === null ? [] : [[path, text]],
  );
  const room = new Room(Object.fromEntries(files));
  try {
    const { root } = room.world;
    const secret = join(root, 'host-secret');
    writeFileSync(secret, 'canary of a file');
    const at = {
      repository: room.world.repo,
      home: root,
      secret,
      breach: join(root, 'breach'),
      port: 1,
      state: room.world.state,
    };
    const { report, transcript } = await room.work(one.worker(at), { limits });
    expect({ class: report.class, candidate: report.candidate }, report.reason).toEqual({
      class: one.expect.class,
      candidate: null,
    });
    if (one.expect.reason !== undefined) expect(report.reason).toMatch(one.expect.reason);
    expect(transcript).not.toContain('canary of a file');
    expect(room.world.git('status', '--porcelain')).toBe('');
    expect(room.world.git('for-each-ref', 'refs/heads', 'refs/tags').split('\n')).toHaveLength(1);
  } finally {
    await room.end();
  }
}
