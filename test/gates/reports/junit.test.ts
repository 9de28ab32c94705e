/** JUnit XML: results come from the cases, totals must fit, and what is not well-formed is no report. */
import { describe, expect, test } from 'vitest';
import { countsOf } from '../../../src/mind/gates/reports/index.ts';
import { changed, isGreen, problemOf, recorded, reportOf, said } from './read.ts';

test('node: tests, suites, a failing TODO, a skip and names with XML in them', () => {
  expect(said('junit', recorded('node-mixed.xml'))).toEqual([
    '+ t/mixed.test.mjs > good',
    'x t/mixed.test.mjs > bad <one> & "two"',
    'x t/mixed.test.mjs > suite > inner # bad',
    '- t/mixed.test.mjs > suite > later',
    '- t/mixed.test.mjs > suite > later, and well',
    '- t/mixed.test.mjs > suite > skipped',
    '+ t/mixed.test.mjs > suite > with parts > part one',
    '+ t/mixed.test.mjs > suite > with parts > part two',
  ]);
});

test('vitest: expected failures, skips and tests of one name', () => {
  expect(said('junit', recorded('vitest-mixed.xml'))).toEqual([
    '+ mixed.test.ts > good',
    'x mixed.test.ts > bad <one> & "two"',
    '+ mixed.test.ts > expected to fail',
    '+ mixed.test.ts > flaky',
    'x mixed.test.ts > suite > inner',
    '- mixed.test.ts > suite > skipped',
    '- mixed.test.ts > suite > later',
    '+ mixed.test.ts > twin',
    '+ mixed.test.ts > twin',
  ]);
});

test('pytest: classes, parameters, xfail, setup and teardown; with and without the attribute `file`', () => {
  const [failed, old] = [reportOf('junit', recorded('pytest-mixed.xml')), recorded('pytest-xunit1.xml')];
  expect(reportOf('junit', old)).toEqual(failed);
  expect(countsOf(failed)).toEqual({ ran: 15, failed: 11, skipped: 2 });
  const statuses = failed.tests.map(({ id, status }) => `${id.replace('tests/test_mixed.py::', '')} ${status}`);
  expect(statuses).toEqual([
    'test_good passed',
    'test_bad failed',
    'test_p[a b] failed',
    'test_p[c] passed',
    'TestC::test_in passed',
    'TestC::TestInner::test_deep failed',
    'test_xfail skipped',
    'test_xpass passed',
    'test_xpass_strict failed',
    'test_skip skipped',
    'test_teardown failed',
    'test_teardown_both failed',
    'test_teardown_both failed',
    'test_setup failed',
    'test_skip_then_teardown failed',
    'Old::test_old failed',
    'Old::test_sub failed',
  ]);
});

test.each([
  ['tests.test_a', 'test_x', 'tests/test_a.py::test_x'],
  ['test_utils.a_test.TestB', 'test_x', 'test_utils/a_test.py::TestB::test_x'],
  ['src.pkg.checks.Deep.Deeper', 'check', 'src/pkg/checks.py::Deep::Deeper::check'],
  ['src.pkg.checks', 'check', 'src/pkg/checks.py::check'],
])('pytest: %s and %s are %s', (classname, name, id) => {
  const text = `<testsuite name="pytest"><testcase classname="${classname}" name="${name}"/></testsuite>`;
  expect(said('junit', text)).toEqual([`+ ${id}`]);
});

test('pytest: a test inherited from another file is named by its own module', () => {
  const text =
    '<testsuite name="pytest"><testcase classname="tests.test_b.TestB" name="test_x" file="tests/base.py"/></testsuite>';
  expect(said('junit', text)).toEqual(['+ tests/test_b.py::TestB::test_x']);
});

test('pytest: a file that skips itself is a skipped test', () => {
  const text = '<testsuite name="pytest"><testcase classname="" name="tests.test_a"><skipped/></testcase></testsuite>';
  expect(said('junit', text)).toEqual(['- tests.test_a']);
});

/** By the documentation of surefire and nextest, as no recording was at hand. */
test('surefire and nextest: tests that passed when tried again are flaky, those that never did failed', () => {
  const suite = (cases: string, failures: number) =>
    `<testsuites><testsuite name="demo::it" tests="2" failures="${failures}" errors="0" skipped="0">${cases}</testsuite></testsuites>`;
  const flaky = '<testcase classname="demo::it" name="a"><flakyFailure message="x"/></testcase>';
  const rerun = '<testcase classname="demo::it" name="b"><failure message="x"/><rerunFailure message="x"/></testcase>';
  expect(said('junit', suite(flaky + rerun, 1))).toEqual(['~ demo::it > a', 'x demo::it > b']);
  expect(said('junit', suite(`${flaky}<testcase name="c"><rerunFailure/></testcase>`, 0))[1]).toBe('~ demo::it > c');
});

test('other writers: suite, class and name, each once; a status in an attribute', () => {
  const text = `<testsuite name="Sums" tests="4" skipped="1" failures="1">
    <testcase classname="com.demo.Sums" name="adds"/><testcase classname="Sums" name="subtracts" status="run"/>
    <testcase name="later" status="notrun"/><testcase name="bad" status="failed"/></testsuite>`;
  expect(said('junit', text)).toEqual([
    '+ Sums > com.demo.Sums > adds',
    '+ Sums > subtracts',
    '- Sums > later',
    'x Sums > bad',
  ]);
});

describe('traps', () => {
  test.each([
    ['no file', 'vitest-nothing.xml'],
    ['a file without tests', 'vitest-empty.xml'],
    ['a file without tests, pytest', 'pytest-empty.xml'],
    ['a file that does not load', 'vitest-noload.xml'],
    ['a file that does not load, node', 'node-noload.xml'],
    ['a collection error', 'pytest-noload.xml'],
    ['a collection error beside tests that pass', 'pytest-both.xml'],
    ['all skipped, vitest', 'vitest-skip.xml'],
    ['all skipped, pytest', 'pytest-skip.xml'],
    ['all skipped, node', 'node-skip.xml'],
    ['exit(0) in a test, node counts it as one that passed', 'node-exit.xml'],
    ['exit(3) in a test', 'node-exit3.xml'],
    ['exit(0) in a test, vitest', 'vitest-exit.xml'],
    ['an error after its test, vitest', 'vitest-late.xml'],
    ['an error after its test, node', 'node-late.xml'],
    ['hooks, vitest', 'vitest-hook.xml'],
    ['hooks, node', 'node-hook.xml'],
    ['a TODO that fails and nothing else', 'node-todosuite.xml'],
    ['a test that failed by itself', 'node-parent.xml'],
  ])('%s is not green', (_, name) => {
    expect(isGreen('junit', recorded(name))).toBe(false);
  });

  test('the control: reports of runs that pass are green', () => {
    for (const name of ['node-green.xml', 'vitest-green.xml', 'pytest-green.xml'])
      expect(isGreen('junit', recorded(name)), name).toBe(true);
  });

  test('node: a test that fails while its parts pass is in the totals only', () => {
    const own = changed(recorded('node-parent.xml'), /\t<testsuite name="by child"[\s\S]*?<\/testsuite>\n/, '');
    const text = changed(changed(own, 'tests 4', 'tests 2'), 'fail 3', 'fail 1');
    expect(said('junit', text)).toEqual([
      '+ t/parent.test.mjs > own > fine',
      '! a test failed by itself while its parts passed, and the report does not say which',
    ]);
  });

  test.each([
    ['fewer tests', 'vitest-mixed.xml', 'tests="9" failures="2" errors="0" skipped="2"', 'tests="8"'],
    ['more tests', 'pytest-green.xml', 'tests="2"', 'tests="3"'],
    ['no failures', 'vitest-mixed.xml', 'failures="2" errors="0" skipped="2"', 'failures="0" errors="0"'],
    ['more failures', 'pytest-green.xml', 'failures="0"', 'failures="1"'],
    ['errors', 'pytest-green.xml', 'errors="0"', 'errors="1"'],
    ['skips', 'vitest-green.xml', 'skipped="1"', 'skipped="0"'],
    ['no number', 'pytest-green.xml', 'tests="2"', 'tests=""'],
    ['fewer tests of node', 'node-mixed.xml', 'tests 9', 'tests 8'],
    ['fewer failures of node', 'node-mixed.xml', 'fail 2', 'fail 1'],
    ['a case taken out', 'pytest-failed.xml', /<testcase [^>]*name="test_bad"[\s\S]*?<\/testcase>/, ''],
  ])('totals that contradict the cases are unusable: %s', (_, name, from, to) => {
    expect(problemOf('junit', changed(recorded(name), from, to))).toMatch(/contradicts its cases|it counts \d+/);
  });

  test('a failure of a whole suite is a problem', () => {
    const text = '<testsuite name="s"><testcase name="a"/><error message="set-up failed"/></testsuite>';
    expect(said('junit', text)).toEqual(['+ s > a', '! s: set-up failed']);
  });

  test('a `failure` deeper than the case is text of a test and counts for nothing', () => {
    const text = '<testsuite name="s"><testcase name="a"><properties><failure/></properties></testcase></testsuite>';
    expect(said('junit', text)).toEqual(['+ s > a']);
  });
});

describe('XML', () => {
  const suite = (inside: string, before = '') => `${before}<testsuite name="s">${inside}</testsuite>`;

  test('references, comments, CDATA, a byte order mark and both quotes are read', () => {
    const text = suite(
      "<!-- <testcase name='no'/> --><testcase name='a&#65;&#x42;&lt;\"'><system-out><![CDATA[</testcase>&x;]]></system-out></testcase>",
      '\ufeff<?xml version="1.0"?>\n',
    );
    expect(said('junit', text)).toEqual(['+ s > aAB<"']);
  });

  test.each([
    ['a document type', suite('<testcase name="a"/>', '<!DOCTYPE testsuite [<!ENTITY a "b">]>')],
    ['an entity', suite('<!ENTITY a SYSTEM "file:///etc/passwd">')],
    ['an entity that nobody declared', suite('<testcase name="&a;"/>')],
    ['an entity in text', suite('<testcase name="a">&lol9;</testcase>')],
    ['a bare ampersand', suite('<testcase name="a">a & b</testcase>')],
    ['a number beyond Unicode', suite('<testcase name="&#x110000;"/>')],
    ['an element that is not closed', '<testsuite><testcase name="a">'],
    ['elements that cross', '<testsuite><testcase name="a"></testsuite></testcase>'],
    ['two roots', '<testsuite><testcase name="a"/></testsuite><testsuite/>'],
    ['text behind the root', '<testsuite><testcase name="a"/></testsuite>bye'],
    ['an attribute twice', suite('<testcase name="a" name="b"/>')],
    ['an attribute without quotes', suite('<testcase name=a/>')],
    ['attributes without space', suite('<testcase name="a"time="1"/>')],
    ['< in an attribute', suite('<testcase name="<"/>')],
    ['another document', '<html><testcase name="a"/></html>'],
    ['a case in a case', suite('<testcase name="a"><testcase name="b"/></testcase>')],
    ['elements nested without end', '<testsuite>'.repeat(1000) + '</testsuite>'.repeat(1000)],
    ['nothing', '  \n'],
  ])('%s is unusable', (_, text) => {
    expect(problemOf('junit', text)).not.toBeNull();
  });
});
