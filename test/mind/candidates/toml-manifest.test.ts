/** Cargo.toml and pyproject.toml: packages and descriptions are free, everything that can decide what gates run is not. */
import { describe, expect, test } from 'vitest';
import { onlyPackagesDiffer } from '../../../src/mind/candidates/toml-manifest.ts';

const CARGO =
  '[package]\nname = "a"\nversion = "0.3.0"\nedition = "2021"\n\n[dependencies]\nlog = "1"\n\n[lints.clippy]\nunwrap_used = "deny"\n';
const PYTHON =
  '[project]\nname = "a"\nversion = "1"\ndependencies = [\n  "attrs",\n]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';

describe('nothing but packages and descriptions differs', () => {
  test.each([
    ['a version', CARGO, 'version = "0.3.0"', 'version = "0.4.0"'],
    ['a package', CARGO, 'log = "1"\n', 'log = "1"\nserde = { version = "1", features = ["derive"] }\n'],
    ['a table of packages', CARGO, '[lints', '[dev-dependencies]\nrand = "1"\n\n[lints'],
    ['keywords', CARGO, 'edition', 'keywords = [\n  "log",\n]\nedition'],
    ['a package in a list', PYTHON, '  "attrs",\n', '  "attrs",\n  "rich>=13",\n'],
    ['a comment', PYTHON, '[tool.', '# Tests.\n[tool.'],
  ])('%s', (_, text, from, to) => {
    expect(text).toContain(from);
    expect(onlyPackagesDiffer(text, text.replace(from, to))).toBe(true);
  });

  test.each([
    ['a lint', CARGO, '"deny"', '"allow"'],
    ['an edition', CARGO, '2021', '2015'],
    ['a profile after packages', CARGO, 'log = "1"\n', 'log = "1"\n[profile.test]\ndebug = false\n'],
    ['a test without its harness', CARGO, '[dependencies]', '[[test]]\nname = "a"\nharness = false\n\n[dependencies]'],
    ['an option of the runner', PYTHON, '"-q"', '"-q -k smoke"'],
    ['a plugin', PYTHON, '[tool.pytest', '[project.entry-points.pytest11]\na = "a"\n\n[tool.pytest'],
    ['a build system', PYTHON, '[project]\n', '[build-system]\nrequires = ["x"]\n\n[project]\n'],
    ['a table in a list', PYTHON, '  "attrs",\n]\n', '  "attrs",\n]\n[tool.mypy]\nignore_errors = true\n'],
    ['a text over several lines', PYTHON, 'version = "1"', 'version = """1"""'],
  ])('not %s', (_, text, from, to) => {
    expect(text).toContain(from);
    expect(onlyPackagesDiffer(text, text.replace(from, to))).toBe(false);
  });

  test('not where one side is missing', () => {
    expect(onlyPackagesDiffer(null, CARGO)).toBe(false);
    expect(onlyPackagesDiffer(CARGO, null)).toBe(false);
  });
});
