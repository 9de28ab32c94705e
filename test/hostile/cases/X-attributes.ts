import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'X-attributes',
  title: 'attributes that git would obey, ignored by the candidate itself so that nobody sees them',
  worker: () =>
    [
      `printf '.gitattributes\\n' >.gitignore`,
      `printf '* text eol=lf ident\\n*.u16 working-tree-encoding=UTF-16\\n' >.gitattributes`,
      `printf 'a\\r\\nb $Id: x$\\r\\n' >crlf.txt; printf '\\377\\376a\\000' >wide.u16`,
      `${FIX}${SAYS}`,
    ].join('\n'),
  expect: ACCEPTED,
  after: (seen) => {
    expect(seen.file('crlf.txt')).toBe('a\r\nb $Id: x$');
    expect(seen.world.git('cat-file', '-s', `${seen.branch}:wide.u16`)).toBe('4');
    expect(seen.landed).not.toContain('.gitattributes');
    expect(seen.record.ignored).toContain('.gitattributes');
  },
  control: {
    look: 'cd repository && git cat-file -s main:crlf.txt && git cat-file -s main:wide.u16',
    naive: ({ looked }) => looked !== '' && !looked.startsWith('18\n'),
  },
} satisfies HostileCase;
