/** The project that `tidemark.ts` changes. */
import type { Tree } from './planted.ts';

export const TIDEMARK: readonly Tree[] = [
  {
    'src/tidemark/__init__.py': `"""Retry, rate limits and schedules in one small package."""

from tidemark.backoff import Backoff, exponential
from tidemark.bucket import Bucket
from tidemark.config import Settings, load_settings
from tidemark.errors import ConfigError, TidemarkError

__all__ = ["Backoff", "Bucket", "ConfigError", "Settings", "TidemarkError", "exponential", "load_settings"]
__version__ = "0.8.1"
`,
    'src/tidemark/errors.py': `# Copyright (c) 2021-2024 The Tidemark Authors
# SPDX-License-Identifier: BSD-3-Clause


class TidemarkError(Exception):
    """Base of all errors of this package."""


class ConfigError(TidemarkError):
    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason
`,
    'src/tidemark/backoff.py': `# Copyright (c) 2021-2024 The Tidemark Authors
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Iterator


@dataclass(frozen=True)
class Backoff:
    """How long to wait between attempts."""

    base: float = 0.5
    factor: float = 2.0
    ceiling: float = 60.0
    jitter: float = 0.0

    def delay(self, attempt: int) -> float:
        if attempt < 1:
            raise ValueError("attempt starts at 1")
        raw = self.base * self.factor ** (attempt - 1)
        return min(raw, self.ceiling)

    def delays(self, attempts: int) -> Iterator[float]:
        for attempt in range(1, attempts + 1):
            wait = self.delay(attempt)
            if self.jitter:
                wait += random.uniform(0, self.jitter)
            yield wait


def exponential(attempts: int, base: float = 0.5) -> list[float]:
    return list(Backoff(base=base).delays(attempts))
`,
    'src/tidemark/bucket.py': `# Copyright (c) 2021-2024 The Tidemark Authors
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import time
from typing import Callable


class Bucket:
    """A token bucket: at most \`capacity\` at once, \`rate\` a second."""

    def __init__(self, capacity: int, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        if capacity <= 0:
            raise ValueError("capacity must be positive")
        self.capacity = capacity
        self.rate = rate
        self._clock = clock
        self._tokens = float(capacity)
        self._last = clock()

    def take(self, amount: int = 1) -> bool:
        self._refill()
        if amount > self._tokens:
            return False
        self._tokens -= amount
        return True

    def available(self) -> int:
        self._refill()
        return int(self._tokens)

    def _refill(self) -> None:
        now = self._clock()
        self._tokens = min(self.capacity, self._tokens + (now - self._last) * self.rate)
        self._last = now
`,
    'src/tidemark/config.py': `# Copyright (c) 2021-2024 The Tidemark Authors
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tidemark.errors import ConfigError


@dataclass(frozen=True)
class Settings:
    rate: float
    capacity: int
    retries: int = 3


def load_settings(path: Path) -> Settings:
    """Read settings from a JSON file."""
    try:
        data = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise ConfigError(str(path), f"not JSON: {error}") from error
    for key in ("rate", "capacity"):
        if key not in data:
            raise ConfigError(key, "is missing")
    if data["rate"] <= 0:
        raise ConfigError("rate", "must be positive")
    return Settings(rate=float(data["rate"]), capacity=int(data["capacity"]), retries=int(data.get("retries", 3)))
`,
    'src/tidemark/cli.py': `# Copyright (c) 2021-2024 The Tidemark Authors
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tidemark.backoff import Backoff
from tidemark.config import load_settings
from tidemark.errors import TidemarkError


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tidemark")
    parser.add_argument("config", type=Path)
    parser.add_argument("--attempts", type=int, default=None)
    args = parser.parse_args(argv)
    try:
        settings = load_settings(args.config)
    except TidemarkError as error:
        print(f"tidemark: {error}", file=sys.stderr)
        return 2
    attempts = args.attempts or settings.retries
    for wait in Backoff().delays(attempts):
        print(f"{wait:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
`,
    'tests/test_backoff.py': `import pytest

from tidemark import Backoff, exponential


def test_first_delay_is_the_base():
    assert Backoff(base=0.25).delay(1) == 0.25


def test_delays_grow_by_the_factor():
    assert list(Backoff(base=1, factor=3).delays(3)) == [1, 3, 9]


def test_delay_stops_at_the_ceiling():
    assert Backoff(base=1, ceiling=5).delay(10) == 5


def test_attempt_zero_is_refused():
    with pytest.raises(ValueError):
        Backoff().delay(0)


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        (0, []),
        (1, [0.5]),
        (2, [0.5, 1.0]),
        (4, [0.5, 1.0, 2.0, 4.0]),
    ],
)
def test_exponential(attempts, expected):
    assert exponential(attempts) == expected
`,
    'tests/test_bucket.py': `import pytest

from tidemark import Bucket


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_takes_until_empty(clock):
    bucket = Bucket(2, 1, clock)
    assert bucket.take()
    assert bucket.take()
    assert not bucket.take()


def test_refills_with_time(clock):
    bucket = Bucket(2, 1, clock)
    bucket.take(2)
    clock.now += 1
    assert bucket.available() == 1


class TestLimits:
    def test_never_more_than_capacity(self, clock):
        bucket = Bucket(3, 10, clock)
        clock.now += 100
        assert bucket.available() == 3

    def test_refuses_no_capacity(self):
        with pytest.raises(ValueError, match="positive"):
            Bucket(0, 1)
`,
    'tests/test_config.py': `import json

import pytest

from tidemark import ConfigError, Settings, load_settings


def write(tmp_path, data):
    path = tmp_path / "tidemark.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_reads_settings(tmp_path):
    assert load_settings(write(tmp_path, {"rate": 2, "capacity": 5})) == Settings(2.0, 5, 3)


def test_missing_key(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_settings(write(tmp_path, {"rate": 2}))
    assert caught.value.key == "capacity"
    assert caught.value.reason == "is missing"


def test_not_json(tmp_path):
    with pytest.raises(ConfigError, match="not JSON"):
        load_settings(write(tmp_path, "{"))


def test_rate_must_be_positive(tmp_path):
    with pytest.raises(ConfigError):
        load_settings(write(tmp_path, {"rate": 0, "capacity": 5}))
`,
    'tests/conftest.py': `import os
import random

import pytest


@pytest.fixture(autouse=True)
def steady_random():
    random.seed(7)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    return tmp_path
`,
    'pyproject.toml': `[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "tidemark"
version = "0.8.1"
description = "Retry, rate limits and schedules"
requires-python = ">=3.10"
dependencies = []

[project.optional-dependencies]
dev = ["pytest>=8", "ruff>=0.5", "mypy>=1.10"]

[project.scripts]
tidemark = "tidemark.cli:main"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src"]
addopts = "-q --strict-markers"

[tool.ruff]
line-length = 120
select = ["E", "F", "B", "S"]

[tool.mypy]
strict = true

[tool.coverage.report]
fail_under = 90
`,
    '.github/workflows/ci.yml': `name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.10", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: \${{ matrix.python }}
      - run: pip install -e .[dev]
      - run: ruff check .
      - run: mypy src
      - run: pytest --cov=tidemark
`,
  },
];
