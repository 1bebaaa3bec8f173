"""Leaving an operation out and putting it in again: it keeps its place, and the cursor stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import Driver, own_home, running
from homes.build import HomeBuilder, add, remove, replace

from placet.console.pages.lines import Role

ENTRIES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def _batch(home: HomeBuilder) -> None:
    home.memory(*ENTRIES).stage_batch(
        replace("delta", "delta and more"),
        remove("beta"),
        add("one"),
        add("two"),
        add("zeta"),
    )


def _order(driver: Driver) -> list[int]:
    lines = driver.queue.diff.doc.lines
    return [line.operation for line in lines if line.role is Role.OPERATION]


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
async def test_space_twice_is_as_before(tmp_path: Path, number: int) -> None:
    """Design §11: space leaves out, space puts back; what can be read stays where it was."""
    home, approver = own_home(tmp_path)
    _batch(home)
    async with running(home, approver, tmp_path, size=(80, 20)) as driver:
        await driver.key("enter")
        view = driver.queue.diff
        before, order = view.doc, _order(driver)
        assert order == [5, 2, 1, 3, 4]
        while view.operation != number:
            await driver.key("right_square_bracket")
        await driver.key("space")
        details = driver.queue.details
        assert details is not None
        assert details.plan.choice.dropped == {number}
        assert _order(driver) == order
        assert view.operation == number
        words = next(
            line.text
            for line in view.doc.lines
            if line.role is Role.OPERATION and line.operation == number
        )
        assert "left out" in words
        await driver.key("space")
        assert view.doc.lines == before.lines
        assert view.operation == number


async def test_everything_out_and_in_keeps_the_operation(tmp_path: Path) -> None:
    """- and + too."""
    home, approver = own_home(tmp_path)
    _batch(home)
    async with running(home, approver, tmp_path, size=(80, 20)) as driver:
        await driver.key("enter")
        view = driver.queue.diff
        while view.operation != 3:
            await driver.key("right_square_bracket")
        await driver.key("minus")
        assert view.operation == 3
        assert sorted(_order(driver)) == [1, 2, 3, 4, 5]
        await driver.key("minus")
        assert driver.said.startswith("nothing changes")
        await driver.key("plus")
        assert view.operation == 3


async def test_leaving_out_what_cannot_be_done_keeps_the_cursor_on_it(tmp_path: Path) -> None:
    """A stale operation makes a batch dead; without it the rest is shown as a diff."""
    home, approver = own_home(tmp_path)
    home.memory(*ENTRIES).stage_batch(add("one"), remove("nothing holds this"), add("two"))
    async with running(home, approver, tmp_path, size=(80, 20)) as driver:
        await driver.key("right", "j", "enter")
        view = driver.queue.diff
        while view.operation != 2:
            await driver.key("right_square_bracket")
        await driver.key("space")
        assert "+ one" in driver.text()
        assert _order(driver) == [1, 2, 3]
        assert view.operation == 2
        await driver.key("space")
        assert view.operation == 2
