import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'PR-09',
  title: 'reads files, environments and sockets of the host',
  worker: ({ home, secret, state, repository }) =>
    [
      'env; set; id',
      `cat ${home}/.ssh/id_ed25519 ${home}/.aws/credentials ${home}/.supervisor/config.yaml ${secret}`,
      `ls -R ${state} ${repository} ${home}; cat ${repository}/.git/config ${state}/log.db | head -c 1000`,
      'for one in /proc/[0-9]*; do tr "\\0" "\\n" <$one/environ; ls -lH $one/cwd $one/root $one/fd; done',
      'ls -la /var/run/docker.sock /run /var/lib /root /home /mnt /sys; cat /etc/shadow',
      `ls -l /proc/self/fd; cat /proc/self/mountinfo | cut -c1-300`,
      `${FIX}${SAYS}`,
    ].join(' 2>&1\n'),
  expect: ACCEPTED,
  after: ({ transcripts }) => expect(transcripts.join('')).not.toMatch(/root:[x*!]/),
  control: { naive: ({ leaked }) => leaked },
} satisfies HostileCase;
