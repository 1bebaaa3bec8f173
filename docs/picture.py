"""Draws `docs/queue.svg` from the demo home: python docs/picture.py"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from placet.console import demo
from placet.console.app import PlacetApp

SIZE = (116, 34)
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
WEB_FONT = re.compile(r"@font-face \{.*?\}", re.DOTALL)


async def draw(target: Path) -> None:
    """Open the console on a demo home, select a batch, and save what it shows."""
    with demo.made() as made:
        app = PlacetApp([made.home], approver=lambda: made.approver, env=TERMINAL)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause(2.0)
            for key in ("j", "j", "j"):
                await pilot.press(key)
                await pilot.pause(0.4)
            await pilot.pause(1.0)
            picture = app.export_screenshot(title="placet")
    target.write_bytes(WEB_FONT.sub("", picture).encode())


if __name__ == "__main__":
    asyncio.run(draw(Path(__file__).parent / "queue.svg"))
