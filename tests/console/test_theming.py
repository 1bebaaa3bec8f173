"""Themes are checked before they are registered (design §11, acceptance C10, report 120)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color
from widget_host import Host, screen_text, until

from placet.console import theming
from placet.console.pages.cells import Cell, Look
from placet.console.theming import ANSI, DARK, DIFF_BACKGROUNDS, LIGHT, SYNTAX, VARIABLES, BadTheme
from placet.console.widgets.status import CellLines

OWN = {theme.name: theme for theme in theming.load().themes}
THEMES = Path(__file__).resolve().parents[2] / "themes"
GOOD = (THEMES / "placet-light.toml").read_bytes().replace(b"placet-light", b"mine")


def test_three_themes_come_along() -> None:
    assert list(OWN) == [DARK, LIGHT, ANSI]
    assert theming.load().problems == ()
    assert not OWN[LIGHT].dark


@pytest.mark.parametrize("name", [DARK, LIGHT])
def test_diff_colours_stay_apart_with_256_colours(name: str) -> None:
    """SSH without COLORTERM has 256 colours: the four backgrounds must not fall together there."""
    stated = [OWN[name].variables[variable] for variable in DIFF_BACKGROUNDS]
    background = OWN[name].background
    assert background is not None
    numbers = [
        RichColor.parse(colour).downgrade(ColorSystem.EIGHT_BIT).number
        for colour in [*stated, background]
    ]
    assert len(set(numbers)) == 5


def test_the_downgrade_test_can_fail() -> None:
    near = [
        RichColor.parse(c).downgrade(ColorSystem.EIGHT_BIT).number for c in ("#101010", "#111111")
    ]
    assert near[0] == near[1]


@pytest.mark.parametrize("name", [DARK, LIGHT])
def test_text_can_be_read(name: str) -> None:
    """Contrast of at least 4.5 for every pair that is drawn."""
    look = {key: Color.parse(value) for key, value in OWN[name].variables.items()}
    ground = Color.parse(OWN[name].background or "")
    pairs = [(look["diff-ink"], look[variable]) for variable in DIFF_BACKGROUNDS]
    pairs += [(look["look-suspect-ink"], look[v]) for v in ("look-suspect", "look-hit")]
    pairs += [(look["look-match-ink"], look["look-match"])]
    pairs += [(look["look-cursor-ink"], look["look-cursor"])]
    inks = ("dim", "heading", "note", "caution", "alarm", "good")
    pairs += [(look[f"look-{ink}"], ground) for ink in inks]
    pairs += [(Color.parse(OWN[name].foreground or ""), ground)]
    grounds = (ground, look["diff-added"], look["diff-removed"])
    pairs += [(look[f"syntax-{token}"], under) for token in SYNTAX for under in grounds]
    for ink, paper in pairs:
        assert contrast(ink, paper) >= 4.5, (ink.hex, paper.hex)


def contrast(one: Color, other: Color) -> float:
    """Contrast of two colours as WCAG computes it."""

    def light(colour: Color) -> float:
        parts = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
            for part in colour.normalized
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_every_theme_states_every_variable() -> None:
    for name, theme in OWN.items():
        assert theming.parse((THEMES / f"{name}.toml").read_bytes(), name) == theme
        assert set(theme.variables) >= set(VARIABLES)
    assert set(theming.variable_defaults()) == set(VARIABLES)


@pytest.mark.parametrize("name", [DARK, LIGHT, ANSI, "nord", "textual-light"])
async def test_every_look_can_be_drawn(name: str) -> None:
    lines = CellLines(id="lines")
    app = Host(lines)
    async with app.run_here(40, 30) as pilot:
        for theme in OWN.values():
            app.register_theme(theme)
        app.theme = name
        lines.set_lines(*[(Cell(f"look {look}", look),) for look in Look])
        await pilot.pause()
        shown = [line.rstrip() for line in screen_text(app)]
        assert [f"look {look}" for look in Look] == shown[: len(Look)]


async def test_another_theme_draws_anew() -> None:
    """What was drawn in the colours of the theme before is drawn again."""
    lines = CellLines(id="lines")
    app = Host(lines)
    async with app.run_here(40, 3) as pilot:
        for theme in OWN.values():
            app.register_theme(theme)
        lines.set_lines((Cell("added", Look.NEW),))
        for name in (DARK, LIGHT):
            app.theme = name
            wanted = Color.parse(OWN[name].variables["diff-added"]).rich_color
            await until(pilot, lambda wanted=wanted: _ground(lines) == wanted)


def _ground(lines: CellLines) -> RichColor | None:
    style = next(iter(lines.render_line(0))).style
    return style.bgcolor if style is not None else None


def test_persons_theme_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(GOOD)
    (tmp_path / "notes.txt").write_bytes(b"no theme")
    found = theming.load(tmp_path)
    assert [theme.name for theme in found.themes] == [DARK, LIGHT, ANSI, "mine"]
    assert found.problems == ()


def test_no_folder_is_no_problem(tmp_path: Path) -> None:
    assert theming.load(tmp_path / "nowhere").problems == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'primary = "#1f5f99"', b'primary = "notacolor"', "is no colour"),
        (b'look-hit = "#ffaf5f"', b"", "lacks look-hit"),
        (b'look-hit = "#ffaf5f"', b'look-hot = "#ffaf5f"', "look-hot"),
        (b'diff-removed = "#ffd7d7"', b'diff-removed = "#d7ffd7"', "look the same"),
        (b"dark = false", b"dark = false\nsize = 3", "size is not known"),
        (b'primary = "#1f5f99"', b"primary = 5", "has to be a colour in quotes"),
        (b'primary = "#1f5f99"', b"", "lacks primary"),
        (b"\n[look]", b"\n[leek]", "leek"),
        (b'name = "mine"', b'name = "\\u202e"', "small letters"),
        (b'name = "mine"', b"name = ", "no TOML"),
        (b"[colours]", b"[[[", "no TOML"),
        (b'name = "mine"', b'name = "placet-dark"', "placet's own"),
        (b"# mine", b"\xff\xfe", "no TOML"),
    ],
)
def test_bad_file_is_words_and_the_others_stay(
    tmp_path: Path, old: bytes, new: bytes, words: str
) -> None:
    assert old in GOOD
    (tmp_path / "bad.toml").write_bytes(GOOD.replace(old, new, 1))
    (tmp_path / "good.toml").write_bytes(GOOD.replace(b'"mine"', b'"good"'))
    found = theming.load(tmp_path)
    assert [theme.name for theme in found.themes] == [DARK, LIGHT, ANSI, "good"]
    assert len(found.problems) == 1
    assert words in found.problems[0]
    assert "bad.toml" in found.problems[0]


def test_what_is_no_file_is_words(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "huge.toml").write_bytes(b"#" * 100_000)
    os.mkfifo(tmp_path / "pipe.toml")
    found = theming.load(tmp_path)
    assert len(found.themes) == 3
    assert len(found.problems) == 3


def test_parse_raises_what_it_says() -> None:
    assert theming.parse(GOOD, "x").name == "mine"
    with pytest.raises(BadTheme):
        theming.parse(b"", "x")


@pytest.mark.parametrize(
    ("wanted", "few", "none", "expected"),
    [
        ("", False, False, DARK),
        (LIGHT, False, False, LIGHT),
        ("gone", False, False, DARK),
        (LIGHT, True, False, ANSI),
        (LIGHT, False, True, ANSI),
    ],
)
def test_theme_to_start_with(wanted: str, few: bool, none: bool, expected: str) -> None:
    """Sixteen colours and NO_COLOR get the terminal's own colours."""
    assert theming.choose(wanted, OWN, few_colours=few, no_colour=none) == expected
