"""The house itself: folders, packages, doors, and what the repository may say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("console", "store", "themes")

in_source = pytest.mark.source


def loaded_by(statement: str) -> set[str]:
    """Names of the modules in a fresh interpreter after one statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=Path(sys.prefix)
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@in_source
def test_package_list_names_every_folder() -> None:
    """A folder that is left out of the list would be missing from the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = set(project["tool"]["setuptools"]["packages"])
    folders = {
        ".".join(("placet", *init.parent.relative_to(ROOT).parts))
        for source in SOURCES
        for init in (ROOT / source).rglob("__init__.py")
    }
    assert listed == folders
    holds_code = {file.parent for s in SOURCES for file in (ROOT / s).rglob("*.py")}
    assert all((folder / "__init__.py").exists() for folder in holds_code)


def test_the_door_of_agents_cannot_decide() -> None:
    """T04, promise 6: nothing that `store.propose` reaches loads `store.decide` or the swap."""
    loaded = loaded_by("import placet.store.propose")
    assert "placet.store.propose" in loaded
    assert not {m for m in loaded if m.startswith(("placet.store.decide", "placet.console"))}
    assert "placet.store.disk.swap" not in loaded
    assert "placet.store.decide" in loaded_by("import placet.store.decide")


def test_the_store_knows_no_interface() -> None:
    """The store runs without the framework of the interface."""
    loaded = loaded_by("import placet.store.decide, placet.store.inbox, placet.store.propose")
    assert not loaded & {"textual", "rich", "click"}
    assert "textual" in loaded_by("import placet.console.app")


def test_fingerprints_need_the_standard_library_alone() -> None:
    """Guards inside agents ship that very file (design §7)."""
    import placet.store.text.fingerprint as module

    text = Path(module.__file__).read_bytes().decode()
    names = re.findall(r"^(?:from|import) ([a-z_]+)", text, re.MULTILINE)
    assert names
    assert set(names) <= set(sys.stdlib_module_names)


def test_count_answers_before_the_command_line_is_loaded() -> None:
    """Design §12: `count` imports neither click nor the interface."""
    loaded = loaded_by("import placet.console.__main__, placet.console.commands.count")
    assert not loaded & {"click", "textual", "rich", "sqlite_utils", "watchfiles"}


@in_source
def test_the_repository_speaks_of_the_product_alone() -> None:
    """No absolute path of a machine and no registry host stands in a tracked file."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    host = re.compile(r"pypi\.or" r"g|pythonhoste" r"d|registry\.npmj" r"s|deb\.debia" r"n")
    path = re.compile(r"(?<![\w.])/(wor" r"k|far" r"m|roo" r"t)/")
    for name in listed.stdout.decode().splitlines():
        file = ROOT / name
        if file.is_file() and not file.is_symlink() and file.stat().st_size < 1 << 20:
            text = file.read_bytes().decode("utf-8", "replace")
            assert not host.search(text), name
            assert not path.search(text), name


@in_source
def test_functions_and_files_stay_short() -> None:
    """Functions are short enough to see at once, files short enough to know."""
    import ast

    for source in SOURCES:
        for file in (ROOT / source).rglob("*.py"):
            text = file.read_text()
            assert text.count("\n") < 500, file
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    assert (node.end_lineno or 0) - node.lineno <= 60, (file, node.name)
