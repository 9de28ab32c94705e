/** Signatures of errors: equal for the same failure, different for another one, and without any text of it. */
import { describe, expect, test } from 'vitest';
import { jointSignature, signatureOf } from '../../src/mind/safeguards/signature.ts';

const nameOf = (text: string) => signatureOf(text)?.split('/')[0];

describe('a well-known failure has the name of its kind', () => {
  test.each([
    ['test_assertion', 'AssertionError: expected 3 to equal 4'],
    ['test_assertion', 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal'],
    ['test_timeout', 'Timeout of 5000ms exceeded in test "adds"'],
    ['hardcoded_secret', 'password = "hunter2"'],
    ['hardcoded_secret', "api_key='abc'"],
    ['sql_injection', 'cursor.execute("SELECT " + name)'],
    ['bash_syntax', './run.sh: line 3: syntax error near unexpected token `fi`'],
    ['python_syntax', 'SyntaxError: invalid syntax'],
    ['coverage_drop', 'Coverage 71% is below the threshold'],
    ['error', 'not ok 4 - adds two numbers'],
  ])('%s: %s', (name, line) => {
    expect(nameOf(`3 passed\n${line}\ndone`)).toBe(name);
  });

  test('and a text without one by the lines that mention a failure, else by all of them', () => {
    expect(signatureOf('ok 1\nok 2\nnot ok 3 - adds')).toBe(signatureOf('ok 2\nok 1\nnot ok 3 - adds'));
    expect(signatureOf('one')).not.toBe(signatureOf('two'));
    expect([signatureOf(''), signatureOf(' \n ')]).toEqual([null, null]);
  });
});

describe('the same failure', () => {
  const first = 'AssertionError: 12 is not 13 at /tmp/ws-1/src/a.test.js:12:3 (3fa9c01b)';
  test.each([
    ['line numbers and values', 'AssertionError: 7 is not 13 at /tmp/ws-1/src/a.test.js:99:1 (3fa9c01b)'],
    ['paths', 'AssertionError: 12 is not 13 at /home/me/a.test.js:12:3 (3fa9c01b)'],
    ['hashes', 'AssertionError: 12 is not 13 at /tmp/ws-1/src/a.test.js:12:3 (0c0ffee77)'],
    ['colours', '\u001b[31mAssertionError: 12 is not 13\u001b[39m at /tmp/ws-1/src/a.test.js:12:3 (3fa9c01b)'],
    ['what passed besides', `ok 1 - subtracts (0.3ms)\n${first}\nok 2 - divides`],
  ])('has the same signature whatever the %s', (_, other) => {
    expect(signatureOf(other)).toBe(signatureOf(first));
  });

  test('another failure has another one, so that a worker who mends one of two makes progress', () => {
    const second = 'AssertionError: the list is empty';
    expect(new Set([first, second, `${first}\n${second}`].map(signatureOf)).size).toBe(3);
    expect(nameOf(`${first}\n${second}`)).toBe('test_assertion');
  });
});

test('a failure is told by the name of its exception, also where the line of the test stays the same', () => {
  const jest = (error: string) =>
    `FAIL src/login.test.js\n  ● logs in\n    ${error}\n      at login (src/login.js:3:9)\nTests: 1 failed, 4 passed`;
  const all = ['TypeError: a.b is not a function', 'ReferenceError: c is not defined', 'NullPointerException'];
  expect(new Set(all.map((error) => signatureOf(jest(error)))).size).toBe(3);
});

test('code that a runner prints around a failure does not make two failures one', () => {
  const pytest = (error: string) =>
    `    def test_login():\n        key = "abc"\n>       login(key)\nE   ${error}\n1 failed in 0.12s`;
  const [first, second] = [pytest('KeyError: user'), pytest('TypeError: login() takes no argument')].map(signatureOf);
  expect(first).not.toBe(second);
  expect(signatureOf(pytest('KeyError: user').replace('0.12', '0.44'))).toBe(first);
});

test('a signature holds no text, whatever the failure says', () => {
  const secret = 'AssertionError: sk-live-abcdef is not the key of ana@example.com';
  expect(signatureOf(secret)).toMatch(/^test_assertion\/[0-9a-f]{12}$/);
});

test('several gates at once have one signature, in whatever order they reported', () => {
  expect(jointSignature([])).toBeNull();
  expect(jointSignature(['error/1', 'error/1'])).toBe('error/1');
  expect(jointSignature(['error/1', 'error/2'])).toBe(jointSignature(['error/2', 'error/1']));
});

test('a hostile text of any size costs little', () => {
  const began = performance.now();
  for (const piece of ['execute(+', '/a', '"key="', 'Timeout ', '\u001b[31'])
    signatureOf(piece.repeat(4_000_000 / piece.length));
  expect(performance.now() - began).toBeLessThan(2_000);
});
