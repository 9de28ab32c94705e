import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'WT-21',
  title: 'leaves locks in the git directory',
  worker: ({ repository }) =>
    `${FIX}for name in index.lock HEAD.lock worktrees/worktree/index.lock refs/heads/main.lock; do touch ${repository}/.git/$name; done 2>/dev/null\n${SAYS}`,
  expect: ACCEPTED,
  control: { naive: ({ accepted, fixed, committed }) => accepted && !fixed && /lock/.test(committed ?? '') },
} satisfies HostileCase;
