"""What the registry of actions becomes: bindings, footer, palette, help and docs/keys.md.

`python -m placet.console.keymap` prints the page docs/keys.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

from textual.binding import Binding

from placet.console.actions import ACTIONS, BY_ID, INSIDE, Action, Group, Place, at

NAMES = {
    "space": "␣",
    "enter": "enter",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
}
"""How a key is written for people, where its name is not enough."""

RESERVED = frozenset({"ctrl+c"})
"""Keys that stay Textual's own."""


class PaletteEntry(NamedTuple):
    """One command of the palette.

    Attributes:
        id: Id of the action.
        title: "decide: approve".
        words: What it does.
        method: Name of the Textual action.
    """

    id: str
    title: str
    words: str
    method: str


class HelpRow(NamedTuple):
    """One line of the help: keys for people, words, and where."""

    group: str
    keys: str
    words: str
    places: str
    id: str


def bindings(place: Place) -> list[Binding]:
    """Textual bindings of one place, in footer order; class attributes are made of them."""
    return [_binding(action) for action in sorted(at(place), key=_footer_rank)]


def footer(place: Place, keys: Mapping[str, str] | None = None) -> tuple[tuple[str, str, str], ...]:
    """Footer of a screen from left to right: id, keys for people, short words.

    Args:
        place: The screen.
        keys: The person's key map as `read_keymap` returns it.
    """
    found = {action.id: action for p in (place, Place.APP) for action in at(p) if action.footer}
    return tuple(
        (action.id, written(_keys(action, keys or {})[:1]), action.short)
        for action in sorted(found.values(), key=_footer_rank)
    )


def palette(place: Place) -> tuple[PaletteEntry, ...]:
    """Every command at hand on a screen, as the palette offers it."""
    return tuple(
        PaletteEntry(a.id, f"{a.group.value.lower()}: {a.short}", a.words, a.method)
        for a in offered(place)
        if a.group is not Group.MOVE
    )


def offered(place: Place) -> tuple[Action, ...]:
    """Everything that can be done on a screen, in the order of the registry.

    Args:
        place: The screen; the widgets that stand in it, and what is at hand everywhere, count too.
    """
    here = {place, Place.APP, *INSIDE.get(place, ())}
    return tuple(action for action in ACTIONS if here & action.places)


def elsewhere(key: str, keys: Mapping[str, str] | None = None) -> str:
    """Why a key that is not at hand does nothing, in words; "" where it is nobody's key.

    Args:
        key: The key, a character or Textual's key name.
        keys: The person's key map as `read_keymap` returns it.
    """
    for action in ACTIONS:
        if key in _keys(action, keys or {}):
            return f"{written([key])} does nothing here: {action.short} works {_where(action)}"
    return ""


def help_rows(
    keys: Mapping[str, str] | None = None, place: Place | None = None
) -> tuple[HelpRow, ...]:
    """What can be done, grouped, with the keys it has now.

    Args:
        keys: The person's key map as `read_keymap` returns it.
        place: A screen, to have only what can be done there; None: everything.
    """
    rows = [
        HelpRow(a.group.value, written(_keys(a, keys or {})), a.words, _places(a), a.id)
        for a in (ACTIONS if place is None else offered(place))
    ]
    order = [group.value for group in Group]
    return tuple(sorted(rows, key=lambda row: order.index(row.group)))


def written(keys: Iterable[str]) -> str:
    """Keys as people read them: `j ↓`."""
    return " ".join(NAMES.get(key, key) for key in keys)


def read_keymap(table: Mapping[str, object]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read the `[keys]` table of the person's config.toml.

    Args:
        table: Id of an action to a key, or to a list of keys.

    Returns:
        What `App.set_keymap` takes, and what is wrong with the rest, one sentence each.
    """
    problems: list[str] = []
    chosen: dict[str, tuple[str, ...]] = {}
    for name, value in table.items():
        found = _chosen(name, value)
        if isinstance(found, str):
            problems.append(found)
        else:
            chosen[name] = found
    for name, words in clashes(chosen):
        problems.append(words)
        chosen.pop(name, None)
    return {name: ",".join(keys) for name, keys in chosen.items()}, tuple(problems)


def clashes(chosen: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Actions of one place that would answer to the same key.

    Args:
        chosen: Keys by action id, for those the person changed.

    Returns:
        For each clash, the changed action that gives way, and a sentence.
    """
    found: list[tuple[str, str]] = []
    keys = {a.id: chosen.get(a.id, a.keys) for a in ACTIONS}
    for name in chosen:
        for other in ACTIONS:
            both = set(keys[name]) & set(keys[other.id])
            if other.id == name or not both or not _meet(BY_ID[name], other):
                continue
            shared = written(sorted(both))
            found.append(
                (name, f"keys: {name} and {other.id} both want {shared}; {name} keeps its default.")
            )
            break
    return found


def markdown() -> str:
    """The page docs/keys.md, made from the registry."""
    lines = [
        "# Keys",
        "",
        "Made by `python -m placet.console.keymap`; a test compares. Change the registry in",
        "`console/actions.py`, or for yourself the table `[keys]` of",
        '`${XDG_CONFIG_HOME:-~/.config}/placet/config.toml`, for instance `"batch.approve" = "x"`.',
        "",
    ]
    for group in Group:
        lines += [f"## {group.value}", "", "| keys | what | where | id |", "|---|---|---|---|"]
        lines += [_table_row(action) for action in ACTIONS if action.group is group]
        lines.append("")
    return "\n".join(lines)


def _binding(action: Action) -> Binding:
    return Binding(
        ",".join(action.keys),
        action.method,
        action.short,
        show=bool(action.footer),
        key_display=written(action.keys[:1]),
        tooltip=action.words,
        id=action.id,
    )


def _footer_rank(action: Action) -> tuple[bool, int]:
    return (not action.footer, action.footer)


def _keys(action: Action, keys: Mapping[str, str]) -> tuple[str, ...]:
    chosen = keys.get(action.id)
    return tuple(chosen.split(",")) if chosen else action.keys


def _where(action: Action) -> str:
    """The same in a sentence."""
    places = (place.value for place in Place if place in action.places)
    return ", ".join(p if p.startswith(("in ", "every")) else f"in {p}" for p in places)


def _places(action: Action) -> str:
    return ", ".join(place.value for place in Place if place in action.places)


def _chosen(name: str, value: object) -> tuple[str, ...] | str:
    if name not in BY_ID:
        return f"keys: there is no action {name!r}; docs/keys.md lists them."
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    keys = tuple(key for key in values if isinstance(key, str) and key.strip() and "," not in key)
    if not keys or len(keys) != len(values):
        return f"keys: {name} needs a key or a list of keys, in quotes."
    if RESERVED & set(keys):
        return f"keys: {name} cannot have {written(sorted(RESERVED & set(keys)))}."
    return keys


def _meet(one: Action, other: Action) -> bool:
    """Whether two actions can be at hand at the same time."""
    if one.places & other.places:
        return True
    if {Place.EDITOR} in (set(one.places), set(other.places)):
        return False
    return any(
        one.places & there and other.places & there
        for there in ({place, Place.APP, *inside} for place, inside in INSIDE.items())
    )


def _table_row(action: Action) -> str:
    keys = " ".join(f"`{key}`" for key in action.keys).replace("|", "\\|")
    return f"| {keys} | {action.words} | {_places(action)} | `{action.id}` |"


def main(write: Callable[[str], Any] | None = None) -> None:
    """Print docs/keys.md."""
    import sys

    (write or sys.stdout.write)(markdown())


if __name__ == "__main__":
    main()
