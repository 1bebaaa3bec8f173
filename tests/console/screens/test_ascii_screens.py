"""Where the locale is not UTF-8 every screen is ASCII before the last net looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import own_home, running

TEXT = "caf\u00e9 \u00db5;5HAPPROVED \u2192 a \u00b7 b \u2026 \u201cq\u201d \u2713 \u2502"

SKILL = f"---\nname: notes\n---\n\t{TEXT} \n"


@pytest.mark.parametrize("size", [(110, 40), (48, 13)])
async def test_every_screen_and_dialog_is_ascii(tmp_path: Path, size: tuple[int, int]) -> None:
    """`running` fails a test when the net had to act."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", TEXT).user(TEXT).soul(TEXT)
    for text in ("beta", TEXT, "long " * 90 + TEXT):
        home.stage_add(text, summary=TEXT, origin=TEXT)
    home.stage_remove("alpha")
    home.stage_remove("nothing like it " + TEXT)
    home.stage_skill("create", "notes", content=SKILL, category=TEXT)
    home.stage_skill("create", "long-" * 10, content=SKILL)
    home.stage_raw("broken.json", TEXT)
    async with running(home, approver, tmp_path, size=size, LANG="de_DE.ISO-8859-1") as driver:
        await driver.key("R")
        await driver.type("not true\n")
        await driver.until(lambda: "rejected" in driver.kinds())
        for _ in range(5):
            await driver.key("enter", "i", "w", "G", "escape", "j")
            assert driver.text().isascii()
        for screen in "12345":
            for key in ("j", "enter", "escape", "e", "escape", "y", "escape", "A", "escape", "u"):
                await driver.key(screen, key)
                found = driver.text()
                assert found.isascii(), (screen, key, {c for c in found if not c.isascii()})
                await driver.key("escape", "escape")
        for key in ("question_mark", "colon", "slash", "R"):
            await driver.key("1", key)
            assert driver.text().isascii(), key
            await driver.key("escape", "escape")
