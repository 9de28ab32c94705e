import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, REFUSED, SAYS } from '../harness/case.ts';

const OUTSIDE = ['../../../etc/passwd', '~/.ssh/*', 'src/../../host-secret'];
const including = (...patterns: readonly string[]) => ({
  'roles/curious.yaml': `extends: implementer\ncontext:\n  include: ${JSON.stringify(patterns)}\n`,
});
const CURIOUS = ['--role', 'curious'];
/** In the shape of nothing: only the name of its file tells. */
const CANARY = 'canary of a dot file';

/** What a walk that follows links reads. */
function readByFollowing(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'links-'));
  try {
    mkdirSync(join(dir, 'project'));
    mkdirSync(join(dir, 'home'));
    writeFileSync(join(dir, 'home/key'), CANARY);
    symlinkSync(join(dir, 'home'), join(dir, 'project/link-out'));
    const [name = ''] = readdirSync(join(dir, 'project/link-out'));
    return readFileSync(join(dir, 'project/link-out', name), 'utf8') === CANARY;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export default [
  ...OUTSIDE.map(
    (pattern, n): HostileCase => ({
      id: 'UI-13',
      title: `a role asks for ${pattern}`,
      long: n > 0,
      own: including('src/**', pattern),
      flags: CURIOUS,
      worker: () => FIX + SAYS,
      expect: REFUSED,
      after: ({ result }) => {
        expect(result.stderr).toMatch(/roles\/curious\.yaml:3:22: context\.include\.1: /);
        expect(result.stderr).toContain(JSON.stringify(pattern));
      },
      control: {
        pure: () => !resolve('/a/project', pattern.replace('~', '/home/a')).startsWith('/a/project/'),
      },
    }),
  ),
  {
    id: 'UI-13',
    title: 'a role asks for what lies behind links, and for files of secrets',
    own: including('src/link-out/**', 'src/linked.js', '.env', 'certificates/**'),
    flags: [...CURIOUS, '--files', 'src'],
    files: { '.env': `WORDS=${CANARY}\n`, 'certificates/server.key': `${CANARY}\n` },
    links: ({ home, secret }) => ({ 'src/link-out': join(home, '.ssh'), 'src/linked.js': secret }),
    worker: () => FIX + SAYS,
    expect: ACCEPTED,
    after: ({ packet }) => {
      expect(packet).toContain('export const value = () => 1;');
      expect(packet).not.toContain('canary');
    },
    control: { pure: readByFollowing },
  },
] satisfies HostileCase[];
