"""Fixtures for every test: homes in the making, the two whole homes, the facts about Hermes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from homes.build import HERMES, HomeBuilder, unpack


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--second-try`: this run repeats, one at a time, what failed beside the rest."""
    parser.addoption("--second-try", action="store_true", help="repeats what failed before")


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: Any) -> Any:
    """Name what needed a second try, with the reason that its marker gives."""
    result = yield
    if terminalreporter.config.getoption("--second-try"):
        for name, why in _second_tries(terminalreporter.config):
            terminalreporter.write_line(f"needed a second try: {name} ({why})")
    return result


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remember what a second try runs."""
    config.stash[_TRIED] = items


NO_EXCUSE = "nothing says why it may"
_TRIED = pytest.StashKey[list[pytest.Item]]()


def _second_tries(config: pytest.Config) -> list[tuple[str, str]]:
    found = []
    for item in config.stash.get(_TRIED, []):
        marker = item.get_closest_marker("starves")
        found.append((item.nodeid, marker.args[0] if marker else NO_EXCUSE))
    return found


@pytest.fixture(autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> None:
    """Keep every anchor away from the person's own ones."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def home(tmp_path: Path) -> HomeBuilder:
    """An empty home with both switches on."""
    return HomeBuilder(tmp_path / "home").config()


@pytest.fixture
def make_home(tmp_path: Path) -> Callable[[str], HomeBuilder]:
    """Make further homes, each with its own label."""
    return lambda name: HomeBuilder(tmp_path / name, name).config()


@pytest.fixture(scope="session")
def hermes() -> Path:
    """The folder of facts about Hermes; tests skip where it is absent."""
    if not HERMES.is_dir():
        pytest.skip("the facts about Hermes are not beside this checkout")
    return HERMES


@pytest.fixture(scope="session")
def conformance(hermes: Path) -> list[dict[str, Any]]:
    """The observed cases of conformance.json."""
    cases: list[dict[str, Any]] = json.loads((hermes / "conformance.json").read_bytes())["cases"]
    return cases


@pytest.fixture(scope="session")
def pending_records(hermes: Path) -> dict[str, Any]:
    """The records of pending-records.json: `queue` and `skills`."""
    records: dict[str, Any] = json.loads((hermes / "pending-records.json").read_bytes())
    return records


@pytest.fixture
def home_small(hermes: Path, tmp_path: Path) -> HomeBuilder:
    """A fresh copy of `home-small`."""
    return unpack("home-small", tmp_path)


@pytest.fixture
def home_busy(hermes: Path, tmp_path: Path) -> HomeBuilder:
    """A fresh copy of `home-busy`, with its profile `lab`."""
    return unpack("home-busy", tmp_path)


@pytest.fixture
def expected_small(hermes: Path) -> dict[str, dict[str, Any]]:
    """The class that each record of `home-small` must get."""
    return _expected(hermes, "home-small")


@pytest.fixture
def expected_busy(hermes: Path) -> dict[str, dict[str, Any]]:
    """The class that each record of `home-busy` must get."""
    return _expected(hermes, "home-busy")


def _expected(hermes: Path, name: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        (hermes / "homes" / f"{name}.expected.json").read_bytes()
    )
    return found
