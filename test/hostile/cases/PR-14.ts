import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

const TYPE = [
  `if (: >/dev/tty) 2>/dev/null; then echo 'has a terminal'; else echo 'no terminal'; fi`,
  `perl -e 'for my $fd (*STDIN, *STDOUT, *STDERR) { my $key = "x"; print ioctl($fd, 0x5412, $key) ? "typed\\n" : "not typed: $!\\n" }'`,
].join('\n');

export default {
  id: 'PR-14',
  title: 'types into the terminal it was started from',
  worker: () => `${TYPE}\n${FIX}${SAYS}`,
  expect: ACCEPTED,
  after: ({ transcripts: [said = ''] }) => {
    expect(said).toContain('no terminal');
    expect(said.split('not typed: Operation not permitted')).toHaveLength(4);
  },
  // Whether the kernel still lets a program type is a setting of it; that there is a terminal to open is enough.
  control: {
    worker: () => `cat >/tmp/type.sh <<'EOF'\n${TYPE}\nEOF\nscript -qec 'sh /tmp/type.sh' /dev/null </dev/null\n`,
    naive: ({ said }) => said.includes('has a terminal'),
  },
} satisfies HostileCase;
