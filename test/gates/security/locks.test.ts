/** What a change does to lock files; each with the nearest change that is harmless. */
import { describe, expect, test } from 'vitest';
import { dependencyFindings } from '../../../src/mind/gates/security/dependencies.ts';

const run = (path: string, before: string | null, after: string | null) =>
  dependencyFindings([{ path, before, after }]);
const rules = (path: string, before: string | null, after: string | null) =>
  run(path, before, after).findings.map(({ rule, severity }) => `${severity} ${rule}`);
const json = (value: unknown) => JSON.stringify(value, null, 2);

const HASH = 'sha512-oldoldoldold==';
const REGISTRY = 'https://registry.example/ky/-/ky-1.0.0.tgz';
const KY = { version: '1.0.0', resolved: REGISTRY, integrity: HASH };
const npmLock = (packages: object) => json({ lockfileVersion: 3, packages: { '': { name: 'a' }, ...packages } });
const ky = (more: object) => npmLock({ 'node_modules/ky': { ...KY, ...more } });

describe('package-lock.json', () => {
  test.each<[string, object, string[]]>([
    ['another hash for the same version', { integrity: 'sha512-other==' }, ['critical lock-integrity-changed']],
    ['an empty hash', { integrity: '' }, ['high lock-integrity-missing']],
    ['no hash', { integrity: undefined }, ['high lock-integrity-missing']],
    ['another host', { resolved: 'https://evil.example/ky.tgz' }, ['high lock-new-host']],
    ['no TLS', { resolved: 'http://registry.example/ky/-/ky-1.0.0.tgz' }, ['high lock-plain-http']],
    [
      'the catalogue: an address of the machine and no hash',
      { resolved: 'http://127.0.0.1:9/x.tgz', integrity: '' },
      ['high lock-integrity-missing', 'high lock-plain-http', 'high lock-new-host'],
    ],
    ['git', { resolved: 'git+ssh://git@github.com/x/ky.git#0f', integrity: undefined }, ['high lock-git-source']],
    ['a script', { hasInstallScript: true }, ['high lock-install-script']],
    [
      'a newer version',
      { version: '1.1.0', resolved: REGISTRY.replace('1.0.0', '1.1.0'), integrity: 'sha512-new==' },
      [],
    ],
    ['a stronger hash beside the old one', { integrity: `${HASH} sha256-more=` }, []],
    ['another flag', { dev: true }, []],
  ])('%s', (_, more, expected) => expect(rules('package-lock.json', ky({}), ky(more))).toEqual(expected));

  test('a new package', () => {
    const after = npmLock({ 'node_modules/ky': KY, 'node_modules/@a/b': { ...KY, version: '2.0.0' } });
    const { added, findings } = run('package-lock.json', ky({}), after);
    expect(added).toEqual([{ ecosystem: 'npm', name: '@a/b', version: '2.0.0', path: 'package-lock.json' }]);
    expect(findings).toMatchObject([{ severity: 'low', rule: 'lock-packages-added' }]);
  });

  test('a registry of its own that the base uses already is no new host; workspaces need no hash', () => {
    const mirror = ky({ resolved: 'https://mirror.example/ky.tgz' });
    const after = npmLock({
      'node_modules/ky': { ...KY, resolved: 'https://mirror.example/ky.tgz' },
      'node_modules/qs': { ...KY, resolved: 'https://mirror.example/qs.tgz' },
      'node_modules/own': { resolved: 'packages/own', link: true },
      'packages/own': { version: '1.0.0' },
    });
    expect(rules('package-lock.json', mirror, after)).toEqual(['low lock-packages-added']);
  });

  test('version 1', () => {
    const lock = (integrity: string) =>
      json({
        lockfileVersion: 1,
        dependencies: { a: { version: '1.0.0', dependencies: { ky: { ...KY, integrity } } } },
      });
    expect(rules('package-lock.json', lock(HASH), lock('sha512-x=='))).toEqual(['critical lock-integrity-changed']);
  });
});

describe('other lock files', () => {
  const pnpm = (resolution: string, more = '') =>
    `lockfileVersion: '9.0'\n\npackages:\n\n  ky@1.0.0:\n    resolution: {${resolution}}\n${more}\nsnapshots:\n\n  ky@1.0.0: {}\n`;
  const yarn = (resolved: string, integrity: string) =>
    `# yarn lockfile v1\n\nky@^1.0.0:\n  version "1.0.0"\n  resolved "${resolved}"\n${integrity}`;
  const cargo = (source: string, checksum: string) =>
    `version = 3\n\n[[package]]\nname = "own"\nversion = "0.1.0"\n\n[[package]]\nname = "serde"\nversion = "1.0.0"\nsource = "${source}"\nchecksum = "${checksum}"\n`;
  const CRATES = 'registry+https://index.example/crates';
  const gems = (remote: string) => `GEM\n  remote: ${remote}\n  specs:\n    rack (2.0.0)\n\nDEPENDENCIES\n  rack\n`;
  const poetry = (hash: string) =>
    `[[package]]\nname = "flask"\nversion = "1.0"\nfiles = [\n    {file = "f.whl", hash = "sha256:${hash.repeat(64)}"},\n]\n`;

  test.each<[string, string, string, string, string[]]>([
    [
      'pnpm: another hash',
      'pnpm-lock.yaml',
      pnpm('integrity: sha512-a=='),
      pnpm('integrity: sha512-b=='),
      ['critical lock-integrity-changed'],
    ],
    ['pnpm: no hash', 'pnpm-lock.yaml', pnpm('integrity: sha512-a=='), pnpm(''), ['high lock-integrity-missing']],
    [
      'pnpm: an archive elsewhere',
      'pnpm-lock.yaml',
      pnpm('integrity: sha512-a=='),
      pnpm('integrity: sha512-a==, tarball: https://evil.example/k.tgz'),
      ['high lock-new-host'],
    ],
    [
      'pnpm: a script',
      'pnpm-lock.yaml',
      pnpm('integrity: sha512-a=='),
      pnpm('integrity: sha512-a==', '    requiresBuild: true\n'),
      ['high lock-install-script'],
    ],
    ['pnpm: unchanged', 'pnpm-lock.yaml', pnpm('integrity: sha512-a=='), `${pnpm('integrity: sha512-a==')}\n`, []],
    [
      'yarn: another host',
      'yarn.lock',
      yarn('https://yarn.example/ky.tgz#1', '  integrity sha512-a==\n'),
      yarn('https://evil.example/ky.tgz#1', '  integrity sha512-a==\n'),
      ['high lock-new-host'],
    ],
    [
      'yarn: no hash',
      'yarn.lock',
      yarn('https://yarn.example/ky.tgz#1', '  integrity sha512-a==\n'),
      yarn('https://yarn.example/ky.tgz#1', ''),
      ['high lock-integrity-missing'],
    ],
    [
      'Cargo: git',
      'Cargo.lock',
      cargo(CRATES, 'a'),
      cargo('git+https://github.com/x/serde#0f', 'a'),
      ['high lock-git-source'],
    ],
    [
      'Cargo: another hash',
      'Cargo.lock',
      cargo(CRATES, 'a'.repeat(64)),
      cargo(CRATES, 'b'.repeat(64)),
      ['critical lock-integrity-changed'],
    ],
    ['Cargo: unchanged', 'Cargo.lock', cargo(CRATES, 'a'), `# x\n${cargo(CRATES, 'a')}`, []],
    ['Poetry: another hash', 'poetry.lock', poetry('a'), poetry('b'), ['critical lock-integrity-changed']],
    [
      'Go: another hash',
      'go.sum',
      'a.b/c v1.0.0 h1:aaa=\n',
      'a.b/c v1.0.0 h1:bbb=\n',
      ['critical lock-integrity-changed'],
    ],
    [
      'Go: a new module',
      'go.sum',
      'a.b/c v1.0.0 h1:aaa=\n',
      'a.b/c v1.0.0 h1:aaa=\na.b/d v1.0.0 h1:bbb=\n',
      ['low lock-packages-added'],
    ],
    [
      'Bundler: another host',
      'Gemfile.lock',
      gems('https://gems.example/'),
      gems('https://evil.example/'),
      ['high lock-new-host'],
    ],
    ['Bundler: unchanged', 'Gemfile.lock', gems('https://gems.example/'), `${gems('https://gems.example/')}\n`, []],
  ])('%s', (_, path, before, after, expected) => expect(rules(path, before, after)).toEqual(expected));

  test('Berry: an entry with a checksum', () => {
    const berry = (checksum: string) =>
      `__metadata:\n  version: 8\n\n"ky@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "ky@npm:1.0.0"\n  checksum: 10/${checksum}\n  languageName: node\n`;
    expect(rules('yarn.lock', berry('aa'), berry('bb'))).toEqual(['critical lock-integrity-changed']);
    expect(rules('yarn.lock', berry('aa'), berry('aa'))).toEqual([]);
  });
});
