import { CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default [
  {
    id: 'WT-03',
    title: 'links to a secret, to a directory outside and to themselves',
    worker: ({ secret, home }) =>
      `${FIX}ln -s ${secret} src/config.json; ln -s ${home} src/vendor; ln -s loop src/loop; ln -s ../../../../etc src/up\n${SAYS}`,
    expect: { ...CAUGHT, reason: /(?=.*src\/config\.json)(?=.*src\/loop)(?=.*src\/up)(?=.*src\/vendor)/s },
    control: {
      look: 'cat repository/src/config.json',
      naive: ({ landed, leaked }) => leaked && landed.includes('src/vendor'),
    },
  },
  {
    id: 'WT-03',
    title: 'the answer of a gate would show what a link leads to',
    gates: ['tests=cat src/config.json; node test/a.test.js'],
    worker: ({ secret }) => `${FIX}ln -s ${secret} src/config.json\n${SAYS}`,
    expect: { ...CAUGHT, reason: /absolute/ },
    control: { naive: ({ leaked, gateSaid }) => leaked && gateSaid !== '' },
  },
  {
    id: 'WT-03',
    title: 'links into the repository itself, straight and through others',
    worker: () =>
      `${FIX}ln -s .git/hooks hooks; ln -s ../.git/config src/cfg; ln -s . here; ln -s .GIT kept; ln -s kept/info more\n${SAYS}`,
    expect: { ...CAUGHT, reason: /(?=.*hooks)(?=.*src\/cfg)(?=.*here)(?=.*kept)(?=.*more)/s },
    control: {
      look: 'echo planted >repository/hooks/pre-commit; cat repository/.git/hooks/pre-commit',
      naive: ({ looked }) => looked === 'planted\n',
    },
  },
  {
    id: 'WT-03',
    title: 'a second name for a file',
    worker: () => `${FIX}ln src/a.js src/b.js\n${SAYS}`,
    expect: { ...CAUGHT, reason: /hard link/ },
    control: {
      look: 'echo changed >worktree/src/b.js; cat worktree/src/a.js',
      naive: ({ looked }) => looked === 'changed\n',
    },
  },
] satisfies HostileCase[];
