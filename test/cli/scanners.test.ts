/** Scanners that a person has installed, from the command line to the verdict: played by programs that write recorded reports. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PATH, World } from '../support/cli.ts';

const recorded = (name: string) => readFileSync(new URL(`../fixtures/scanners/${name}`, import.meta.url), 'utf8');

/**
 * Writes the recorded report where it is told to, if the tree has the file that makes it find something, and a clean one
 * otherwise; ends as the real program does.
 */
const scanner = (option: string, codes: { clean: number; found: number }, clean: string, found: string) => `#!/bin/sh
for word; do case $word in ${option}=*) report=\${word#*=};; esac; done
if [ -e found.txt ]; then cat >"$report" <<'END'
${found}
END
exit ${codes.found}; fi
cat >"$report" <<'END'
${clean}
END
exit ${codes.clean}
`;

const SCANNERS = {
  gitleaks: {
    script: scanner('--report-path', { clean: 0, found: 9 }, '[]', recorded('gitleaks.json')),
    rules: {},
    says: 'found what looks like a secret (github-pat)',
  },
  semgrep: {
    script: scanner(
      '--output',
      { clean: 0, found: 0 },
      '{"version":"1.120.0","results":[],"errors":[],"paths":{"scanned":["a.txt"]}}',
      recorded('semgrep.json'),
    ),
    // The file that one more finding could be read in is missing: it is told by its report alone.
    rules: { '.semgrep.yml': 'rules: []\n' },
    says: 'Detected the use of eval() with a variable.',
  },
  'osv-scanner': {
    script: scanner('--output-file', { clean: 0, found: 1 }, '{"results":[]}', recorded('osv-scanner.json')),
    rules: {},
    says: 'is vulnerable',
  },
} as const;
type Name = keyof typeof SCANNERS;
const NAMES = Object.keys(SCANNERS) as Name[];

/** A world whose person has this scanner on their PATH. */
function installed(name: Name, script: string): { world: World; env: { PATH: string } } {
  const world = new World();
  const dir = join(world.dir, 'scanners/bin');
  mkdirSync(dir, { recursive: true });
  mkdirSync(join(world.dir, 'scanners/lib'));
  writeFileSync(join(dir, name), script);
  chmodSync(join(dir, name), 0o755);
  world.userConfig('gates:\n  - { name: security, kind: security }\n');
  world.commit({ 'a.txt': 'one\n', ...SCANNERS[name].rules });
  return { world, env: { PATH: `${dir}:${PATH}` } };
}

type Report = { task_id: string; status: string; steps: { evidence: { gate: string; status: string }[] }[] };

/** How a task with this change ended, how its gate did, and what the gate said. */
async function runWith(world: World, env: { PATH: string }, files: Readonly<Record<string, string>>) {
  const script = world.file('script.json', JSON.stringify({ steps: { implement: [{ files }] } }));
  const { status, task_id, steps } = await world.json<Report>(['run', 'Change a file.', '--script', script], env);
  const gate = steps.flatMap(({ evidence }) => evidence).find((one) => one.gate === 'security')?.status;
  const { stdout } = await world.run(['show', task_id, '--evidence']);
  return { status, gate, text: stdout };
}

test.each(NAMES)('%s: what it finds stops the task with its words, and a clean report lets it pass', async (name) => {
  const { world, env } = installed(name, SCANNERS[name].script);
  using _ = world;
  const clean = await runWith(world, env, { 'b.txt': 'two\n' });
  expect(clean).toMatchObject({
    status: 'accepted',
    gate: 'pass',
    text: expect.stringContaining(`${name}: pass, found nothing`),
  });
  const found = await runWith(world, env, { 'found.txt': 'three\n' });
  expect(found.status).not.toBe('accepted');
  expect(found).toMatchObject({ gate: 'fail', text: expect.stringContaining(SCANNERS[name].says) });
});

test.each(NAMES)(
  '%s: without a whole report, or with an exit code of its errors, the gate has an error',
  async (name) => {
    for (const script of ['#!/bin/sh\nexit 0\n', SCANNERS[name].script.replaceAll(/^exit \d+/gm, 'exit 77')]) {
      const { world, env } = installed(name, script);
      using _ = world;
      const found = await runWith(world, env, { 'b.txt': 'two\n' });
      expect(found.status).not.toBe('accepted');
      expect(found).toMatchObject({ gate: 'error', text: expect.stringContaining('could not run: ') });
    }
  },
);

test('a finding of the base does not count, and `check` says that the gate has nothing to do', async () => {
  const { world, env } = installed('osv-scanner', SCANNERS['osv-scanner'].script);
  using _ = world;
  world.commit({ 'found.txt': 'three\n' });
  expect((await runWith(world, env, { 'b.txt': 'two\n' })).status).toBe('accepted');
  const { code, stdout } = await world.run(['check'], env);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/security +nothing to do: it looks at changed files only/)]);
});
