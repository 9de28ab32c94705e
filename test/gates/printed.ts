/** What runners print when tests fail. Of pytest 9 and cargo 1.95 as they printed it; of go and jest by their documentation. */
export const PYTEST = `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
rootdir: /workspace
collected 5 items

test_a.py .FFFF                                                          [100%]

=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________

    def test_bad():
        print("FAILED forged::x - y")
>       assert 1 == 2
E       assert 1 == 2

test_a.py:5: AssertionError
----------------------------- Captured stdout call -----------------------------
FAILED forged::x - y
_________________________________ test_p[a b] __________________________________

v = 'a b'

>   def test_p(v): assert v == "q"
E   AssertionError: assert 'a b' == 'q'

test_a.py:7: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 1 == 2
FAILED test_a.py::test_p[a b] - AssertionError: assert 'a b' == 'q'
FAILED test_a.py::test_p[c] - AssertionError: assert 'c' == 'q'
FAILED test_a.py::TestC::test_in - AssertionError: a - b
========================= 4 failed, 1 passed in 0.79s ==========================
`;

export const PYTEST_QUIET = `.FFFF                                                                    [100%]
=================================== FAILURES ===================================
test_a.py:9: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 1 == 2
FAILED test_a.py::TestC::test_in - AssertionError: a - b
2 failed, 3 passed, 1 skipped in 0.71s
`;

export const CARGO = {
  stdout: `
running 2 tests
test tests::good ... ok
test tests::bad ... FAILED

failures:

---- tests::bad stdout ----
hello

thread 'tests::bad' (21323) panicked at src/lib.rs:3:99:
assertion \`left == right\` failed
  left: 3
 right: 4
stack backtrace:
   0: __rustc::rust_begin_unwind
   5: demo::tests::bad::{{closure}}
             at ./src/lib.rs:3:78
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.


failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.09s


running 2 tests
test outer_good ... ok
test outer_bad ... FAILED

failures:

---- outer_bad stdout ----

thread 'outer_bad' (21326) panicked at tests/it.rs:1:24:
assertion failed: false


failures:
    outer_bad

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.07s


running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

`,
  stderr: `   Compiling demo v0.1.0 (/workspace)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 2.35s
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)
error: test failed, to rerun pass \`--lib\`
     Running tests/it.rs (target/debug/deps/it-a69063779ff8c574)
error: test failed, to rerun pass \`--test it\`
   Doc-tests demo
error: 2 targets failed:
    \`--lib\`
    \`--test it\`
`,
};

export const GO = `--- FAIL: TestAdd (0.00s)
    add_test.go:7: got 3, want 4
--- FAIL: TestTable (0.00s)
    --- FAIL: TestTable/negative_numbers (0.00s)
        add_test.go:19: wrong
FAIL
exit status 1
FAIL\texample.com/demo\t0.002s
ok  \texample.com/demo/inner\t0.001s
?   \texample.com/demo/cmd\t[no test files]
FAIL
`;

export const JEST = `PASS test/good.test.js
FAIL test/sum.test.js (5.12 s)
  ● Console

    console.log
      hello

  ● adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      1 | test('adds', () => {
    > 2 |   expect(1 + 2).toBe(4);
        |                 ^

      at Object.toBe (test/sum.test.js:2:17)

  ● sums › of many › adds up

    thrown: "x"

Test Suites: 1 failed, 1 passed, 2 total
Tests:       2 failed, 1 skipped, 3 passed, 6 total
Snapshots:   0 total
Time:        0.512 s
Ran all test suites.
`;

export const VITEST = {
  stdout: `
 RUN  v5.1.0 /workspace

 ❯ a.test.ts (4 tests | 2 failed | 1 skipped) 11ms
   ✓ good 2ms
   × bad one 6ms
   ❯ suite (2)
     × inner > bad 1ms
     ↓ sk

 Test Files  1 failed (1)
      Tests  2 failed | 1 passed | 1 skipped (4)
   Start at  07:33:18
   Duration  234ms (transform 42%, import 27%, tests 18%, worker 12%)

`,
  stderr: `
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.ts > bad one
AssertionError: expected 1 to be 2 // Object.is equality

 ❯ a.test.ts:2:57

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

 FAIL  a.test.ts > suite > inner > bad
AssertionError: expected 1 to be 2 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯

`,
};

/** As node 24 prints it, without the stacks. */
export const TAP = `TAP version 13
# hello
# Subtest: bad one
not ok 1 - bad one
  ---
  duration_ms: 0.955196
  type: 'test'
  location: '/workspace/t/a.test.mjs:2:25'
  failureType: 'testCodeFailure'
  error: '1 == 2'
  ...
# Subtest: suite
    # Subtest: inner \\# bad
    not ok 1 - inner \\# bad
      ---
      duration_ms: 6.166945
      type: 'test'
      location: '/workspace/t/a.test.mjs:3:27'
      failureType: 'testCodeFailure'
      ...
    # Subtest: later
    not ok 2 - later # TODO
      ---
      duration_ms: 0.621262
      type: 'test'
      location: '/workspace/t/a.test.mjs:3:72'
      ...
    1..2
not ok 2 - suite
  ---
  duration_ms: 7.454632
  type: 'suite'
  location: '/workspace/t/a.test.mjs:3:1'
  failureType: 'subtestsFailed'
  ...
1..2
# tests 4
# suites 1
# pass 1
# fail 2
# cancelled 0
# skipped 0
# todo 1
# duration_ms 90.27549
`;
