"""Where the homes of this run lie, and what they are called; fixed at start (design §3).

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from placet.store.errors import words_of
from placet.store.homes import places

FOLDERS = ("memory", "skills")
"""The two staging folders below `pending/`."""

PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
"""Names that Hermes takes for profiles below `profiles/`; `default` stands for the root itself."""

ROOT_LABEL = "default"
"""Label of a home that is no profile."""


class Root(NamedTuple):
    """One home: its real path, and its label, unique among those of this run."""

    path: Path
    label: str


class Roots(NamedTuple):
    """The homes of this run, roots before their profiles, and what is wrong, in sentences."""

    homes: tuple[Root, ...]
    problems: tuple[str, ...]


def roots(given: Sequence[Path], env: Mapping[str, str], user_home: Path | None) -> Roots:
    """Find the homes of this run without creating anything.

    Args:
        given: Paths of `-H`, in order; they win over everything else.
        env: Environment, read for `HERMES_HOME`.
        user_home: Home directory of the user, for `~`; None where the system names none.
    """
    problems: list[str] = []
    wanted = _roots(given, env, user_home, problems)
    homes = [home for root in wanted for home in _with_profiles(root, problems)]
    return Roots(tuple(_labelled(_once(homes))), tuple(problems))


def _roots(
    given: Sequence[Path], env: Mapping[str, str], user_home: Path | None, problems: list[str]
) -> list[Path]:
    named = env.get("HERMES_HOME", "").strip()
    if given or named:
        wanted = [_expanded(path, user_home) for path in (given or [Path(named)])]
        return [real for path in wanted if (real := _usable(path, problems)) is not None]
    if user_home is None:
        problems.append(
            f"No agent's memory was found: {places.no_home(env)}, so there is no ~/.hermes to look"
            " for. Name a home with `placet -H PATH`."
        )
        return []
    return [_usual(user_home, problems)]


def _usual(user_home: Path, problems: list[str]) -> Path:
    """The home where nobody names one; one that does not exist yet is kept and watched."""
    hermes, own = user_home / ".hermes", user_home / ".placet"
    for place in (hermes, own):
        try:
            if place.is_dir():
                return place.resolve()
        except OSError as problem:
            problems.append(f"{place} cannot be looked at: {words_of(problem)}.")
    problems.append(
        f"No agent's memory was found: {hermes} does not exist and HERMES_HOME is not set. "
        f"Name one with `placet -H PATH`, make an empty one with `mkdir {own}`, "
        "or look around with `placet demo`."
    )
    return own


def _expanded(path: Path, user_home: Path | None) -> Path:
    parts = path.parts
    if user_home is None or parts[:1] != ("~",):
        return path
    return user_home.joinpath(*parts[1:])


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


def _with_profiles(root: Path, problems: list[str]) -> Iterator[Root]:
    is_profile = root.parent.name == "profiles" and PROFILE_NAME.match(root.name)
    yield Root(root, root.name if is_profile else ROOT_LABEL)
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
                yield Root((folder / name).resolve(), name)
        elif staged := _staged_in(folder / name):
            problems.append(
                f"{folder / name} holds {staged} staged record{'s' if staged > 1 else ''}, but"
                " Hermes takes no profile of that name, so it is left out. Name it with"
                " `placet -H PATH` to look at it."
            )


def _staged_in(folder: Path) -> int:
    """How many records are staged below a folder; a pipe, a link in a circle or nothing holds 0."""
    found = 0
    for subsystem in FOLDERS:
        try:
            with os.scandir(folder / "pending" / subsystem) as entries:
                found += sum(entry.name.endswith(".json") for entry in entries)
        except (OSError, ValueError):
            continue  # no such folder, or none that can be listed: no profile either
    return found


def _once(homes: Iterable[Root]) -> list[Root]:
    """Drop homes whose real path came before."""
    return list({home.path: home for home in reversed(list(homes))}.values())[::-1]


def _labelled(homes: Sequence[Root]) -> Iterator[Root]:
    """Give the path as label to homes whose short labels clash."""
    uses = Counter(home.label for home in homes)
    for home in homes:
        yield home if uses[home.label] == 1 else home._replace(label=str(home.path))
