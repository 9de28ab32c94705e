/** How tools/clis.sh brings the real CLIs: once, whole or not at all, and aloud when it cannot. A small npm of ours is its world. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { run } from '../../src/os/process/run.ts';
import { CLIS, cliBin, clisRoot } from '../support/clis.ts';

const SCRIPT = join(import.meta.dirname, '../../tools/clis.sh');
const root = mkdtempSync(join(tmpdir(), 'clis-'));
const bin = join(root, 'bin');
const calls = join(root, 'calls');
afterAll(() => rmSync(root, { recursive: true }));

/** Installs programs that print what `versions` prints, at the places where the real ones are. */
const NPM = `#!/bin/sh
echo "$*" >>'${calls}'
[ ! -e '${root}/broken' ] || { echo 'npm: no way' >&2; exit 1; }
for program in @anthropic-ai/claude-code-$MACHINE/claude @openai/codex-$MACHINE/vendor/x86_64-unknown-linux-musl/bin/codex \\
  @openai/codex-$MACHINE/vendor/aarch64-unknown-linux-musl/bin/codex @github/copilot-$MACHINE/copilot \\
  @google/gemini-cli/bundle/gemini.js opencode-$MACHINE/bin/opencode; do
  mkdir -p "node_modules/\${program%/*}"
  cp '${root}/program' "node_modules/$program"
done
sleep 0.2
`;
const PINS = JSON.parse(readFileSync(join(import.meta.dirname, '../../tools/clis/package.json'), 'utf8'));
const VERSIONS = Object.values(PINS.dependencies).join(' ');

mkdirSync(bin);
program(join(bin, 'npm'), NPM);
program(join(root, 'program'), `#!/bin/sh\necho "versions: ${VERSIONS}"\n`);

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function clis(place: string, ...args: string[]) {
  return run('sh', [SCRIPT, ...args], {
    env: {
      PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: root,
      MACHINE: `${process.platform}-${process.arch}`,
      SUPERVISOR_TEST_CLIS: place,
    },
    timeoutMs: 30_000,
  });
}

test('two at once install once, and both get the same; afterwards it is silent', async () => {
  const place = join(root, 'one');
  const [first, second] = await Promise.all([clis(place), clis(place)]);
  expect([first.stdout, second.stdout]).toEqual([`${place}/bin\n`, `${place}/bin\n`]);
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readdirSync(join(place, 'bin')).sort()).toEqual([...CLIS]);
  expect(
    readdirSync(root)
      .filter((name) => name.startsWith('one'))
      .sort(),
  ).toEqual(['one', 'one.lock']);
  expect(await clis(place)).toMatchObject({ code: 0, stdout: `${place}/bin\n`, stderr: '' });
  expect(await clis(place, '--check')).toMatchObject({ code: 0, stdout: `${place}/bin\n`, stderr: '' });
});

test('a CLI that npm cannot install, that does not start or has another version leaves nothing behind', async () => {
  const place = join(root, 'two');
  const failed = async (): Promise<string> => {
    const { code, stdout, stderr } = await clis(place);
    expect([code, stdout]).toEqual([1, '']);
    expect(readdirSync(root).filter((name) => name.startsWith('two'))).toEqual(['two.lock']);
    return stderr;
  };
  writeFileSync(join(root, 'broken'), '');
  expect(await failed()).toContain('npm could not install them');
  rmSync(join(root, 'broken'));
  program(join(root, 'program'), '#!/bin/sh\necho sorry, no such library >&2\nexit 1\n');
  expect(await failed()).toMatch(/claude [\d.]+ does not start: sorry, no such library/);
  program(join(root, 'program'), '#!/bin/sh\necho 0.0.1\n');
  expect(await failed()).toMatch(/claude [\d.]+ does not start: 0\.0\.1/);
  program(join(root, 'program'), `#!/bin/sh\necho "versions: ${VERSIONS}"\n`);
  expect((await clis(place)).code).toBe(0);
});

test('a half-removed installation is made anew', async () => {
  const place = join(root, 'three');
  await clis(place);
  rmSync(join(place, 'bin/codex'));
  expect((await clis(place, '--check')).code).toBe(1);
  expect((await clis(place)).code).toBe(0);
  expect(existsSync(join(place, 'bin/codex'))).toBe(true);
});

test('a directory that is not its own is left alone, and a place must be absolute', async () => {
  const place = join(root, 'mine');
  mkdirSync(place);
  writeFileSync(join(place, 'letter'), 'dear');
  const refused = await clis(place);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was not made by this')]);
  expect(readFileSync(join(place, 'letter'), 'utf8')).toBe('dear');
  expect(await clis('here')).toMatchObject({ code: 1, stderr: expect.stringContaining('must be an absolute path') });
});

test('to check is not to install', async () => {
  const place = join(root, 'none');
  const { code, stderr } = await clis(place, '--check');
  expect([code, stderr]).toEqual([1, expect.stringContaining('run: make test-clis')]);
  expect(existsSync(place)).toBe(false);
});

test('the real ones are installed', () => {
  expect(CLIS.filter((cli) => !existsSync(cliBin(cli)))).toEqual([]);
  expect(existsSync(join(clisRoot(), 'node_modules'))).toBe(true);
});
