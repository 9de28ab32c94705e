/** Templates, queue and delivery of mail: Python with a `src` folder, typed, tested by pytest. */
import type { Tree } from './planted.ts';

export const OLD_ADDRESSES = `"""Addresses of people."""


def split_address(text):
    name = ""
    address = text
    if "<" in text:
        begin = text.index("<")
        end = text.index(">")
        name = text[0:begin]
        address = text[begin + 1:end]
    name = name.strip()
    address = address.strip()
    return (name, address)


def domain_of(address):
    pieces = address.split("@")
    return pieces[1]
`;
const ADDRESSES = `"""Addresses of people."""
from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(r"^(?:(?P<name>[^<>]*)<(?P<inner>[^<>\\s]+)>|(?P<bare>[^<>\\s]+))$")


class BadAddress(ValueError):
    """The text is no address."""


@dataclass(frozen=True)
class Address:
    name: str
    mail: str

    @property
    def domain(self) -> str:
        return self.mail.rpartition("@")[2]


def parse_address(text: str) -> Address:
    """Reads \`Ada <ada@example.org>\` or \`ada@example.org\`."""
    match = _FORM.match(text.strip())
    if match is None:
        raise BadAddress(text)
    mail = match["inner"] or match["bare"]
    if mail.count("@") != 1:
        raise BadAddress(text)
    return Address((match["name"] or "").strip(), mail)
`;

export const MAILROOM: readonly Tree[] = [
  {
    'pyproject.toml': `[build-system]
requires = ["setuptools>=69"]
build-backend = "setuptools.build_meta"

[project]
name = "mailroom"
version = "0.9.1"
license = { text = "BSD-3-Clause" }
requires-python = ">=3.9"
dependencies = []

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src"]
addopts = "-q"

[tool.ruff.lint]
select = ["E", "F", "BLE", "S"]

[tool.mypy]
strict = true

[tool.coverage.report]
fail_under = 85
`,
    '.gitignore': '__pycache__/\n.pytest_cache/\n.venv/\n*.egg-info/\n',
    'README.md': `# mailroom

Fills in templates and sends them by SMTP.

    from mailroom import Outbox
    Outbox(path).put(message)

The outbox is a SQLite file; see \`mailroom.outbox\`.
`,
    LICENSE: 'BSD 3-Clause License\n\nCopyright (c) 2022, Mailroom contributors\nAll rights reserved.\n',
    'src/mailroom/__init__.py': `from mailroom.delivery import deliver
from mailroom.outbox import Outbox
from mailroom.templates import fill

__all__ = ["Outbox", "deliver", "fill"]
`,
    'src/mailroom/addresses.py': OLD_ADDRESSES,
    'src/mailroom/templates.py': `"""Texts with {{ fields }}."""
from __future__ import annotations

import re
from collections.abc import Mapping

_FIELD = re.compile(r"\\{\\{\\s*(\\w+)\\s*\\}\\}")


class MissingField(KeyError):
    """The template names a field that has no value."""


def fill(template: str, values: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            raise MissingField(name)
        return values[name]

    return _FIELD.sub(value_of, template)


def fields_of(template: str) -> list[str]:
    return sorted(set(_FIELD.findall(template)))
`,
    'src/mailroom/outbox.py': `"""Messages that wait to be sent, in a SQLite file."""
from __future__ import annotations

import sqlite3
from pathlib import Path


class Outbox:
    def __init__(self, path: Path | str) -> None:
        self._db = sqlite3.connect(path)
        self._db.execute("CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, receiver TEXT, body TEXT, sent INTEGER DEFAULT 0)")

    def put(self, receiver: str, body: str) -> int:
        with self._db:
            row = self._db.execute("INSERT INTO outbox (receiver, body) VALUES (?, ?)", (receiver, body))
        return int(row.lastrowid or 0)

    def waiting(self) -> list[tuple[int, str, str]]:
        return list(self._db.execute("SELECT id, receiver, body FROM outbox WHERE sent = 0 ORDER BY id"))

    def mark_sent(self, number: int) -> None:
        with self._db:
            changed = self._db.execute("UPDATE outbox SET sent = 1 WHERE id = ?", (number,)).rowcount
        if changed != 1:
            raise LookupError(f"no message {number}")

    def close(self) -> None:
        self._db.close()
`,
    'src/mailroom/delivery.py': `"""Sends what waits in the outbox."""
from __future__ import annotations

import logging
import subprocess
from typing import Protocol

from mailroom.outbox import Outbox

log = logging.getLogger(__name__)


class Carrier(Protocol):
    def send(self, receiver: str, body: str) -> None: ...


class TemporaryFailure(Exception):
    """Try again later."""


def deliver(outbox: Outbox, carrier: Carrier) -> int:
    """The number of messages that were sent. A temporary failure leaves its message in the outbox."""
    sent = 0
    for number, receiver, body in outbox.waiting():
        try:
            carrier.send(receiver, body)
        except TemporaryFailure as failure:
            log.warning("message %d waits: %s", number, failure)
            continue
        outbox.mark_sent(number)
        sent += 1
    return sent


class Sendmail:
    def __init__(self, program: str = "/usr/sbin/sendmail") -> None:
        self._program = program

    def send(self, receiver: str, body: str) -> None:
        done = subprocess.run([self._program, "--", receiver], input=body.encode(), check=False)
        if done.returncode == 75:
            raise TemporaryFailure(receiver)
        done.check_returncode()
`,
    'tests/conftest.py': `import pytest

from mailroom.outbox import Outbox


@pytest.fixture
def outbox(tmp_path):
    box = Outbox(tmp_path / "outbox.db")
    yield box
    box.close()
`,
    'tests/test_templates.py': `import pytest

from mailroom.templates import MissingField, fields_of, fill


@pytest.mark.parametrize(
    ("template", "values", "wanted"),
    [
        ("Dear {{ name }}", {"name": "Ada"}, "Dear Ada"),
        ("{{a}}{{ b }}", {"a": "1", "b": "2"}, "12"),
        ("no field", {}, "no field"),
    ],
)
def test_fill(template, values, wanted):
    assert fill(template, values) == wanted


def test_missing_field():
    with pytest.raises(MissingField):
        fill("{{ name }}", {})


def test_fields():
    assert fields_of("{{ b }} {{a}} {{ b }}") == ["a", "b"]
`,
    'tests/test_outbox.py': `import pytest


def test_put_and_wait(outbox):
    number = outbox.put("ada@example.org", "hello")
    assert outbox.waiting() == [(number, "ada@example.org", "hello")]


def test_sent_messages_wait_no_more(outbox):
    number = outbox.put("ada@example.org", "hello")
    outbox.mark_sent(number)
    assert outbox.waiting() == []


def test_unknown_message(outbox):
    with pytest.raises(LookupError):
        outbox.mark_sent(7)
`,
    'tests/test_delivery.py': `import pytest

from mailroom.delivery import TemporaryFailure, deliver


class Carrier:
    def __init__(self, failures=()):
        self.failures = set(failures)
        self.sent = []

    def send(self, receiver, body):
        if receiver in self.failures:
            raise TemporaryFailure(receiver)
        if receiver == "nobody":
            raise RuntimeError("refused")
        self.sent.append(receiver)


def test_sends_everything(outbox):
    outbox.put("a", "1")
    outbox.put("b", "2")
    carrier = Carrier()
    assert deliver(outbox, carrier) == 2
    assert carrier.sent == ["a", "b"]
    assert outbox.waiting() == []


def test_a_temporary_failure_leaves_the_message(outbox):
    outbox.put("a", "1")
    outbox.put("b", "2")
    assert deliver(outbox, Carrier(failures=["a"])) == 1
    assert [receiver for _, receiver, _ in outbox.waiting()] == ["a"]


def test_other_failures_are_raised(outbox):
    outbox.put("nobody", "1")
    with pytest.raises(RuntimeError, match="refused"):
        deliver(outbox, Carrier())
`,
  },
  {
    'src/mailroom/addresses.py': ADDRESSES,
    'tests/test_addresses.py': `import pytest

from mailroom.addresses import Address, BadAddress, parse_address


def test_name_and_mail():
    assert parse_address("Ada L <ada@example.org>") == Address("Ada L", "ada@example.org")


def test_bare():
    assert parse_address(" ada@example.org ").domain == "example.org"


@pytest.mark.parametrize("text", ["", "ada", "<ada@example.org", "a@b@c", "a b@c"])
def test_bad(text):
    with pytest.raises(BadAddress):
        parse_address(text)
`,
  },
];
