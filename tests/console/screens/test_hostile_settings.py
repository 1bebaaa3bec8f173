"""C02, field report 66: names of homes and values of config.yaml pass through the same escape."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from driving.console import running
from homes.build import HomeBuilder, skill_text

from placet.store.decide import DemoApprover

WIDE = (120, 40)
HOSTILE = "a\x1b[2J\u202eb\u200b\x9bc\u2028d [red]x[/red] [/]"
CONFIG = (
    'memory:\n  write_approval: true\n  provider: "oth\\e[2J\\u202Eer [red]"\n'
    '  memory_char_limit: "1\\e[2J\\u202E"\n'
    'skills:\n  write_approval: true\n  external_dirs: ["/x\\e[2J\\u202E"]\n'
)
HIDING = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


def hostile_home(tmp_path: Path) -> tuple[HomeBuilder, DemoApprover]:
    """A home whose folder, settings, files and skills have hostile names."""
    path = tmp_path / HOSTILE.replace("/", "-")
    approver = DemoApprover.own_home(path)
    home = HomeBuilder(path, HOSTILE).config(CONFIG).memory("alpha")
    home.stage_add("beta", record_id="one")
    home.stage_add("x" * 3000, record_id="two")
    folder = home.skill("tidy", files={f"references/{HOSTILE.replace('/', '-')}.md": "text"})
    assert folder.exists()
    home.write(f"skills/{HOSTILE.replace('/', '-')}/SKILL.md", skill_text("x"))
    home.stage_skill("delete", "tidy", record_id="three")
    return home, approver


async def test_names_and_settings_are_escaped_on_every_screen(tmp_path: Path) -> None:
    """Field report 66: header, titles, rows, Check, Memory, Audit, dialogs and messages."""
    home, approver = hostile_home(tmp_path)
    seen = ""
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        for key in ("j", "right", "j", "g", "a", "2", "j", "3", "j", "4", "5", "J", "1", "R"):
            await driver.key(key)
            text = driver.text()
            assert not [c for c in text.replace("\n", "") if unicodedata.category(c) in HIDING]
            seen += text + driver.said
        await driver.key("escape")
        assert "approved" in driver.kinds()
    for badge in ("^[[2J", "‹U+202E", "[red]"):
        assert badge in seen
