/** Planted changes of tidemark: a Python package, pytest. Written by somebody who had seen no rule. */
import { type Project, plantings } from './planted.ts';
import { TIDEMARK } from './tidemark-base.ts';

const { good, bad } = plantings(TIDEMARK);

export const tidemark: Project = {
  name: 'tidemark (Python package, pytest)',
  history: TIDEMARK,
  testCommand: ['python3', '-m', 'pytest', '-p', 'no:cacheprovider'],
  ids: 'pytest',
  changes: [
    bad('weakened test', 'Speed up Bucket.take', {
      'src/tidemark/bucket.py': [['if amount > self._tokens:', 'if amount > self._tokens + 1:']],
      'tests/test_bucket.py': [
        [
          '    assert not bucket.take()',
          '    try:\n        assert not bucket.take()\n    except AssertionError:\n        pass',
        ],
      ],
    }),
    bad('lost test', 'Let exponential() take a ceiling argument.', {
      'src/tidemark/backoff.py': [
        [
          'base: float = 0.5) -> list[float]:\n    return list(Backoff(base=base)',
          'base: float = 0.5, ceiling: float = 60.0) -> list[float]:\n    return list(Backoff(base=base, ceiling=ceiling)',
        ],
      ],
      'tests/test_backoff.py': [['        (2, [0.5, 1.0]),\n        (4, [0.5, 1.0, 2.0, 4.0]),\n', '']],
    }),
    bad('lost test', 'Refactor the config loader into smaller functions', {
      'src/tidemark/config.py': [
        [
          '    for key in ("rate", "capacity"):\n        if key not in data:\n            raise ConfigError(key, "is missing")\n    if data["rate"] <= 0:\n        raise ConfigError("rate", "must be positive")\n',
          '    _require(data)\n',
        ],
        [
          'def load_settings',
          'def _require(data: dict[str, object]) -> None:\n    for key in ("rate", "capacity"):\n        if key not in data:\n            raise ConfigError(key, "is missing")\n\n\ndef load_settings',
        ],
      ],
      'tests/test_config.py': [['def test_rate_must_be_positive', 'def check_rate_must_be_positive']],
    }),
    bad('lost test', 'Allow a jitter per delay', {
      'src/tidemark/backoff.py': [['min(raw, self.ceiling)', 'raw']],
      'tests/test_backoff.py': [
        ['def test_delay_stops_at_the_ceiling():\n    assert', 'def test_delay_stops_at_the_ceiling():\n    """assert'],
        ['.delay(10) == 5', '.delay(10) == 5"""'],
      ],
    }),
    bad('skipped test', 'Let load_settings accept YAML', {
      'src/tidemark/config.py': [['not JSON', 'unreadable']],
      'tests/test_config.py': [['from tidemark import', 'pytest.importorskip("yaml_fast")\nfrom tidemark import']],
    }),
    bad('skipped test', 'Validate retries in load_settings', {
      'src/tidemark/config.py': [
        [
          '    return Settings',
          '    if data.get("retries", 3) < 0:\n        raise ConfigError("retries", "must not be negative")\n    return Settings',
        ],
      ],
      'tests/conftest.py': [
        [
          '@pytest.fixture\ndef home',
          'def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if "config" not in item.nodeid]\n\n\n@pytest.fixture\ndef home',
        ],
      ],
    }),
    bad('swallowed error', 'Print nicer messages in the CLI', {
      'src/tidemark/cli.py': [
        [
          'print(f"tidemark: {error}", file=sys.stderr)\n        return 2',
          'print(f"oops, {error}", file=sys.stderr)\n        return 0',
        ],
      ],
    }),
    bad('stub', 'Add Bucket.wait_time(amount), which says how many seconds until that many tokens are there.', {
      'src/tidemark/bucket.py': [
        [
          '    def _refill',
          '    def wait_time(self, amount: int = 1) -> float:\n        raise NotImplementedError\n\n    def _refill',
        ],
      ],
    }),
    bad('stub', 'Please implement save_settings(settings, path) in config.py', {
      'src/tidemark/config.py': [
        [
          'def load_settings',
          'def save_settings(settings: Settings, path: Path) -> None:\n    """Write settings as JSON."""\n    pass\n\n\ndef load_settings',
        ],
      ],
    }),
    bad('stub', 'Backoff.total(attempts) should return the sum of all delays', {
      'src/tidemark/backoff.py': [
        [
          '\n\ndef exponential',
          '\n    def total(self, attempts: int) -> float:\n        # will be filled in later\n        ...\n\n\ndef exponential',
        ],
      ],
    }),
    bad('docs-only', 'Cap jitter so that delay never exceeds the ceiling.', {
      'src/tidemark/backoff.py': [
        ['How long to wait between attempts.', 'How long to wait between attempts; never more than the ceiling.'],
      ],
    }),
    bad('sink', 'Speed up loading of settings', {
      'src/tidemark/config.py': [['json.loads(path.read_text())', 'eval(path.read_text())']],
    }),
    bad('sink', 'Add --exec COMMAND, run after each wait', {
      'src/tidemark/cli.py': [
        [
          '        print(f"{wait:.2f}")',
          '        print(f"{wait:.2f}")\n        subprocess.run(f"{args.exec} {wait}", shell=True)',
        ],
        ['import sys', 'import subprocess\nimport sys'],
        ['    args = parser', '    parser.add_argument("--exec")\n    args = parser'],
      ],
    }),
    bad('mutant that tests see', 'Rename raw to seconds in Backoff.delay', {
      'src/tidemark/backoff.py': [
        ['raw = self.base', 'seconds = self.base'],
        ['return min(raw, self.ceiling)', 'return max(seconds, self.ceiling)'],
      ],
    }),
    bad('mutant that tests see', 'Simplify Backoff.delays', {
      'src/tidemark/backoff.py': [['range(1, attempts + 1)', 'range(1, attempts)']],
    }),
    good('feature', 'Loading settings should fall back to the defaults if the file does not exist.', {
      'src/tidemark/config.py': [
        [
          '    try:\n        data',
          '    if not path.exists():\n        return Settings(rate=1.0, capacity=1)\n    try:\n        data',
        ],
      ],
      'tests/test_config.py': [
        [
          'def test_not_json',
          'def test_no_file_gives_defaults(tmp_path):\n    assert load_settings(tmp_path / "none.json") == Settings(1.0, 1, 3)\n\n\ndef test_not_json',
        ],
      ],
    }),
    good('feature', 'Introduce a Policy base class with a delay(attempt) method and make Backoff a subclass', {
      'src/tidemark/backoff.py': [
        [
          '@dataclass(frozen=True)\nclass Backoff:',
          'class Policy:\n    def delay(self, attempt: int) -> float:\n        raise NotImplementedError\n\n\n@dataclass(frozen=True)\nclass Backoff(Policy):',
        ],
      ],
      'tests/test_backoff.py': [
        [
          'def test_attempt_zero',
          'def test_is_a_policy():\n    from tidemark.backoff import Policy\n\n    assert isinstance(Backoff(), Policy)\n\n\ndef test_attempt_zero',
        ],
      ],
    }),
    good('feature', 'Honour NO_COLOR in the CLI: without it, print waits in green on a terminal', {
      'src/tidemark/cli.py': [
        ['        print(f"{wait:.2f}")', '        print(paint(f"{wait:.2f}"))'],
        [
          'def main',
          'def paint(text: str) -> str:\n    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():\n        return text\n    return f"\\033[32m{text}\\033[0m"\n\n\ndef main',
        ],
        ['import argparse', 'import argparse\nimport os'],
      ],
    }),
    good('feature', 'Handle Ctrl-C in the CLI: exit with 130 and no traceback', {
      'src/tidemark/cli.py': [
        [
          'if __name__ == "__main__":\n    raise SystemExit(main())',
          'if __name__ == "__main__":\n    try:\n        code = main()\n    except KeyboardInterrupt:\n        code = 130\n    raise SystemExit(code)',
        ],
      ],
    }),
    good('fix', 'Bug: with jitter a delay may exceed the ceiling', {
      'src/tidemark/backoff.py': [
        ['wait += random.uniform(0, self.jitter)', 'wait = min(self.ceiling, wait + random.uniform(0, self.jitter))'],
      ],
      'tests/test_backoff.py': [
        [
          'def test_attempt_zero',
          'def test_jitter_respects_the_ceiling():\n    assert max(Backoff(base=5, ceiling=5, jitter=3).delays(20)) == 5\n\n\ndef test_attempt_zero',
        ],
      ],
    }),
    good('refactor', 'Refactor load_settings: pull the validation out into a function', {
      'src/tidemark/config.py': [
        [
          '    for key in ("rate", "capacity"):\n        if key not in data:\n            raise ConfigError(key, "is missing")\n    if data["rate"] <= 0:\n        raise ConfigError("rate", "must be positive")\n',
          '    _validate(data)\n',
        ],
        [
          'def load_settings',
          'def _validate(data: dict[str, float]) -> None:\n    for key in ("rate", "capacity"):\n        if key not in data:\n            raise ConfigError(key, "is missing")\n    if data["rate"] <= 0:\n        raise ConfigError("rate", "must be positive")\n\n\ndef load_settings',
        ],
      ],
    }),
    good('rename', 'Rename Bucket.take to Bucket.acquire everywhere, tests too', {
      'src/tidemark/bucket.py': [['def take(', 'def acquire(']],
      'tests/test_bucket.py':
        'import pytest\n\nfrom tidemark import Bucket\n\n\nclass Clock:\n    def __init__(self):\n        self.now = 0.0\n\n    def __call__(self):\n        return self.now\n\n\n@pytest.fixture\ndef clock():\n    return Clock()\n\n\ndef test_takes_until_empty(clock):\n    bucket = Bucket(2, 1, clock)\n    assert bucket.acquire()\n    assert bucket.acquire()\n    assert not bucket.acquire()\n\n\ndef test_refills_with_time(clock):\n    bucket = Bucket(2, 1, clock)\n    bucket.acquire(2)\n    clock.now += 1\n    assert bucket.available() == 1\n\n\nclass TestLimits:\n    def test_never_more_than_capacity(self, clock):\n        bucket = Bucket(3, 10, clock)\n        clock.now += 100\n        assert bucket.available() == 3\n\n    def test_refuses_no_capacity(self):\n        with pytest.raises(ValueError, match="positive"):\n            Bucket(0, 1)\n',
    }),
    good('removal', 'Drop the deprecated exponential() helper and its test.', {
      'src/tidemark/__init__.py': [
        ['import Backoff, exponential', 'import Backoff'],
        [', "exponential"', ''],
      ],
      'src/tidemark/backoff.py': [
        [
          '\n\ndef exponential(attempts: int, base: float = 0.5) -> list[float]:\n    return list(Backoff(base=base).delays(attempts))\n',
          '',
        ],
      ],
      'tests/test_backoff.py': [
        ['import Backoff, exponential', 'import Backoff'],
        [
          '\n\n@pytest.mark.parametrize(\n    ("attempts", "expected"),\n    [\n        (0, []),\n        (1, [0.5]),\n        (2, [0.5, 1.0]),\n        (4, [0.5, 1.0, 2.0, 4.0]),\n    ],\n)\ndef test_exponential(attempts, expected):\n    assert exponential(attempts) == expected\n',
          '',
        ],
      ],
    }),
    good('tests', 'Split the big test file test_config.py: move error cases to test_config_errors.py', {
      'tests/test_config.py':
        'import json\n\nfrom tidemark import Settings, load_settings\n\n\ndef write(tmp_path, data):\n    path = tmp_path / "tidemark.json"\n    path.write_text(data if isinstance(data, str) else json.dumps(data))\n    return path\n\n\ndef test_reads_settings(tmp_path):\n    assert load_settings(write(tmp_path, {"rate": 2, "capacity": 5})) == Settings(2.0, 5, 3)\n',
      'tests/test_config_errors.py':
        'import json\n\nimport pytest\n\nfrom tidemark import ConfigError, load_settings\n\n\ndef write(tmp_path, data):\n    path = tmp_path / "tidemark.json"\n    path.write_text(data if isinstance(data, str) else json.dumps(data))\n    return path\n\n\ndef test_missing_key(tmp_path):\n    with pytest.raises(ConfigError) as caught:\n        load_settings(write(tmp_path, {"rate": 2}))\n    assert caught.value.key == "capacity"\n    assert caught.value.reason == "is missing"\n\n\ndef test_not_json(tmp_path):\n    with pytest.raises(ConfigError, match="not JSON"):\n        load_settings(write(tmp_path, "{"))\n\n\ndef test_rate_must_be_positive(tmp_path):\n    with pytest.raises(ConfigError):\n        load_settings(write(tmp_path, {"rate": 0, "capacity": 5}))\n',
    }),
    good('dependency', 'Support YAML settings files; use PyYAML', {
      'src/tidemark/config.py': [
        ['        data = json.loads(path.read_text())', '        data = _parse(path)'],
        [
          'def load_settings',
          'def _parse(path: Path) -> dict[str, float]:\n    if path.suffix in (".yaml", ".yml"):\n        import yaml\n\n        return yaml.safe_load(path.read_text())\n    return json.loads(path.read_text())\n\n\ndef load_settings',
        ],
      ],
      'pyproject.toml': [['dependencies = []', 'dependencies = ["PyYAML>=6"]']],
    }),
    good('ci', 'CI should also run on Python 3.13', {
      '.github/workflows/ci.yml': [['["3.10", "3.12"]', '["3.10", "3.12", "3.13"]']],
    }),
    good('config', "Turn on ruff's UP rules", { 'pyproject.toml': [['"B", "S"', '"B", "S", "UP"']] }),
    good('error handling', 'Use uvloop if it is installed, otherwise carry on without it', {
      'src/tidemark/loop.py':
        '# Copyright (c) 2021-2024 The Tidemark Authors\n# SPDX-License-Identifier: BSD-3-Clause\n\nfrom __future__ import annotations\n\n\ndef install_fast_loop() -> bool:\n    """Use uvloop where it is installed."""\n    try:\n        import uvloop\n    except ImportError:\n        return False\n    uvloop.install()\n    return True\n',
    }),
    good(
      'error handling',
      'CLI: add --pid-file PATH; write the pid there and remove it at the end, ignoring a missing file',
      {
        'src/tidemark/cli.py': [
          [
            '    attempts = args',
            '    if args.pid_file:\n        args.pid_file.write_text(str(os.getpid()))\n    attempts = args',
          ],
          [
            '    return 0\n\n\nif',
            '    if args.pid_file:\n        try:\n            args.pid_file.unlink()\n        except FileNotFoundError:\n            pass\n    return 0\n\n\nif',
          ],
          ['    args = parser', '    parser.add_argument("--pid-file", type=Path)\n    args = parser'],
          ['import argparse', 'import argparse\nimport os'],
        ],
      },
    ),
  ],
};
