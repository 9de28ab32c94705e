import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'WT-08',
  title: 'commits, moves main, tags, expires reflogs',
  worker: ({ repository }) =>
    [
      `${FIX}for at in . ${repository}; do`,
      '  git -C $at -c user.name=w -c user.email=w@localhost commit -qam "by the worker"',
      '  git -C $at update-ref refs/heads/main HEAD; git -C $at tag -f v1; git -C $at checkout -q --detach',
      '  git -C $at reflog expire --expire=now --all',
      'done 2>/dev/null',
      SAYS,
    ].join('\n'),
  expect: ACCEPTED,
  after: ({ world, branch }) => {
    expect(world.git('log', '--all', '--format=%s')).not.toContain('by the worker');
    expect(world.git('log', '-1', '--format=%an', branch)).not.toBe('w');
  },
  control: { naive: ({ moved }) => moved },
} satisfies HostileCase;
