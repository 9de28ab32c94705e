/** Secrets in added lines: by the scanner that texts are redacted with, never quoted in a finding. */
import { expect, test } from 'vitest';
import { secretFindings } from '../../../src/mind/gates/security/secrets.ts';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';

// Put together, so that no file holds one.
const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const NAMED = `api_${'secret'} = "k9X2mQ7wLr8vT4zB"`;

function scan(path: string, before: string | null, after: string) {
  const isTest = (one: string) => one.startsWith('test/');
  return secretFindings([{ path, before, after }], [findSecrets(after)], isTest);
}

test('a token in an added line is critical, and is not in the finding', () => {
  const findings = scan('src/a.js', 'a\n', `a\nconst t = '${TOKEN}';\n`);
  expect(findings).toMatchObject([{ rule: 'secret', severity: 'critical', path: 'src/a.js', line: 2 }]);
  expect(JSON.stringify(findings)).not.toContain(TOKEN.slice(4));
});

test('a secret of the base is not new, moved or not', () => {
  expect(scan('src/a.js', `const t = '${TOKEN}';\n`, `\n  const t = '${TOKEN}';\n`)).toEqual([]);
});

test('a value that only its name makes a secret is critical in source and medium in tests', () => {
  expect(scan('src/a.py', null, `${NAMED}\n`)).toMatchObject([{ severity: 'critical' }]);
  expect(scan('test/a.py', null, `${NAMED}\n`)).toMatchObject([{ severity: 'medium' }]);
  expect(scan('test/a.py', null, `t = '${TOKEN}'\n`)).toMatchObject([{ severity: 'critical' }]);
});

test('a key over several lines counts where its first new line stands', () => {
  const key = `-----BEGIN ${'PRIVATE'} KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(8)}-----END ${'PRIVATE'} KEY-----\n`;
  expect(scan('src/a.pem', null, `x\n${key}`)).toMatchObject([{ severity: 'critical', line: 2 }]);
});
