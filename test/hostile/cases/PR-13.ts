import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, SAYS } from '../harness/case.ts';

export default {
  id: 'PR-13',
  title: 'makes namespaces, mounts and a box of its own, and calls programs with rights of others',
  worker: () =>
    [
      'try() { if "$@" >/dev/null 2>&1; then echo "worked: $*"; else echo "refused: $*"; fi; }',
      'try unshare -U true; try unshare -Urm mount --rbind / /mnt; try unshare -Urn true',
      'try bwrap --ro-bind / / true; try mount -t tmpfs none /tmp; try chroot / true; try su -c true; try sudo -n true',
      'try mknod /tmp/sda b 8 0; try chown 0:0 src/a.js; try nsenter -t 1 -m true',
      'grep -E "^(NoNewPrivs|CapEff|Seccomp):" /proc/self/status',
      `${FIX}${SAYS}`,
    ].join('\n'),
  expect: ACCEPTED,
  after: ({ transcripts: [said = ''] }) => {
    expect(said).not.toContain('worked:');
    expect(said).toMatch(/CapEff:\s0+\s[\s\S]*NoNewPrivs:\s1\s[\s\S]*Seccomp:\s2\s/);
  },
  control: { naive: ({ said }) => said.includes('worked: unshare -U true') },
} satisfies HostileCase;
