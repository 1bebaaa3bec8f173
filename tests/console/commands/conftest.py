"""A way to run verbs as they are, with the person's part played by the test."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder
from terminal.held import holder

from placet.console.commands import ask, deciding, root
from placet.store.decide import DemoApprover
from placet.store.errors import Cancelled

__all__ = ["holder"]


@dataclass(frozen=True)
class Answer:
    """What one verb answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output; ASCII, with the schema."""
        (line,) = self.out.splitlines()
        return checked(line)

    @property
    def objects(self) -> list[Any]:
        """Every object on standard output."""
        return [checked(line) for line in self.out.splitlines()]


def checked(line: str) -> Any:
    """A line of JSON that keeps its promises."""
    assert line.isascii() and line.isprintable()
    found = json.loads(line)
    assert found["schema"] == "placet/1"
    return found


@dataclass
class Person:
    """Someone at the terminal: says what is asked for, or nothing at all.

    Attributes:
        says: Answers to come, in order.
        asked: Questions so far.
    """

    says: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def line(self, question: str, *, ascii: bool = True) -> str:  # noqa: A002
        self.asked.append(question)
        if not self.says:
            raise Cancelled("No answer. Nothing was decided.")
        return self.says.pop(0)


Placet = Callable[..., Answer]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeBuilder:
    """A home that the demo's approver made, so that verbs may decide in it."""
    path = tmp_path / "own"
    approver = DemoApprover.own_home(path)
    monkeypatch.setattr(deciding, "approver", lambda: approver)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return HomeBuilder(path).config()


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Person:
    """The person who answers on the terminal."""
    someone = Person()
    monkeypatch.setattr(ask, "line", someone.line)
    return someone


@pytest.fixture
def placet(capfd: pytest.CaptureFixture[str]) -> Placet:
    """Run a verb on homes: `placet(home, "show", ref)`."""

    def call(home: HomeBuilder | Sequence[HomeBuilder], *words: str) -> Answer:
        homes = [home] if isinstance(home, HomeBuilder) else home
        given = [word for one in homes for word in ("-H", str(one.path))]
        capfd.readouterr()
        code = root.run([*given, *words])
        found = capfd.readouterr()
        return Answer(code, found.out, found.err)

    return call


@pytest.fixture
def digest(placet: Placet) -> Callable[..., str]:
    """The digest of a proposal as `show` prints it."""

    def of(home: HomeBuilder, ref: str, *more: str) -> str:
        found: str = placet(home, "show", ref, "--json", *more).json["digest"]
        return found

    return of


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Set $EDITOR to a program that runs a line of Python on the file's text `t`.

    Returns the file that it copies what it was given into, for looking.
    """

    def set_editor(line: str) -> Path:
        given = tmp_path / "given"
        script = tmp_path / "editor.py"
        script.write_text(
            "import os, pathlib, sys\n"
            "p = pathlib.Path(sys.argv[1]); t = p.read_text()\n"
            f"pathlib.Path({str(given)!r}).write_text(t)\n"
            "mode = p.stat().st_mode & 0o777\n"
            f"{line}\n"
            "p.write_text(t)\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))
        return given

    return set_editor
