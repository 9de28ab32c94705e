/** When a change of key files is no more than what the task names. */
import { expect, test } from 'vitest';
import type { ChangedFile } from '../../../src/mind/changes/changed-file.ts';
import { notOnlyNamed } from '../../../src/mind/findings/named-additions.ts';

const REGISTRY = 'https://registry.example';
const pin = (name: string, version: string, more = {}) => ({
  [`node_modules/${name}`]: {
    version,
    resolved: `${REGISTRY}/${name}/-/${name}-${version}.tgz`,
    integrity: `sha512-${name}${version}==`,
    ...more,
  },
});
const manifest = (dependencies: object, more = {}) =>
  JSON.stringify({ name: 'shop', version: '1.0.0', scripts: { test: 'vitest run' }, dependencies, ...more }, null, 2);
const lock = (dependencies: object, packages: object) =>
  JSON.stringify({
    name: 'shop',
    lockfileVersion: 3,
    packages: { '': { name: 'shop', dependencies }, ...packages },
  });

const OLD = { ms: '^2.0.0' };
const NEW = { ms: '^2.0.0', zod: '^4.0.0' };
function npm(change: { readonly manifest?: string; readonly packages?: object }): ChangedFile[] {
  return [
    { path: 'package.json', before: manifest(OLD), after: change.manifest ?? manifest(NEW) },
    {
      path: 'package-lock.json',
      before: lock(OLD, pin('ms', '2.1.3')),
      after: lock(NEW, change.packages ?? { ...pin('ms', '2.1.3'), ...pin('zod', '4.0.1') }),
    },
  ];
}
const TASK = 'Add the dependency zod and validate the settings with it.';

test('a package that the task names, pinned by a hash, is all that changed', () => {
  expect(notOnlyNamed(npm({}), TASK)).toBeNull();
  const released = manifest(NEW, { version: '1.1.0', description: 'A shop' });
  expect(notOnlyNamed(npm({ manifest: released }), TASK)).toBeNull();
  const withOwn = { ...pin('ms', '2.1.3'), ...pin('zod', '4.0.1'), ...pin('zod-core', '1.0.0') };
  expect(notOnlyNamed(npm({ packages: withOwn }), TASK)).toBeNull();
});

const BOTH = { ...pin('ms', '2.1.3'), ...pin('zod', '4.0.1') };
test.each<[string, Parameters<typeof npm>[0], string]>([
  [
    'another package that the task does not name',
    { manifest: manifest({ ...NEW, chalk: '^5.0.0' }), packages: { ...BOTH, ...pin('chalk', '5.0.0') } },
    '`chalk`',
  ],
  ['no hash', { packages: { ...pin('ms', '2.1.3'), ...pin('zod', '4.0.1', { integrity: undefined }) } }, 'hash'],
  ['another version of what was there', { packages: { ...BOTH, ...pin('ms', '2.1.2') } }, '`ms`'],
  [
    'another hash of what was there',
    { packages: { ...BOTH, ...pin('ms', '2.1.3', { integrity: 'sha512-x==' }) } },
    'hash',
  ],
  ['what was there is gone', { packages: pin('zod', '4.0.1') }, '`ms`'],
  [
    'another registry',
    { packages: { ...BOTH, ...pin('zod', '4.0.1', { resolved: 'https://evil.example/z.tgz' }) } },
    'evil',
  ],
  ['a script on install', { packages: { ...BOTH, ...pin('zod', '4.0.1', { hasInstallScript: true }) } }, 'script'],
  ['a script of the project', { manifest: manifest(NEW, { scripts: { test: 'true' } }) }, 'more than packages'],
  ['an override', { manifest: manifest(NEW, { overrides: { ms: '1.0.0' } }) }, 'ms'],
  ['no pin at all', { packages: pin('ms', '2.1.3') }, 'no lock file'],
])('refused: %s', (_, change, why) => {
  expect(notOnlyNamed(npm(change), TASK)).toContain(why);
});

test('words that do not name the package, and words without an author, allow nothing', () => {
  expect(notOnlyNamed(npm({}), 'Validate the settings.')).toContain('`zod`');
  expect(notOnlyNamed(npm({}), 'Validate the settings. Do not add the dependency zod.')).toContain('`zod`');
  expect(notOnlyNamed(npm({}), '')).toContain('no words');
});

test('files that are programs, settings of a package manager, and files that go are refused', () => {
  for (const path of ['setup.py', 'Gemfile', 'Makefile', '.npmrc', 'requirements.txt'])
    expect(notOnlyNamed([{ path, before: '', after: 'zod\n' }], TASK), path).toContain('more than packages');
  expect(notOnlyNamed([{ path: 'package-lock.json', before: lock(OLD, {}), after: null }], TASK)).not.toBeNull();
});

const MODULE = 'module example.com/shop\n\ngo 1.22\n';
const SUM = (name: string, version: string) => `${name} ${version} h1:abc=\n${name} ${version}/go.mod h1:def=\n`;
test('a Go module, with the modules that it needs itself', () => {
  const task = 'Use golang.org/x/text for the collation.';
  const added = `${MODULE}\nrequire golang.org/x/text v0.14.0\n\nrequire golang.org/x/tools v0.6.0 // indirect\n`;
  const files = (text: string, sums: string): ChangedFile[] => [
    { path: 'go.mod', before: MODULE, after: text },
    { path: 'go.sum', before: '', after: sums },
  ];
  const sums = SUM('golang.org/x/text', 'v0.14.0') + SUM('golang.org/x/tools', 'v0.6.0');
  expect(notOnlyNamed(files(added, sums), task)).toBeNull();
  expect(notOnlyNamed(files(added, ''), task)).toContain('no lock file');
  expect(notOnlyNamed(files(`${added}\nreplace golang.org/x/text => ../text\n`, sums), task)).not.toBeNull();
  expect(notOnlyNamed(files(added.replace('go 1.22', 'go 1.23'), sums), task)).toContain('more than packages');
});

const PYTHON =
  '[project]\nname = "shop"\nversion = "1.0"\ndependencies = []\n\n[build-system]\nrequires = ["hatchling"]\n';
const uv = (name: string) =>
  `version = 1\n\n[[package]]\nname = "${name}"\nversion = "1.0"\nsource = { registry = "https://index.example/simple" }\nsdist = { url = "https://files.example/${name}.tar.gz", hash = "sha256:${'a'.repeat(64)}" }\n`;
test('a Python package in pyproject.toml and uv.lock', () => {
  const files = (text: string): ChangedFile[] => [
    { path: 'pyproject.toml', before: PYTHON, after: text },
    { path: 'uv.lock', before: 'version = 1\n', after: uv('httpx') },
  ];
  const added = PYTHON.replace('dependencies = []', 'dependencies = ["httpx>=1.0"]');
  const task = 'Add httpx to the dependencies.';
  expect(notOnlyNamed(files(added), task)).toBeNull();
  expect(notOnlyNamed(files(added.replace('"hatchling"', '"evil-build"')), task)).not.toBeNull();
});
