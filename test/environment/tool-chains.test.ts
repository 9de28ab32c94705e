/** Tool chains of the operator's PATH work in the sandbox, and nothing that lies beside them is there. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram, findToolChains, isHome, programMount } from '../../src/os/machine/tool-chains.ts';
import { tools } from './joined.ts';
import { Site } from './site.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'supervisor-tools-'));
  chmodSync(home, 0o755);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Files of a home directory; those that begin with `#!` are programs. */
function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

const say = (word: string) => `#!/bin/sh\necho ${word}\n`;
const find = (dirs: readonly string[], never: readonly string[] = []) =>
  findToolChains({ path: dirs.map((dir) => join(home, dir)).join(':'), home, never });
const reasons = (dirs: readonly string[], never: readonly string[] = []) =>
  find(dirs, never).leftOut.map(({ path, why }) => `${path.slice(home.length + 1)} ${why}`);

/** In the sandbox, with these tool chains only. */
async function behind(chain: ReturnType<typeof find>, command: string): Promise<string> {
  await using site = new Site({ 'a.txt': '' });
  const none = { key: 'none', readable: chain.readable, env: chain.env, path: chain.path };
  return (await site.use(none, command, { readable: chain.readable })).output;
}

test('node, python and the rest of this PATH say the same in the sandbox as here', async () => {
  const chain = tools();
  const programs = ['node --version', 'python3 --version', 'git --version'];
  const here = programs.map((line) =>
    execFileSync('/bin/sh', ['-c', line], { env: { PATH: process.env['PATH'], HOME: homedir() }, encoding: 'utf8' }),
  );
  expect(await behind(chain, programs.join('\n'))).toBe(here.join('').trim());
  const prefix = 'python3 -c "import sys; print(sys.prefix)"';
  expect(await behind(chain, prefix)).toBe(
    execFileSync('/bin/sh', ['-c', prefix], {
      env: { PATH: chain.path.join(':'), HOME: homedir() },
      encoding: 'utf8',
    }).trim(),
  );
  // Only the parts of tool chains are there, whatever else lies in that home.
  expect(chain.readable.filter(({ from }) => from === homedir() || homedir().startsWith(`${from}/`))).toEqual([]);
});

test('a version of nvm is there with its libraries, and without its settings', async () => {
  const version = '.nvm/versions/node/v22.1.0';
  put({
    [`${version}/bin/node`]: say('node of nvm'),
    [`${version}/lib/node_modules/npm/cli.js`]: 'npm',
    [`${version}/etc/npmrc`]: 'token=do-not-show',
    '.nvm/versions/node/v20.0.0/bin/node': say('old'),
    '.npmrc': 'token=do-not-show',
  });
  const chain = find([`${version}/bin`]);
  const seen = await behind(
    chain,
    `node; cat ${home}/${version}/lib/node_modules/npm/cli.js; echo; cd ${home}; find . -name '*npmrc' -o -name v20.0.0; cat ${version}/etc/npmrc .npmrc 2>/dev/null`,
  );
  expect(seen).toBe('node of nvm\nnpm');
  expect(readFileSync(join(home, version, 'etc/npmrc'), 'utf8')).toContain('do-not-show');
});

test("cargo's programs are there and its credentials are not", async () => {
  put({
    '.cargo/bin/cargo': say('cargo in $RUSTUP_HOME'),
    '.cargo/credentials.toml': 'token = "do-not-show"',
    '.cargo/config.toml': '[registry]',
    '.rustup/toolchains/stable/bin/rustc': say('rustc'),
    '.rustup/settings.toml': 'version = "12"',
    '.rustup/update-hashes/stable': 'abc',
  });
  const chain = find(['.cargo/bin']);
  expect(await behind(chain, `cargo; cd ${home}; find . -type f | sort; cat .cargo/cred* 2>/dev/null`)).toBe(
    [
      `cargo in ${home}/.rustup`,
      './.cargo/bin/cargo',
      './.rustup/settings.toml',
      './.rustup/toolchains/stable/bin/rustc',
      './.rustup/update-hashes/stable',
    ].join('\n'),
  );
  expect(chain.identity).toEqual([
    `${home}/.rustup/settings.toml: version = "12"`,
    `${home}/.rustup/update-hashes/stable: abc`,
  ]);
});

test('stand-ins of pyenv, asdf, mise and volta come with what they look for', () => {
  put({
    '.pyenv/shims/python3': say('3'),
    '.pyenv/versions/3.12.1/bin/python3': say('3'),
    '.pyenv/version': '3.12.1\n',
    '.pyenv/.git/config': 'url = https://do-not-show@localhost',
    '.asdf/shims/ruby': say('r'),
    '.asdf/installs/ruby/3/bin/ruby': say('r'),
    '.asdf/tmp/x': '',
    '.local/share/mise/shims/go': say('g'),
    '.local/share/mise/installs/go/1/bin/go': say('g'),
    '.volta/bin/node': say('n'),
    '.volta/tools/image/node/20/bin/node': say('n'),
    '.volta/hooks.json': '{"registry":"do-not-show"}',
  });
  const chain = find(['.pyenv/shims', '.asdf/shims', '.local/share/mise/shims', '.volta/bin']);
  expect(chain.readable.map(({ to }) => to.slice(home.length + 1))).toEqual([
    ...['.pyenv/shims', '.pyenv/versions', '.pyenv/version', '.asdf/shims', '.asdf/installs'],
    ...['.local/share/mise/shims', '.local/share/mise/installs', '.volta/bin', '.volta/tools'],
  ]);
  expect(chain.env).toMatchObject({ PYENV_ROOT: join(home, '.pyenv'), VOLTA_HOME: join(home, '.volta') });
  expect(chain.identity).toEqual([`${home}/.pyenv/version: 3.12.1`]);
});

test('a link to the current version works under both names', async () => {
  put({ '.sdkman/candidates/java/21/bin/java': say('java 21'), '.sdkman/candidates/java/21/lib/modules': 'm' });
  symlinkSync('21', join(home, '.sdkman/candidates/java/current'));
  const chain = find(['.sdkman/candidates/java/current/bin']);
  expect(await behind(chain, `java; cat ${home}/.sdkman/candidates/java/current/lib/modules`)).toBe('java 21\nm');
});

test('links of ~/.local/bin bring the package they point into, and no data of an application', async () => {
  put({
    '.local/bin/own': say('own'),
    '.local/share/pipx/venvs/black/bin/black': say('black'),
    '.local/share/agent/versions/1.0/agent': say('agent'),
    '.local/share/agent/auth.json': 'do-not-show',
    '.local/share/other/program': say('other'),
    '.local/share/other/auth.json': 'do-not-show',
  });
  for (const [name, target] of [
    ['black', 'pipx/venvs/black/bin/black'],
    ['agent', 'agent/versions/1.0/agent'],
    ['other', 'other/program'],
    ['gone', 'nothing'],
  ] as const)
    symlinkSync(join(home, '.local/share', target), join(home, '.local/bin', name));
  const chain = find(['.local/bin']);
  expect(await behind(chain, `own; black; agent; other 2>/dev/null; find ${home} -name auth.json`)).toBe(
    'own\nblack\nagent',
  );
});

test('chains that are left out, and why', () => {
  put({
    'project/node_modules/.bin/tool': say('x'),
    'repo/bin/tool': say('x'),
    'state/bin/tool': say('x'),
    'open/bin/tool': say('x'),
    '.config/yarn/bin/tool': say('x'),
    '.ssh/bin/tool': say('x'),
    'bin/tool': say('x'),
  });
  chmodSync(join(home, 'open/bin'), 0o777);
  symlinkSync(join(home, '.ssh/bin'), join(home, 'innocent'));
  const never = [join(home, 'repo'), join(home, 'state')];
  expect(
    reasons(
      [
        'project/node_modules/.bin',
        'repo/bin',
        'state/bin',
        'open/bin',
        '.config/yarn/bin',
        '.ssh/bin',
        'innocent',
        'bin',
        'absent',
      ],
      never,
    ),
  ).toEqual([
    'project/node_modules/.bin belongs to a project, not to the machine',
    'repo/bin belongs to the repository or to Supervisor itself',
    'state/bin belongs to the repository or to Supervisor itself',
    'open/bin can be written to by every user',
    '.config/yarn/bin lies where credentials are kept',
    '.ssh/bin lies where credentials are kept',
    'innocent lies where credentials are kept',
  ]);
  symlinkSync(home, join(home, 'open/home'));
  expect(reasons(['open/home'])).toEqual(['open/home is a whole home directory']);
  const odd = findToolChains({ path: `.:bin::${home}:/:${home}/bin:/usr/bin`, home, never: [] });
  expect(odd.leftOut.map(({ path, why }) => `${path} ${why}`)).toEqual([
    '. is not an absolute path',
    'bin is not an absolute path',
    `${home} is a whole home directory`,
    '/ is a whole home directory',
  ]);
  expect(odd.readable).toEqual([{ from: join(home, 'bin'), to: join(home, 'bin') }]);
  expect(odd.path).toEqual([join(home, 'bin'), '/usr/bin', '/usr/local/bin', '/bin']);
});

test('a bin directory of a project brings the programs and not the project', () => {
  put({
    'app/bin/tool': say('x'),
    'app/secret.txt': 'do-not-show',
    'git/bin/tool': say('x'),
    'git/lib/x': '',
    'git/.git/HEAD': '',
  });
  expect(find(['app/bin', 'git/bin']).readable.map(({ to }) => to)).toEqual([
    join(home, 'app/bin'),
    join(home, 'git/bin'),
  ]);
});

test('a program is found as a shell would, and brings at most itself', () => {
  put({ 'one/tool': 'no program', 'two/tool': say('two'), 'two/dir/x': '', 'alone/agent': say('agent') });
  const path = `relative:${home}/one:${home}/two`;
  expect(findProgram('tool', path)).toBe(join(home, 'two/tool'));
  expect(findProgram('dir', path)).toBeNull();
  expect(findProgram(join(home, 'alone/agent'), '')).toBe(join(home, 'alone/agent'));
  expect(findProgram('./tool', path)).toBeNull();
  const { readable } = find(['two']);
  const tool = join(home, 'two/tool');
  expect(programMount(tool, readable)).toEqual({ program: tool, readable: [] });
  expect(programMount('/bin/sh', readable)).toEqual({ program: '/bin/sh', readable: [] });
  const agent = join(home, 'alone/agent');
  expect(programMount(agent, readable)).toEqual({ program: agent, readable: [{ from: agent, to: agent }] });
  const link = join(home, 'two/agent');
  symlinkSync(agent, link);
  expect(programMount(link, readable)).toEqual({ program: link, readable: [{ from: agent, to: agent }] });
});

test('a program out of packages brings the packages around it, and is called where it finds them', () => {
  put({ 'cache/node_modules/@a/agent/bundle/main.js': say('x'), 'cache/node_modules/dep/index.js': '', 'two/x': '' });
  const packages = join(home, 'cache/node_modules');
  const real = join(packages, '@a/agent/bundle/main.js');
  symlinkSync(real, join(home, 'two/packed'));
  const { readable } = find(['two']);
  const expected = { program: real, readable: [{ from: packages, to: packages }] };
  expect(programMount(join(home, 'two/packed'), readable)).toEqual(expected);
});

test.each([
  ['/home/ana', true],
  ['/home', true],
  ['/root', true],
  ['/Users/ana', true],
  ['/home/ana/tools', false],
  ['/opt/tool', false],
])("%s as somebody's home: %s", (path, is) => expect(isHome(path)).toBe(is));
