"""A record that leaves without this console says what became of it."""

from __future__ import annotations

from pathlib import Path

from driving.console import own_home, running


async def test_a_record_withdrawn_elsewhere_is_told(tmp_path: Path) -> None:
    """Design §6: a name missing from two listings is resolved by effect, and said."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        home.record_path("00000001").unlink()
        await driver.until(lambda: "00000001" in driver.said, "the word")
        assert driver.said == "00000001: withdrawn elsewhere"
        assert driver.kinds()[-1] == "withdrawn-elsewhere"


async def test_a_record_applied_elsewhere_is_told(tmp_path: Path) -> None:
    """Design §6."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        home.memory("alpha", "beta")
        home.record_path("00000001").unlink()
        await driver.until(lambda: "00000001" in driver.said, "the word")
        assert driver.said == "00000001: applied elsewhere"


async def test_an_own_decision_is_told_once(tmp_path: Path) -> None:
    """Design §11: after a decision the footer keeps what was done."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("a")
        await driver.key("ctrl+r")
        assert driver.kinds() == ["baseline", "approved"]
        assert "elsewhere" not in driver.said
