"""A user whom the system does not know, no HOME, or one that cannot be written: words, no crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from driving.console import running
from homes.build import HomeBuilder

from placet.console.commands import deciding, screen
from placet.console.commands.root import VERBS

UNKNOWN = (
    "import pwd, sys\n"
    "def getpwuid(uid): raise KeyError(uid)\n"
    "pwd.getpwuid = getpwuid\n"
    "from placet.console.__main__ import main\n"
    "main()\n"
)
"""The program for a user without an entry among the system's users."""

USER = ["unshare", "-U", "--map-user=54321"]
"""A real one, where the system lets us make one; it has no more rights than its files give it."""

DIGEST = "0" * 64
WORDS: dict[str, tuple[str, ...]] = {
    "approve": ("nosuch", "--seen", DIGEST),
    "discard": ("nosuch",),
    "reject": ("nosuch",),
    "show": ("nosuch",),
    "diff": ("nosuch",),
    "edit": ("nosuch",),
    "edit-memory": ("memory",),
    "normalise": ("memory",),
    "undo": ("1",),
    "lift": ("abcdef",),
    "demo": ("--plain",),
}
"""What a verb is given besides its name."""

Run = Callable[..., subprocess.CompletedProcess[str]]
Placet = Callable[..., Any]


def _can_be_another() -> bool:
    try:
        found = subprocess.run([*USER, "id", "-u"], capture_output=True, check=False)
    except OSError:
        return False
    return found.stdout == b"54321\n"


@pytest.fixture(params=["faked", "real"])
def alone(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """Run a verb as a user without an entry, with this environment and nothing else of ours."""
    before: Sequence[str] = ()
    program: Sequence[str] = ("-c", UNKNOWN)
    if request.param == "real":
        if not _can_be_another():
            pytest.skip("no user can be made here that has no entry")
        before, program = USER, ("-m", "placet.console")

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        done = subprocess.run(
            [*before, sys.executable, *program, *words],
            env={**kept, "LC_ALL": "C.UTF-8", **environment},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
            timeout=60,
        )
        assert "Traceback" not in done.stderr and "a fault of its own" not in done.stderr
        return done

    return run


@pytest.fixture
def staged(tmp_path: Path) -> HomeBuilder:
    """A home with one proposal."""
    home = HomeBuilder(tmp_path / "agent").config().memory("first")
    home.stage_add("second", record_id="one")
    return home


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_in_words(alone: Run, staged: HomeBuilder, verb: str) -> None:
    """With a home that is named, and with none; nothing appears in the working directory."""
    for given in (("-H", str(staged.path)), ()):
        done = alone(*given, verb, *WORDS.get(verb, ()))
        assert done.returncode in (0, 1, 2), (given, done.stderr)
        assert done.stdout or done.stderr or verb in ("audit", "refusals")
    assert {path.name for path in staged.path.parent.iterdir()} == {"agent"}


def test_a_home_that_is_named_is_read_as_ever(alone: Run, staged: HomeBuilder) -> None:
    """No home directory is needed for what is named."""
    given = ("-H", str(staged.path))
    assert "1 waiting" in alone(*given, "pending").stdout
    assert json.loads(alone(*given, "show", "one", "--json").stdout)["digest"]
    assert alone(*given, "count").stdout.startswith("1 memory, 0 skills")
    assert json.loads(alone(*given, "locate", "--json").stdout)["homes"][0]["anchor"] is None
    by_name = alone("pending", HERMES_HOME=str(staged.path))
    assert "1 waiting" in by_name.stdout and by_name.returncode == 0


def test_the_place_that_cannot_be_found_is_named(alone: Run, staged: HomeBuilder) -> None:
    """Where no home is named, and for the anchor."""
    nowhere = alone("pending")
    assert "HOME is not set" in nowhere.stderr and nowhere.returncode == 1
    assert "~/.hermes" in alone("count").stderr
    assert "HOME is home, which is no path from the root" in alone("status", HOME="home").stderr
    assert "no place for it" in alone("-H", str(staged.path), "locate").stdout
    verified = alone("-H", str(staged.path), "audit", "--verify")
    assert "no place for the anchor" in verified.stdout and "XDG_STATE_HOME" in verified.stdout
    elsewhere = alone("-H", str(staged.path), "locate", XDG_STATE_HOME=str(staged.path / "x"))
    assert f"{staged.path}/x/placet/anchors" in elsewhere.stdout


@pytest.mark.parametrize("home", ["/nonexistent", "/proc"])
def test_a_home_directory_that_cannot_be_written(
    alone: Run, staged: HomeBuilder, home: str
) -> None:
    """Looking needs none of it."""
    given = ("-H", str(staged.path))
    for verb in VERBS:
        assert alone(*given, verb, *WORDS.get(verb, ()), HOME=home).returncode in (0, 1, 2)
    assert "1 waiting" in alone(*given, "pending", HOME=home).stdout


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process: no HOME, and no entry for its user."""

    def getpwuid(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", getpwuid)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("nobody")
def test_nothing_is_decided_without_a_place_for_the_anchor(
    own: HomeBuilder, placet: Placet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The place is named, the record stays; with a place it is decided."""
    ref = own.stage_add("second")
    answer = placet(own, "discard", ref)
    assert answer.code == 1 and "no place for the anchor" in answer.err
    assert "Set XDG_STATE_HOME" in answer.err and own.record_path(ref).exists()
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/placet-has-no-place-here")
    answer = placet(own, "discard", ref)
    assert answer.code == 1 and "/proc/placet-has-no-place-here/placet/anchors" in answer.err
    assert "No such file or directory" in answer.err and own.record_path(ref).exists()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert placet(own, "discard", ref).code == 0 and not own.record_path(ref).exists()


@pytest.mark.usefixtures("nobody")
async def test_the_console_opens_and_says_why_nothing_is_decided(
    own: HomeBuilder, tmp_path: Path
) -> None:
    """What waits is shown; the reason stands above it."""
    own.stage_add("second")
    async with running(own, deciding.approver(), tmp_path, size=(120, 40)) as driver:
        assert "1 waiting" in driver.text() and "+ second" in driver.text()
        assert "no place for the anchor" in driver.text()
        await driver.key("a")
        assert "no place for the anchor" in driver.said and own.record_path("00000001").exists()


@pytest.mark.usefixtures("nobody")
def test_the_console_does_not_open_on_no_home(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to show: the reason, and what to name."""
    monkeypatch.delenv("HERMES_HOME", raising=False)
    monkeypatch.setattr(screen, "no_terminal", lambda: False)
    assert screen.open_console(()) == 1
    assert "HOME is not set" in capsys.readouterr().err
