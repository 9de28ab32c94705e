/** What of a key file decides its environment. */
import { expect, test } from 'vitest';
import { mayHoldOwnVersion, withoutOwnVersion } from '../../../src/mind/environment/own-version.ts';

const same = (path: string, before: string, after: string) =>
  withoutOwnVersion(path, before) === withoutOwnVersion(path, after);

const npm = (version: string, dependency: string, more = {}) =>
  JSON.stringify({ name: 'shop', version, description: `Shop ${version}`, dependencies: { zod: dependency }, ...more });
const lock = (version: string, dependency: string, member = '1.0.0') =>
  JSON.stringify({
    version,
    lockfileVersion: 3,
    packages: {
      '': { name: 'shop', version, dependencies: { zod: '^4.0.0' } },
      'packages/core': { version: member },
      'node_modules/zod': { version: dependency, integrity: 'sha512-a' },
      'packages/core/node_modules/zod': { version: dependency, integrity: 'sha512-a' },
    },
  });
const python = (version: string, dependency: string) =>
  `[project]\nname = "shop"\nversion = "${version}"\ndescription = 'Shop ${version}' # short\ndependencies = ["httpx==${dependency}"]\n`;
const poetry = (version: string, dependency: string) =>
  `[tool.poetry]\nversion = "${version}"\n\n[tool.poetry.dependencies]\nversion = "${dependency}"\n`;
const cargo = (version: string, dependency: string) =>
  `[package]\nname = "shop"\nversion = "${version}"\n\n[dependencies.serde]\nversion = "${dependency}"\n`;
const cargoLock = (version: string, dependency: string) =>
  `version = 3\n\n[[package]]\nname = "shop"\nversion = "${version}"\ndependencies = ["serde"]\n\n[[package]]\nname = "serde"\nversion = "${dependency}"\nsource = "registry+https://index.example"\n`;
const uvLock = (version: string, dependency: string) =>
  `version = 1\n\n[[package]]\nname = "shop"\nversion = "${version}"\nsource = { editable = "." }\n\n[[package]]\nname = "httpx"\nversion = "${dependency}"\nsource = { registry = "https://index.example" }\n`;

const FILES: readonly (readonly [string, (own: string, dependency: string) => string])[] = [
  ['package.json', npm],
  ['packages/core/package.json', npm],
  ['package-lock.json', lock],
  ['npm-shrinkwrap.json', lock],
  ['pyproject.toml', python],
  ['pyproject.toml', poetry],
  ['Cargo.toml', cargo],
  ['Cargo.lock', cargoLock],
  ['uv.lock', uvLock],
];

test.each(FILES)("%s: the project's own version does not count, a dependency's does", (path, text) => {
  expect(mayHoldOwnVersion(path)).toBe(true);
  expect(same(path, text('1.0.0', '4.0.0'), text('1.1.0', '4.0.0'))).toBe(true);
  expect(same(path, text('1.0.0', '4.0.0'), text('1.0.0', '4.0.1'))).toBe(false);
});

test('the version of another package of the repository does not count', () => {
  expect(same('package-lock.json', lock('1.0.0', '4.0.0', '1.0.0'), lock('1.0.0', '4.0.0', '2.0.0'))).toBe(true);
});

test('a script, an engine and a name count', () => {
  for (const more of [{ scripts: { postinstall: 'x' } }, { engines: { node: '>=24' } }, { name: 'other' }])
    expect(same('package.json', npm('1', '4'), npm('1', '4', more))).toBe(false);
});

test('an unreadable version counts as it is written', () => {
  expect(same('package.json', '{"version": 1', '{"version": 2')).toBe(false);
  expect(same('package.json', '[1]', '[2]')).toBe(false);
  const long = (version: string) => `[project]\nreadme = """\n[project]\nversion = "${version}"\n"""\n`;
  expect(same('pyproject.toml', long('1'), long('2'))).toBe(false);
  expect(mayHoldOwnVersion('go.mod')).toBe(false);
  expect(withoutOwnVersion('requirements.txt', 'version = "1"')).toBe('version = "1"');
});
