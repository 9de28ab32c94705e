/** The facts for the person who decides whether another environment is prepared. */
import { expect, test } from 'vitest';
import { newInEnvironment } from '../../../src/mind/findings/new-environment.ts';

type Entry = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
};
const lock = (packages: Readonly<Record<string, Entry>>): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      Object.entries(packages).map(([name, one]) => [
        `node_modules/${name}`,
        { version: '1.0.0', resolved: `https://registry.example/${name}.tgz`, integrity: `sha512-${name}==`, ...one },
      ]),
    ),
  });
const news = (before: Readonly<Record<string, Entry>>, after: Readonly<Record<string, Entry>>) =>
  newInEnvironment([{ path: 'package-lock.json', before: lock(before), after: lock(after) }]);

test.each<[string, Record<string, Entry>, Record<string, Entry>, string]>([
  ['a new package', {}, { zod: {} }, 'new: `zod` 1.0.0 from registry.example, sha512-zod=='],
  [
    'another version',
    { ms: {} },
    { ms: { version: '2.0.0' } },
    'changed (was 1.0.0): `ms` 2.0.0 from registry.example',
  ],
  ['the same version with another hash', { ms: {} }, { ms: { integrity: 'sha512-other==' } }, 'sha512-other=='],
  ['another place', { ms: {} }, { ms: { resolved: 'https://elsewhere.example/ms.tgz' } }, 'from elsewhere.example'],
  [
    'a script',
    { ms: {} },
    { ms: {}, x: { hasInstallScript: true } },
    '`x` 1.0.0 from registry.example, sha512-x==…, with an install script',
  ],
  ['one that is gone', { ms: {}, x: {} }, { ms: {} }, 'gone: `x`'],
])('%s', (_, before, after, text) => {
  expect(news(before, after)).toContain(text);
});

test('unusual packages come first, and a long list is cut', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, {}]));
  const text = news({}, { ...many, evil: { resolved: 'git+https://elsewhere.example/evil.git' } }) ?? '';
  expect(text).toMatch(/^(?:critical|high|medium): package-lock\.json/);
  expect(text).toMatch(/and \d+ more packages$/);
  expect(text.length).toBeLessThan(2_000);
});

test('more than packages is named', () => {
  const manifest = (scripts: object) => JSON.stringify({ dependencies: { ms: '1.0.0' }, scripts });
  const files = [{ path: 'package.json', before: manifest({}), after: manifest({ test: 'true' }) }];
  expect(newInEnvironment(files)).toContain('more than packages changed in package.json');
});

test('requirements of pip are a list too, and another index is unusual', () => {
  const after = '--index-url https://elsewhere.example/simple\nflask==3.0.0 --hash=sha256:00\n';
  const text = newInEnvironment([{ path: 'requirements.txt', before: '', after }]) ?? '';
  expect(text).toMatch(/^(?:critical|high|medium): requirements\.txt/);
  expect(text).toContain('asked for in requirements.txt: `flask`');
});

test.each([
  ['a script of its own', { path: 'setup.sh', before: 'a', after: 'b' }],
  ['a lock file that is gone', { path: 'package-lock.json', before: '{}', after: null }],
  ['one that cannot be read', { path: 'package-lock.json', before: '{}', after: '{' }],
])('%s is no question: its effect is unknown', (_, file) => {
  expect(newInEnvironment([file])).toBeNull();
});
