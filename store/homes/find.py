"""Find the homes of this run; fixed at start and never looked up again (design §3)."""

from __future__ import annotations

import os
import pwd
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placet.store.errors import words_of
from placet.store.model import Home, Subsystem

PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
"""Names that Hermes takes for profiles below `profiles/`; `default` stands for the root itself."""

ROOT_LABEL = "default"
"""Label of a home that is no profile."""


@dataclass(frozen=True, slots=True)
class Found:
    """The homes of this run.

    Attributes:
        homes: Each home once, roots before their profiles, in the order given.
        problems: Sentences about what is missing or unusable, each with what to do next.
    """

    homes: tuple[Home, ...]
    problems: tuple[str, ...] = ()


def find(given: Sequence[Path], env: Mapping[str, str], user_home: Path) -> Found:
    """Find the homes of this run without creating anything.

    Args:
        given: Paths of `-H`, in order; they win over everything else.
        env: Environment, read for `HERMES_HOME`.
        user_home: Home directory of the user, for `~`.
    """
    problems: list[str] = []
    roots = _roots(given, env, user_home, problems)
    homes = [home for root in roots for home in _with_profiles(root, problems)]
    return Found(tuple(_labelled(_once(homes))), tuple(problems))


def owner(home: Home) -> int | None:
    """Return the user id that owns the home, or None where it does not exist."""
    return _owner(home.path)


def read_only_reason(home: Home) -> str:
    """Tell why nothing can be decided in this home: one or two sentences, or empty if it can.

    Args:
        home: Home to look at; nothing is created or changed.
    """
    uid = owner(home)
    if uid is None:
        return f"{home.path} does not exist yet, and placet does not make it: nothing to decide."
    for place in (home.path, home.memories, home.private):
        other = _owner(place)
        if other is not None and other != os.geteuid():
            return _foreign(home, place, other)
    for place in (home.path, home.private):
        if place.exists() and not os.access(place, os.W_OK | os.X_OK):
            return f"{place} is not writable for this user: it is shown read-only."
    return ""


def _roots(
    given: Sequence[Path], env: Mapping[str, str], user_home: Path, problems: list[str]
) -> list[Path]:
    named = env.get("HERMES_HOME", "").strip()
    if given or named:
        wanted = [_expanded(path, user_home) for path in (given or [Path(named)])]
        return [real for path in wanted if (real := _usable(path, problems)) is not None]
    hermes, own = user_home / ".hermes", user_home / ".placet"
    if hermes.is_dir():
        return [hermes.resolve()]
    if own.is_dir():
        return [own.resolve()]
    problems.append(
        f"No agent's memory was found: {hermes} does not exist and HERMES_HOME is not set. "
        f"Name one with `placet -H PATH`, make an empty one with `mkdir {own}`, "
        "or look around with `placet demo`."
    )
    return [own]


def _expanded(path: Path, user_home: Path) -> Path:
    parts = path.parts
    return user_home.joinpath(*parts[1:]) if parts[:1] == ("~",) else path


def _usable(path: Path, problems: list[str]) -> Path | None:
    """Resolve a root that a person named; a missing one is kept, so that it can appear later."""
    try:
        real = path.resolve()
        if real.is_dir():
            return real
        if real.exists():
            problems.append(f"{path} is not a directory, so it is no home; it is left out.")
            return None
    except (OSError, RuntimeError, ValueError) as problem:
        said = words_of(problem) if isinstance(problem, OSError) else problem
        problems.append(f"{path} cannot be used as a home ({said}); it is left out.")
        return None
    problems.append(
        f"{real} does not exist yet; nothing was created. Its queue appears when the agent makes "
        f"it, for instance with `HERMES_HOME={real} hermes`."
    )
    return real


def _with_profiles(root: Path, problems: list[str]) -> Iterator[Home]:
    is_profile = root.parent.name == "profiles" and PROFILE_NAME.match(root.name)
    yield Home(root, root.name if is_profile else ROOT_LABEL)
    folder = root / "profiles"
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as problem:
        problems.append(f"The profiles in {folder} could not be listed: {words_of(problem)}.")
        return
    for name in names:
        if PROFILE_NAME.match(name) and name != ROOT_LABEL:
            if (folder / name).is_dir():
                yield Home((folder / name).resolve(), name)
        elif staged := _staged_in(folder / name):
            problems.append(
                f"{folder / name} holds {staged} staged record{'s' if staged > 1 else ''}, but"
                " Hermes takes no profile of that name, so it is left out. Name it with"
                " `placet -H PATH` to look at it."
            )


def _staged_in(folder: Path) -> int:
    """How many records are staged below a folder; a pipe, a link in a circle or nothing holds 0."""
    found = 0
    for subsystem in Subsystem:
        try:
            with os.scandir(folder / "pending" / subsystem.value) as entries:
                found += sum(entry.name.endswith(".json") for entry in entries)
        except (OSError, ValueError):
            continue  # no such folder, or none that can be listed: no profile either
    return found


def _once(homes: Iterable[Home]) -> list[Home]:
    """Drop homes whose real path came before."""
    return list({home.path: home for home in reversed(list(homes))}.values())[::-1]


def _labelled(homes: Sequence[Home]) -> Iterator[Home]:
    """Give the path as label to homes whose short labels clash."""
    uses = Counter(home.label for home in homes)
    for home in homes:
        yield home if uses[home.label] == 1 else replace(home, label=str(home.path))


def _owner(place: Path) -> int | None:
    try:
        return place.stat().st_uid
    except OSError:
        return None


def _foreign(home: Home, place: Path, uid: int) -> str:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"'#{uid}'"
    return (
        f"{place} belongs to {name}, not to this user: everything is read-only and nothing is "
        f"created. To decide, run `sudo -u {name} placet -H {home.path}`."
    )
