/** Events of `go test -json`. */
import { describe, expect, test } from 'vitest';
import { changed, isGreen, problemOf, recorded, said } from './read.ts';

const A = [
  '+ example.com/demo/a > TestAdd',
  '+ example.com/demo/a > TestTable',
  '+ example.com/demo/a > TestTable/one',
  '+ example.com/demo/a > TestTable/negative_numbers',
  '- example.com/demo/a > TestSkip',
];

test('tests, subtests and skips; a printed pass takes no failure back', () => {
  expect(recorded('go-fail.jsonl')).toContain('"Action":"pass","Package":"example.com/demo/fail","Test":"TestBad"');
  expect(said('go', recorded('go-fail.jsonl'))).toEqual([
    ...A,
    '+ example.com/demo/fail > TestGood',
    'x example.com/demo/fail > TestBad',
    'x example.com/demo/fail > TestTable',
    'x example.com/demo/fail > TestTable/one',
    '+ example.com/demo/fail > TestTable/two',
  ]);
});

test('tests that run twice are two cases', () => {
  expect(said('go', recorded('go-twice.jsonl')).sort()).toEqual([...A, ...A].sort());
});

describe('traps', () => {
  test.each(['skip', 'notests', 'exitmain', 'broken2', 'nonl', 'panic', 'osexit', 'fail'])(
    'go-%s is not green',
    (name) => {
      expect(isGreen('go', recorded(`go-${name}.jsonl`))).toBe(false);
    },
  );

  test('the control: a run that passes is green', () => {
    expect(isGreen('go', recorded('go-green.jsonl'))).toBe(true);
    expect(said('go', recorded('go-green.jsonl'))).toEqual(A);
  });

  test('a TestMain that exits with 0', () => {
    expect(said('go', recorded('go-exitmain.jsonl'))).toEqual([
      'x example.com/demo/exitmain > TestBad',
      '! example.com/demo/exitmain ended well although tests of it failed',
    ]);
  });

  test('a test without a result', () => {
    expect(said('go', recorded('go-nonl.jsonl'))).toContain('! example.com/demo/nonl: TestX began and has no result');
  });

  test('a package that did not build, in text as go 1.19 says it', () => {
    expect(said('go', recorded('go-broken2.jsonl'))).toEqual([...A, '! FAIL\texample.com/demo/broken [build failed]']);
    expect(said('go', 'FAIL\texample.com/demo [setup failed]\n')).toHaveLength(1);
  });

  /** By its documentation (`go help buildjson`), as that version was not at hand. */
  test('a package that did not build, in events as go 1.24 says it', () => {
    const text = [
      '{"ImportPath":"example.com/b","Action":"build-output","Output":"# example.com/b\\n"}',
      '{"ImportPath":"example.com/b","Action":"build-fail"}',
      '{"Action":"start","Package":"example.com/b"}',
      '{"Action":"output","Package":"example.com/b","Output":"FAIL\\texample.com/b [build failed]\\n"}',
      '{"Action":"fail","Package":"example.com/b","Elapsed":0,"FailedBuild":"example.com/b"}',
    ].join('\n');
    expect(said('go', text)).toEqual(['! example.com/b did not build', '! example.com/b failed outside of its tests']);
  });

  test('a forged pass of a test that never began is no test, a failure is one', () => {
    const event = (action: string) => `{"Action":"${action}","Package":"example.com/demo/a","Test":"TestForged"}\n`;
    const text = recorded('go-green.jsonl');
    const at = /(?=[^\n]*"Output":"PASS\\n")/;
    expect(said('go', changed(text, at, event('pass')))).toEqual(A);
    expect(said('go', changed(text, at, event('fail')))).toContain('x example.com/demo/a > TestForged');
  });

  test.each([
    ['a package without its end', /[^\n]*"Action":"pass","Package":"example.com\/demo\/a","Elapsed"[^\n]*\n/, ''],
    ['an event that is cut off', /"Elapsed":0\}\n$/, ''],
    ['an event after the end', /$/, '{"Action":"run","Package":"example.com/demo/a","Test":"TestB"}\n'],
    ['an event without an action', /$/, '{"Package":"x"}\n'],
  ])('%s is unusable', (_, from, to) => {
    expect(problemOf('go', changed(recorded('go-green.jsonl'), from, to))).not.toBeNull();
  });

  test('build output alone is no report', () => {
    expect(problemOf('go', '# example.com/demo\nok\n')).not.toBeNull();
  });
});
