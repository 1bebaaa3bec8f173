"""Themes: read, checked before they are registered, and never a reason to fail."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import cast

from textual.color import Color, ColorParseError
from textual.theme import Theme

from placet.console.pages.syntax import Token
from placet.store.errors import words_of

DARK, LIGHT, ANSI = "placet-dark", "placet-light", "placet-ansi"
"""The themes that placet brings."""

DIFF_BACKGROUNDS = ("diff-added", "diff-removed", "diff-added-word", "diff-removed-word")
"""Variables that must stay apart on every terminal."""

VARIABLES = (
    "diff-ink",
    *DIFF_BACKGROUNDS,
    "look-dim",
    "look-heading",
    "look-note",
    "look-caution",
    "look-alarm",
    "look-good",
    "look-suspect",
    "look-suspect-ink",
    "look-hit",
    "look-match",
    "look-match-ink",
    "look-cursor",
    "look-cursor-ink",
)
"""Theme variables that placet's widgets use; every theme file states all of them."""

SYNTAX = tuple(token.value for token in Token)
"""Keys of [syntax], the inks of skill files; a theme that leaves one out draws it like the text."""

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)

MAX_BYTES = 64 * 1024
"""Largest theme file that is read, in bytes."""

_ANSI_VARIABLES = {
    "ansi-background": "ansi_black",
    "ansi-foreground": "ansi_white",
    "border-blurred": "ansi_default",
    "block-cursor-foreground": "ansi_black",
    "block-cursor-background": "ansi_white",
    "input-cursor-foreground": "ansi_black",
    "input-cursor-background": "ansi_white",
    "input-selection-foreground": "ansi_black",
    "input-selection-background": "ansi_cyan",
}
"""What Textual's own style sheets need from a theme of the terminal's colours, or fail."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")


class BadTheme(ValueError):
    """A theme file cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Themes:
    """What was found.

    Attributes:
        themes: Checked themes, placet's own first; all may be registered.
        problems: One sentence for each file that is not used; may quote file names, so it is shown
            through `shown`.
    """

    themes: tuple[Theme, ...]
    problems: tuple[str, ...] = ()


def load(user_folder: Path | None = None) -> Themes:
    """Read placet's themes and the person's own.

    Args:
        user_folder: Folder of the person's theme files; None or absent means none.
    """
    themes = {theme.name: theme for theme in _own()}
    problems: list[str] = []
    for path in _user_files(user_folder, problems):
        try:
            theme = parse(_read(path), path.stem)
            if theme.name in (DARK, LIGHT, ANSI):
                raise BadTheme(f"the name {theme.name} is placet's own")
            themes[theme.name] = theme
        except (BadTheme, OSError) as error:
            words = words_of(error) if isinstance(error, OSError) else error
            problems.append(f"Theme {path.name} is not used: {words}.")
    return Themes(tuple(themes.values()), tuple(problems))


def parse(data: bytes, name: str) -> Theme:
    """Make one theme from a file's bytes, checked as far as applying it would go.

    Args:
        data: The file's bytes.
        name: Name where the file states none.

    Raises:
        BadTheme: It cannot be used; the text says why.
    """
    theme = _theme(_table(data), name)
    _check(theme)
    return theme


def variable_defaults() -> dict[str, str]:
    """Values for `App.get_theme_variable_defaults`, so that foreign themes work too."""
    own = _own()[0].variables
    return {name: own[name] for name in VARIABLES}


def choose(wanted: str, known: Iterable[str], *, few_colours: bool, no_colour: bool) -> str:
    """Name the theme to start with.

    Args:
        wanted: The person's choice, or empty.
        known: Names of the registered themes.
        few_colours: Whether the terminal has sixteen colours or fewer.
        no_colour: Whether NO_COLOR is set.
    """
    if few_colours or no_colour:
        return ANSI
    return wanted if wanted in set(known) else DARK


@cache
def _own() -> tuple[Theme, ...]:
    """Placet's own themes; a test checks them as a person's are checked here."""
    folder = resources.files("placet.themes")
    return tuple(
        _theme(_table((folder / f"{name}.toml").read_bytes()), name) for name in (DARK, LIGHT, ANSI)
    )


def _user_files(folder: Path | None, problems: list[str]) -> Iterator[Path]:
    if folder is None:
        return
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(f"The themes in {folder} are not used: {words_of(error)}.")
        return
    yield from found


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise BadTheme("it is no regular file")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadTheme(f"it is larger than {MAX_BYTES:,} bytes")
    return data


def _table(data: bytes) -> dict[str, object]:
    try:
        return cast("dict[str, object]", tomllib.loads(data.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadTheme(f"it is no TOML ({error})") from None


def _theme(table: Mapping[str, object], fallback: str) -> Theme:
    unknown = sorted(set(table) - {"name", "dark", "ansi", "colours", "look", "syntax"})
    if unknown:
        raise BadTheme(f"the key {unknown[0]} is not known")
    name = table.get("name", fallback)
    if not isinstance(name, str) or not _NAME.match(name):
        raise BadTheme("its name has to be small letters, digits and hyphens")
    colours, look = _strings(table, "colours"), _strings(table, "look")
    syntax = _strings(table, "syntax") if "syntax" in table else {}
    _complete(colours, look, syntax)
    look |= {f"syntax-{name}": value for name, value in syntax.items()}
    ansi = table.get("ansi", False) is True
    return Theme(
        name=name,
        primary=colours["primary"],
        secondary=colours.get("secondary"),
        warning=colours.get("warning"),
        error=colours.get("error"),
        success=colours.get("success"),
        accent=colours.get("accent"),
        foreground=colours.get("foreground"),
        background=colours.get("background"),
        surface=colours.get("surface"),
        panel=colours.get("panel"),
        boost=colours.get("boost"),
        dark=table.get("dark", True) is True,
        ansi=ansi,
        variables={**_ANSI_VARIABLES, **look} if ansi else look,
    )


def _complete(
    colours: Mapping[str, str], look: Mapping[str, str], syntax: Mapping[str, str]
) -> None:
    if "primary" not in colours:
        raise BadTheme("[colours] lacks primary")
    tables = (("colours", colours, COLOURS), ("look", look, VARIABLES), ("syntax", syntax, SYNTAX))
    for section, keys, known in tables:
        strange = sorted(set(keys) - set(known))
        if strange:
            raise BadTheme(f"[{section}] has {strange[0]}, which is not known")
    missing = sorted(set(VARIABLES) - set(look))
    if missing:
        raise BadTheme(f"[look] lacks {missing[0]}")


def _strings(table: Mapping[str, object], key: str) -> dict[str, str]:
    section = table.get(key)
    if not isinstance(section, dict):
        raise BadTheme(f"the table [{key}] is missing")
    found = cast("dict[str, object]", section)
    bad = next((name for name, value in found.items() if not isinstance(value, str)), None)
    if bad is not None:
        raise BadTheme(f"{bad} has to be a colour in quotes")
    return {name: str(value) for name, value in found.items()}


def _check(theme: Theme) -> None:
    stated = {name: getattr(theme, name) for name in COLOURS if getattr(theme, name) is not None}
    for name, value in {**stated, **theme.variables}.items():
        try:
            Color.parse(value)
        except ColorParseError:
            raise BadTheme(f"{name} = {value!r} is no colour") from None
    try:
        theme.to_color_system().generate()
    except (ColorParseError, ValueError, TypeError) as error:
        raise BadTheme(f"its colours do not go together ({error})") from None
    backgrounds = [Color.parse(theme.variables[name]) for name in DIFF_BACKGROUNDS]
    if len(set(backgrounds)) < len(backgrounds):
        raise BadTheme("what is added and what is removed would look the same")
