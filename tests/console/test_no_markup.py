"""Field reports 103-105, C02: no text reaches an interface that parses markup, the grep of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CONSOLE = Path(__file__).resolve().parents[2] / "console"

PARSERS = {"from_markup", "render_markup", "to_content", "escape_markup", "notify", "print_markup"}
"""Calls that parse the text they are given."""

WIDGETS = {"Static", "Label", "Link", "Button", "Markdown"}
"""Widgets that parse what they are given unless told otherwise."""

MODULES = ("rich.markup", "textual.markup", "markdown_it")


def parsing(source: str) -> Iterator[str]:
    """Every place of a module that could parse markup, in words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [getattr(node, "module", None) or "", *(name.name for name in node.names)]
            yield from (f"imports {name}" for name in names if name.startswith(MODULES))
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in PARSERS and node.args:
                yield f"line {node.lineno} calls {name}"
            off = any(k.arg == "markup" and ast.unparse(k.value) == "False" for k in node.keywords)
            if name in WIDGETS and not off:
                yield f"line {node.lineno} makes a {name} that parses"
        elif isinstance(node, ast.Assign):
            hovered = [t for t in node.targets if getattr(t, "attr", "") == "tooltip"]
            yield from (f"line {node.lineno} sets a tooltip" for _ in hovered)


@pytest.mark.source
def test_no_module_of_the_console_parses_markup() -> None:
    """Field reports 103, 104: content objects with markup off, never escaped strings."""
    files = sorted(CONSOLE.rglob("*.py"))
    assert len(files) > 40
    found = [f"{file.name}: {words}" for file in files for words in parsing(file.read_text())]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "from rich.markup import escape",
        "import textual.markup",
        "Content.from_markup(words)",
        "self.notify(words)",
        "Static(words)",
        "Label(words, markup=True)",
        "row.tooltip = words",
    ],
)
def test_what_is_planted_is_found(line: str) -> None:
    """The positive side: each way that a report tells of."""
    assert list(parsing(line))
    assert not list(parsing("Static(words, markup=False)\nContent(words)\nself.say(words)"))
