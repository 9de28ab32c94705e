/** Forms of test files in Python, Go and Rust, and which of their tests certainly run. */
import type { Form } from './script-forms.ts';

export const PYTEST_FORMS: readonly Form[] = [
  {
    about: 'functions',
    text: 'def test_a():\n    assert 1 == 1\n\n\ndef test_b():\n    assert 2\n',
    tests: ['test_a', 'test_b'],
  },
  {
    about: 'heads over lines',
    text: 'def test_a(\n    tmp_path,\n    monkeypatch: "X",  # :\n) -> None:\n    assert 1\n',
    tests: ['test_a'],
  },
  {
    about: 'documentation',
    text: 'def test_a():\n    """Says\ndef test_b():\n    no\n    """\n    assert 1\n',
    tests: ['test_a'],
  },
  {
    about: 'comments before the body',
    text: "def test_a():  # it's\n# def test_b():\n\n    # more\n    assert 1\n",
    tests: ['test_a'],
  },
  { about: 'bodies on the line of the head', text: 'def test_a(): assert 1\ndef test_b(): pass\n', tests: [] },
  {
    about: 'classes',
    text: 'class TestA:\n    x = 1\n\n    def test_a(self):\n        assert 1\n\n    def helper(self):\n        pass\n\nclass Other:\n    def test_b(self):\n        pass\n',
    tests: ['TestA.test_a'],
  },
  {
    about: 'classes of unittest',
    text: 'import unittest\nclass SumCase(unittest.TestCase):\n    def testA(self):\n        self.assertTrue(1)\n',
    tests: ['SumCase.testA'],
  },
  {
    about: 'classes that are not collected',
    text: 'class TestA:\n    def __init__(self): pass\n    def test_a(self):\n        pass\nclass TestB:\n    __test__ = False\n    def test_b(self):\n        pass\nclass TestC(Base):\n    def test_c(self):\n        pass\n',
    tests: [],
  },
  {
    about: 'decorators that may skip',
    text: 'import pytest\n@pytest.mark.skip\ndef test_a():\n    pass\n@pytest.mark.skipif(\n    True,\n    reason="x",\n)\ndef test_b():\n    pass\n@pytest.mark.xfail\ndef test_c():\n    pass\n@pytest.mark.slow\ndef test_d():\n    pass\n@pytest.mark.parametrize("a", [])\ndef test_e(a):\n    pass\n',
    tests: [],
  },
  {
    about: 'decorators that skip nothing',
    text: 'from unittest import mock\n@mock.patch(\n    "a.b",\n)\n@mock.patch.object(a, "b")\ndef test_a(b, c):\n    pass\n',
    tests: ['test_a'],
  },
  {
    about: 'decorated classes',
    text: '@pytest.mark.skip\nclass TestA:\n    def test_a(self):\n        pass\n',
    tests: [],
  },
  {
    about: 'async functions',
    text: 'async def test_a():\n    pass\n@pytest.mark.asyncio\nasync def test_b():\n    await x()\n',
    tests: ['test_b'],
  },
  {
    about: 'async functions of a marked file',
    text: 'import pytest\npytestmark = pytest.mark.asyncio\nasync def test_a():\n    pass\n',
    tests: ['test_a'],
  },
  {
    about: 'a marked file',
    text: 'import pytest\npytestmark = [pytest.mark.skipif(True, reason="x")]\ndef test_a():\n    pass\n',
    tests: null,
  },
  {
    about: 'functions in conditions',
    text: 'if x:\n    def test_a():\n        pass\ntry:\n    def test_b():\n        pass\nexcept E:\n    pass\ndef test_c():\n    pass\n',
    tests: ['test_c'],
  },
  {
    about: 'functions in functions',
    text: 'def test_a():\n    def test_b():\n        pass\n    test_b()\n',
    tests: ['test_a'],
  },
  {
    about: 'two of one name',
    text: 'def test_a():\n    pass\ndef test_a():\n    pass\ndef test_b():\n    pass\n',
    tests: ['test_b'],
  },
  {
    about: 'functions that are changed later',
    text: 'def test_a():\n    pass\ntest_a = skip(test_a)\ndef test_b():\n    pass\ndel test_b\n',
    tests: [],
  },
  {
    about: 'other functions',
    text: 'def testing():\n    pass\ndef check_test():\n    pass\n@pytest.fixture\ndef test_data():\n    pass\n',
    tests: [],
  },
  {
    about: 'strings over lines',
    text: 'A = """\ndef test_x():\n    \'pass\'\n"""\nB = \'a\\\ndef test_y():\'\nC = r"\\\\"  + f"{A!r:>{10}}"\ndef test_a():\n    s = """\nends here\n"""\n    assert s\n',
    tests: ['test_a'],
  },
  {
    about: 'brackets over lines',
    text: 'A = [\n"def test_x():",\n  # def test_y():\n]\ndef test_a():\n    x = (1,\n2,\n)\n    assert x\n',
    tests: ['test_a'],
  },
  { about: 'continued lines', text: 'x = 1 + \\\n    2\ndef test_a():\n    assert 1 == \\\n1\n', tests: ['test_a'] },
  { about: 'tabs', text: 'class TestA:\n\tdef test_a(self):\n\t\tassert 1\n', tests: ['TestA.test_a'] },
  { about: 'two spaces', text: 'class TestA:\n  def test_a(self):\n    assert 1\n', tests: ['TestA.test_a'] },
  { about: 'lines that end with CR LF', text: 'def test_a():\r\n    assert 1\r\n', tests: ['test_a'] },
  {
    about: 'no line end at the end',
    text: 'def test_a():\n    assert 1\nif __name__ == "__main__":\n    run()',
    tests: ['test_a'],
  },
  {
    about: 'lambdas and annotations',
    text: 'def test_a(x: dict[str, int] = {"a:b": 1}, *, f=lambda a: a) -> dict[str, int]:\n    assert x\n',
    tests: ['test_a'],
  },
  {
    about: 'matches and walruses',
    text: 'def test_a():\n    match x:\n        case [1, *_] if (n := 3):\n            pass\n',
    tests: ['test_a'],
  },
  {
    about: 'bytes and prefixes',
    text: 'def test_a():\n    assert rb\'\\\'\' and Rb"""\'""" and u\'x\'\n',
    tests: ['test_a'],
  },
  {
    about: 'nested classes',
    text: 'class TestA:\n    class TestB:\n        def test_b(self):\n            pass\n    def test_a(self):\n        pass\n',
    tests: ['TestA.test_a'],
  },
  {
    about: 'static methods',
    text: 'class TestA:\n    @staticmethod\n    def test_a():\n        pass\n    def test_b(self):\n        pass\n',
    tests: ['TestA.test_b'],
  },
  {
    about: 'a set-up that may skip',
    text: 'class TestA:\n    def setup_method(self):\n        pytest.skip("x")\n    def test_a(self):\n        pass\n',
    tests: [],
  },
  { about: 'a string that is not closed', text: 'def test_a():\n    x = "\n', tests: null },
  { about: 'brackets that do not fit', text: 'def test_a():\n    x = (1]\n', tests: null },
  { about: 'another kind of file', text: 'def test_a():\n    pass\n', path: 'tests/a.txt', tests: null },
];

const CASE = 'import unittest\n\n\nclass SumTest(unittest.TestCase):\n';

export const UNITTEST_FORMS: readonly Form[] = [
  {
    about: 'methods',
    text: `${CASE}    def test_a(self):\n        self.assertEqual(1, 1)\n\n    def test_b(self):\n        self.assertIn(1, [1])\n\n\nif __name__ == '__main__':\n    unittest.main()\n`,
    tests: ['SumTest.test_a', 'SumTest.test_b'],
  },
  {
    about: 'an imported TestCase',
    text: 'from unittest import TestCase\nclass A(Mixin, TestCase):\n    def test_a(self):\n        pass\n',
    tests: ['A.test_a'],
  },
  {
    about: 'a TestCase of a framework',
    text: 'from django.test import SimpleTestCase\nclass A(SimpleTestCase):\n    def test_a(self):\n        pass\n',
    tests: ['A.test_a'],
  },
  {
    about: 'a base in the same file',
    text: `${CASE}    def helper(self):\n        pass\nclass B(SumTest):\n    def test_b(self):\n        pass\n`,
    tests: ['B.test_b'],
  },
  {
    about: 'async methods',
    text: 'import unittest\nclass A(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self):\n        await x()\nclass B(unittest.TestCase):\n    async def test_b(self):\n        pass\n    def test_c(self):\n        pass\n',
    tests: ['A.test_a', 'B.test_c'],
  },
  {
    about: 'mixins',
    text: 'import unittest\nclass A:\n    def test_a(self):\n        pass\nclass B(A, unittest.TestCase):\n    def test_b(self):\n        pass\n',
    tests: ['B.test_b'],
  },
  {
    about: 'methods that are skipped',
    text: `${CASE}    @unittest.skip('x')\n    def test_a(self):\n        pass\n    @unittest.expectedFailure\n    def test_b(self):\n        pass\n    @unittest.skipIf(\n        x,\n        'y')\n    def test_c(self):\n        pass\n    def test_d(self):\n        pass\n`,
    tests: ['SumTest.test_d'],
  },
  {
    about: 'classes that are skipped',
    text: "import unittest\n@unittest.skipUnless(x, 'y')\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n",
    tests: null,
  },
  {
    about: 'a set-up that may skip',
    text: `${CASE}    def setUp(self):\n        if x:\n            self.skipTest('y')\n    def test_a(self):\n        pass\n`,
    tests: null,
  },
  {
    about: 'a set-up that does not',
    text: `${CASE}    def setUp(self):\n        self.x = 1\n    def test_a(self):\n        self.skipTest('y')\n`,
    tests: ['SumTest.test_a'],
  },
  { about: 'functions alone', text: 'def test_a():\n    pass\n', tests: null },
  {
    about: 'a file that loads its own tests',
    text: `${CASE}    def test_a(self):\n        pass\ndef load_tests(loader, tests, pattern):\n    return tests\n`,
    tests: ['SumTest.test_a'],
  },
  { about: 'a class that is deleted', text: `${CASE}    def test_a(self):\n        pass\ndel SumTest\n`, tests: null },
  {
    about: 'a class with two of one name',
    text: `${CASE}    def test_a(self):\n        pass\n    def test_a(self):\n        pass\n`,
    tests: null,
  },
  {
    about: 'classes in methods',
    text: `${CASE}    def test_a(self):\n        class SumTest:\n            def __init__(self):\n                pass\n            def run(self):\n                pass\n`,
    tests: ['SumTest.test_a'],
  },
  {
    about: 'two classes of one name',
    text: `${CASE}    def test_a(self):\n        pass\n${CASE}    def test_b(self):\n        pass\n`,
    tests: null,
  },
  {
    about: 'bodies on the line of the head',
    text: `${CASE}    def test_a(self): self.assertTrue(1)\n    def test_b(self):\n        pass\n`,
    tests: ['SumTest.test_b'],
  },
  {
    about: 'another name for self',
    text: `${CASE}    def test_a(this, *args):\n        this.assertEqual(1, 1)\n`,
    tests: ['SumTest.test_a'],
  },
  {
    about: 'documented classes',
    text: `${CASE}    """Tests\nof sums."""\n\n    # def test_x(self):\n    def test_a(self):\n        '''Adds.'''\n        self.assertRaises(ValueError, f)\n`,
    tests: ['SumTest.test_a'],
  },
  {
    about: 'a class with arguments',
    text: 'import unittest\nclass A(\n    unittest.TestCase,\n    metaclass=M,\n):\n    def test_a(self):\n        pass\n',
    tests: ['A.test_a'],
  },
  {
    about: 'a class with its own run',
    text: `${CASE}    def run(self, result=None):\n        pass\n    def test_a(self):\n        pass\n`,
    tests: null,
  },
];

const GO = 'package x\n\nimport "testing"\n\n';

export const GO_FORMS: readonly Form[] = [
  {
    about: 'functions',
    text: `${GO}func TestA(t *testing.T) {\n\tt.Log(1)\n}\n\nfunc TestB(t *testing.T) {\n}\n`,
    tests: ['TestA', 'TestB'],
  },
  { about: 'another name for t', text: `${GO}func TestA(tt *testing.T) {\n\ttt.Parallel()\n}\n`, tests: ['TestA'] },
  { about: 'no name for t', text: `${GO}func TestA(_ *testing.T) {\n}\n`, tests: [] },
  { about: 'one line', text: `${GO}func TestA(t *testing.T) { t.Log("{") }\n`, tests: ['TestA'] },
  {
    about: 'subtests',
    text: `${GO}func TestA(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t})\n}\n`,
    tests: ['TestA'],
  },
  {
    about: 'other functions',
    text: `${GO}func BenchmarkA(b *testing.B) {}\nfunc FuzzA(f *testing.F) {}\nfunc ExampleA() {}\nfunc testA(t *testing.T) {}\nfunc Testing(t *testing.T) {}\nfunc (s S) TestS(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\n`,
    tests: [],
  },
  {
    about: 'blocks of imports',
    text: 'package x_test\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc Test_a(t *testing.T) { fmt.Println() }\n',
    tests: ['Test_a'],
  },
  {
    about: 'testify',
    text: 'package x\n\nimport (\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n)\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 1, 1)\n\tassert.True(t, true)\n}\n',
    tests: ['TestA'],
  },
  { about: 'tags', text: `//go:build linux\n\n${GO}func TestA(t *testing.T) {\n}\n`, tests: ['TestA'] },
  {
    about: 'strings and comments',
    text: `${GO}// func TestX(t *testing.T) {\n/*\nfunc TestY(t *testing.T) {\n*/\nconst s = \`\nfunc TestZ(t *testing.T) {\n\`\n\nfunc TestA(t *testing.T) {\n\tif '"' == '\\'' || '{' == 1 {\n\t}\n}\n`,
    tests: ['TestA'],
  },
  {
    about: 'digits and letters',
    text: `${GO}func Test1(t *testing.T) {}\nfunc TestÄ(t *testing.T) {}\nfunc Test(t *testing.T) {}\n`,
    tests: ['Test', 'Test1'],
  },
  { about: 'no import of testing', text: 'package x\n\nfunc helper() {}\n', tests: null },
  { about: 'a renamed import', text: 'package x\n\nimport tst "testing"\n\nfunc TestA(t *tst.T) {}\n', tests: null },
  { about: 'a file that is no test', text: `${GO}func TestA(t *testing.T) {}\n`, path: 'x/a.go', tests: null },
  { about: 'brackets that do not fit', text: `${GO}func TestA(t *testing.T) {\n`, tests: null },
  {
    about: 'lines that end with CR LF',
    text: `${GO}func TestA(t *testing.T) {\n\tt.Log(1)\n}\n`.replaceAll('\n', '\r\n'),
    tests: ['TestA'],
  },
  { about: 'no line end at the end', text: `${GO}func TestA(t *testing.T) {\n}`, tests: ['TestA'] },
  { about: 'heads over lines', text: `${GO}func TestA(\n\tt *testing.T,\n) {\n}\n`, tests: ['TestA'] },
];

const MOD = '#[cfg(test)]\nmod tests {\n    use super::*;\n\n';

export const RUST_FORMS: readonly Form[] = [
  {
    about: 'functions',
    text: '#[test]\nfn adds() {\n    assert_eq!(1, 1);\n}\n\n#[test]\nfn subtracts() {}\n',
    tests: ['adds', 'subtracts'],
  },
  {
    about: 'a module of tests',
    text: `fn f() {}\n\n${MOD}    #[test]\n    fn adds() {\n        assert!(true);\n    }\n}\n`,
    path: 'src/lib.rs',
    tests: ['tests::adds'],
  },
  {
    about: 'modules in modules',
    text: `${MOD}    mod inner {\n        #[test]\n        fn adds() {}\n    }\n}\n`,
    path: 'src/lib.rs',
    tests: ['tests::inner::adds'],
  },
  {
    about: 'async tests',
    text: '#[tokio::test]\nasync fn a() {}\n\n#[tokio::test(flavor = "multi_thread", worker_threads = 2)]\nasync fn b() {}\n',
    tests: ['a', 'b'],
  },
  {
    about: 'results',
    text: "#[test]\nfn a() -> Result<(), Box<dyn std::error::Error + 'static>> {\n    Ok(())\n}\n",
    tests: ['a'],
  },
  {
    about: 'tests that are ignored or must panic',
    text: '#[test]\n#[ignore]\nfn a() {}\n#[test]\n#[should_panic(expected = "x")]\nfn b() {}\n#[ignore = "x"]\n#[test]\nfn c() {}\n#[test]\nfn d() {}\n',
    tests: ['d'],
  },
  {
    about: 'tests under a condition',
    text: '#[test]\n#[cfg(windows)]\nfn a() {}\n#[cfg(all(test, feature = "x"))]\nmod b {\n    #[test]\n    fn c() {}\n}\n#[test]\nfn d() {}\n',
    tests: ['d'],
  },
  {
    about: 'tables',
    text: '#[rstest]\n#[case(1)]\nfn a(#[case] n: u8) {}\n#[test_case(1)]\nfn b(n: u8) {}\n#[test]\nfn d() {}\n',
    tests: ['d'],
  },
  {
    about: 'macros',
    text: 'macro_rules! t {\n    ($n:ident) => {\n        #[test]\n        fn $n() {}\n    };\n}\nt!(x);\nproptest! {\n    #[test]\n    fn p() {}\n}\n#[test]\nfn d() {}\n',
    tests: ['d'],
  },
  { about: 'functions in functions', text: '#[test]\nfn a() {\n    #[test]\n    fn b() {}\n}\n', tests: ['a'] },
  {
    about: 'strings and comments',
    text: '/* #[test] /* nested */ fn x() {} */\n// #[test] fn y() {\nconst S: &str = r#"#[test] fn z() { ""#;\nconst T: char = \'"\';\nconst U: char = \'\\\'\';\n#[test]\nfn a() {\n    let s: &\'static str = "{ \\" \n    }";\n    let _ = (s, b\'{\', b"\\"", br"\\", \'ä\');\n}\n',
    tests: ['a'],
  },
  {
    about: 'lifetimes and labels',
    text: "fn f<'a>(x: &'a str) -> &'a str { 'o: loop { break 'o; } x }\n#[test]\nfn a() {}\n",
    tests: ['a'],
  },
  {
    about: 'attributes inside',
    text: '#![allow(dead_code)]\n#[test]\nfn a() {\n    #![allow(unused)]\n    let x = 1;\n}\n#[test]\nfn b() {}\n',
    tests: ['b'],
  },
  { about: 'harmless attributes', text: '#[allow(clippy::all)]\n#[test]\npub fn a() {}\n', tests: ['a'] },
  {
    about: 'one line',
    text: `${MOD}    #[test] fn a() { assert_ne!(1, 2) } #[test] fn b() {} }\n`,
    path: 'src/a.rs',
    tests: ['tests::a', 'tests::b'],
  },
  { about: 'documentation', text: "/// Says `#[test] fn x() {`\n#[test]\n/// it's\nfn a() {}\n", tests: ['a'] },
  { about: 'no tests', text: 'pub fn f() {}\n', path: 'src/lib.rs', tests: null },
  { about: 'brackets that do not fit', text: '#[test]\nfn a() {\n', tests: null },
  { about: 'a string that is not closed', text: '#[test]\nfn a() { "\n}\n', tests: null },
  { about: 'another kind of file', text: '#[test]\nfn a() {}\n', path: 'tests/a.txt', tests: null },
  { about: 'lines that end with CR LF', text: '#[test]\r\nfn a() {\r\n    f();\r\n}\r\n', tests: ['a'] },
  { about: 'no line end at the end', text: '#[test]\nfn a() {}', tests: ['a'] },
];
