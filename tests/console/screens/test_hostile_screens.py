"""C02, field reports 16, 66, 103, 104, 112: hostile text on every screen is literal and harmless.

`running` fails a test when the last net had to act, so every screen opened here is proof.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import own_home, running

ESC = "\x1b"
HOSTILE = "\n".join(
    (
        f"clip {ESC}]52;c;aGk={ESC}\\ end",
        f"clear {ESC}[2J{ESC}[H end",
        "turned \u202egnp.exe\u202c end",
        "tags \U000e0069\U000e0067\U000e006e end",
        "c1 \x9b31m end",
        "zero\u200bwidth\u2028line\u0085next",
        "markup [red]x[/red] [@click=app.quit]x[/] [/nope] [b + [link=http://x.invalid]y",
        "delete nothing\rdelete all",
        "lone \ud800 end",
    )
)
WIDE = (110, 60)


async def test_every_screen_shows_it_literally(tmp_path: Path) -> None:
    """C02."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    hostile = HOSTILE.replace("\ud800", "x").replace("\r", " ")
    home.stage_add(hostile, summary=hostile, origin=f"evil{ESC}[31m[red]")
    home.stage_add(HOSTILE, summary=HOSTILE)
    home.stage_skill("create", f"na\u202eme{ESC}", content=hostile)
    home.stage_raw(f"x{ESC}[2J.json", b'{"id": "\x1b[2J", [')
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        for _ in range(8):
            await driver.key("enter", "escape", "j")
            assert ESC not in driver.text()
        for key in "2345":
            await driver.key(key)
            await driver.key("j", "j", "i")
        await driver.key("1", "question_mark", "escape")


async def test_markup_stays_literal_in_diff_footer_and_dialogs(tmp_path: Path) -> None:
    """C02, field reports 103, 104."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("[red]x[/red] [@click=app.quit]q[/] ZRANGE a (1 [b + 3 [0] first")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert "[red]x[/red] [@click=app.quit]q[/] ZRANGE a (1 [b + 3 [0] first" in driver.text()
        driver.room().say("[/nope] [@click=app.quit]x[/]")
        await driver.settled()
        assert "[/nope] [@click=app.quit]x[/]" in driver.text()
        await driver.key("R")
        await driver.type("because [/x] of [red]")
        assert "because [/x] of [red]" in driver.text()
        await driver.type("\n")
        await driver.until(lambda: "rejected" in driver.kinds())
        assert driver.events()[-1]["reason"] == "because [/x] of [red]"
        await driver.key("4")
        await driver.until(lambda: "because [/x] of [red]" in driver.text())


@pytest.mark.parametrize("content", ["x" * 12_000, "\n".join(f"row {n}" for n in range(300))])
async def test_long_text_is_reachable_to_its_last_character(tmp_path: Path, content: str) -> None:
    """C02, field reports 16, 109: nothing is elided, the counter tells where one is."""
    home, approver = own_home(tmp_path)
    home.limits(memory=50_000).memory("alpha")
    home.stage_add(content + " THE END", summary="")
    async with running(home, approver, tmp_path) as driver:
        assert "THE END" not in driver.text()
        await driver.key("tab", "G")
        assert "THE END" in driver.text()
        await driver.key("escape", "a")
        assert driver.kinds() == ["baseline"]


async def test_what_is_pasted_into_a_reason_is_made_visible(tmp_path: Path) -> None:
    """C02: pasted control characters arrive as their visible form."""
    from textual import events

    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("R")
        driver.app.post_message(events.Paste(f"why{ESC}[2J\u202e not"))
        await driver.pilot.pause()
        assert "^[" in driver.text()
        await driver.key("escape")
        assert driver.kinds() == ["baseline"]
