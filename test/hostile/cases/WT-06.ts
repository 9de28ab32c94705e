import { CAUGHT, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'WT-06',
  title: 'writes shared config, hooks, a filter and an external diff',
  worker: ({ repository, breach }) =>
    [
      `printf '#!/bin/sh\\necho ran >${breach}; cat\\n' >run.sh; chmod +x run.sh`,
      `for at in . ${repository}; do`,
      '  git -C $at config filter.rt.clean "$PWD/run.sh"; git -C $at config diff.external "$PWD/run.sh"',
      '  git -C $at config core.sshCommand "$PWD/run.sh"',
      'done 2>/dev/null',
      `cp run.sh ${repository}/.git/hooks/pre-commit 2>/dev/null`,
      `echo '* filter=rt diff=rt' >.gitattributes`,
      `${FIX}${SAYS}`,
    ].join('\n'),
  expect: { ...CAUGHT, reason: /\.gitattributes/ },
  control: { naive: ({ configChanged, outside }) => configChanged && outside.includes('breach') },
} satisfies HostileCase;
