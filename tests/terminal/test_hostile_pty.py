"""C02, field reports 66, 67, 68, 103, 104, 112: hostile text on a real terminal, on every screen.

Two consoles are driven by the same keys, one over hostile texts and one over ordinary ones. The
first may send no kind of escape sequence that the second does not send, and no character that could
act on a terminal or hide in it.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from terminal.session import Session, opened
from terminal.test_console_pty import kinds

pytestmark = pytest.mark.terminal

HOSTILE = (
    "clip \x1b]52;c;aGk=\x07 clear \x1b[2J\x1b[1;1H[ APPROVED ] title \x1b]0;PWNED\x07 "
    "link \x1b]8;;http://x.invalid\x1b\\ dcs \x1bP1$r\x1b\\ reset \x1bc mouse \x1b[?1003h "
    "rtl \u202egnp\u202c iso \u2066x\u2069 zero\u200bwidth\u200d join \ufeffbom \u00adsoft "
    "vs\ufe0f tag\U000e0069\U000e0067 c1 \x9b31m \x90q \x9d0;t\x9c nel\x85 ls\u2028 ps\u2029 "
    "bell\x07 del\x7f nul\x00 priv\ue000 [red]x[/red] [@click=app.quit]x[/] [/nope] [b + [0]"
)
ORDINARY = "clip clear title link reset mouse rtl iso zero tag bell priv red click nope, and so on"

SEQUENCE = re.compile(
    "\x1b(?:\\[(?P<private>[<=>?]*)(?P<numbers>[0-9;:]*)(?P<between>[ !$\"']*)(?P<final>[@-~])"
    "|(?P<string>[\\]PX^_])(?P<number>[0-9]*)[^\x07\x1b]*(?:\x07|\x1b\\\\)"
    "|[()][0-9A-Za-z]|[=>78cDEHMNOZ])"
)
"""A control sequence, a string that ends with BEL or ST, or a short escape."""

UNFOLD = "\x1b[C"
LAYOUT = set("\r\n\b\t")
HIDING = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


def shape(found: re.Match[str]) -> str:
    """The kind of a sequence: what it does, without where and in which colour."""
    if found["string"]:
        return f"ESC {found['string']}{found['number']}"
    if found["final"] is None:
        return f"ESC {found[0][1:]}"
    modes = found["numbers"] if found["private"] or found["final"] in "Jhl" else ""
    return f"CSI {found['private']}{modes}{found['between']}{found['final']}"


def shapes(raw: str) -> set[str]:
    """Kinds of the sequences that were sent."""
    return {shape(found) for found in SEQUENCE.finditer(raw)}


def acting(raw: str) -> set[str]:
    """Characters beside the sequences that act on a terminal or hide in it."""
    rest = set(SEQUENCE.sub("", raw)) - LAYOUT
    return {
        ascii(c)
        for c in rest
        if unicodedata.category(c) in HIDING
        or 0xFE00 <= ord(c) <= 0xFE0F
        or 0xE0000 <= ord(c) <= 0xE0FFF
    }


def test_the_judge_finds_what_is_planted() -> None:
    """The positive side: each payload is seen where it is sent raw, and ordinary drawing is not."""
    assert {"ESC ]52", "ESC ]0", "ESC ]8", "ESC P1", "ESC c"} <= shapes(HOSTILE)
    assert {"CSI 2J", "CSI ?1003h", "CSI H"} <= shapes(HOSTILE)
    planted = "\u202e\u2066\u200b\u200d\ufeff\u00ad\ufe0f\U000e0069\x9b\x85\u2028\x07\x7f\x00\ue000"
    assert {ascii(c) for c in planted} <= acting(HOSTILE)
    assert acting("\x1b[1;31m+ é 端口 ‹U+202E RLO› ^[ │\x1b[0m\r\n") == set()


def furnished(folder: Path, text: str, long: str, many: str) -> Session:
    """A console on a home where everything that an agent can write holds this text."""
    name, labels = text[:60], {"origin": text, "summary": text}
    one_line = text.replace("\n", " ")
    payload = {"action": "add", "target": "memory", "content": one_line, "old_text": None}
    skill = {"action": "create", "name": name, "category": name, "content": text}
    written = {"action": "write_file", "name": "tidy", "file_path": f"references/{name}.md"}
    records: list[tuple[Any, dict[str, Any]]] = [
        (payload | {"content": "plain"}, {"record_id": "0"}),
        (payload, {**labels, "record_id": "one"}),
        (payload | {"content": long}, {"summary": "", "record_id": "two"}),
        (payload | {"content": many}, {"summary": "", "record_id": "three"}),
        (skill, {**labels, "subsystem": "skills", "record_id": "four"}),
        (written | {"file_content": text}, {"subsystem": "skills", "record_id": "five"}),
        (payload | {text: text}, {**labels, "provider": text, "record_id": "six"}),
        (payload | {"target": text}, {**labels, "record_id": "seven"}),
    ]
    file_name = re.sub("[/\0]", "", name) + ".json"
    return opened(
        folder,
        columns=110,
        rows=44,
        limit=50_000,
        memory=[f"{one_line} here", "alpha"],
        user=["someone", f"{one_line} there"],
        soul=text,
        records=records,
        raw={file_name: '{"id": ' + text},
    )


def look(console: Session, *keys: str) -> None:
    """Press keys that only look, slowly enough that escape is a key of its own."""
    for key in keys:
        console.write(key.encode())
        end = time.monotonic() + 0.15
        while time.monotonic() < end:
            console.read(0.05)


def walk(console: Session, folder: Path) -> None:
    """Open every row and screen, refuse something, and leave a change behind the queue's back."""
    console.shows("waiting 9", " row ")
    look(console, *[UNFOLD, "j"] * 14, "g", "j", UNFOLD, "j")
    look(console, *["\r", "J", "\x1b", "j"] * 3, "g", "j", "j")
    console.key("r", "r refuse")
    console.until(lambda: "rejected" in kinds(folder), "the refusal")
    console.shows("u undo")
    place = folder / "home/memories/USER.md"
    place.write_bytes(place.read_bytes() + b" and more")
    console.until(lambda: "ungated" in kinds(folder), "the change behind the queue's back")
    for key, word in (("2", "MEMORY.md"), ("3", "rejected"), ("4", "refused by"), ("5", "Who")):
        look(console, key)
        console.shows(word)
        look(console, "j", "j", "i", "j", "J")
    look(console, "1", ":")
    console.shows("decide: approve")
    leave(console, "decide: approve")
    look(console, "?")
    console.shows("Put every operation in")
    leave(console, "Put every operation in")
    console.until(lambda: on_a_proposal(console), "a proposal under the cursor")
    console.key("R", "R reason")
    console.shows("Refuse, with a reason")
    leave(console, "Refuse, with a reason")
    look(console, "q")
    console.until(lambda: ended(console), "the end")


def on_a_proposal(console: Session) -> bool:
    """Go to the first proposal; a letter close behind escape may count as one key with it."""
    look(console, "g", "j")
    return "R reason" in console.screen.text()


def leave(console: Session, words: str) -> None:
    """Close what shows these words."""
    look(console, "\x1b")
    console.until(lambda: words not in console.screen.text(), f"the end of {words}")


def ended(console: Session) -> bool:
    """Whether the terminal was given back."""
    return b"\x1b[?1049l" in console.raw


@pytest.fixture
def walked(tmp_path: Path) -> Iterator[tuple[Session, Session]]:
    """The same walk over hostile and over ordinary texts."""
    found: list[Session] = []
    texts = (
        (HOSTILE, "x" * 12_000 + HOSTILE, "\n".join(f"{n} {HOSTILE}" for n in range(300))),
        (ORDINARY, "x" * 12_000 + ORDINARY, "\n".join(f"{n} {ORDINARY}" for n in range(300))),
    )
    try:
        for number, three in enumerate(texts):
            folder = tmp_path / str(number)
            folder.mkdir()
            found.append(furnished(folder, *three))
            walk(found[-1], folder)
        yield found[0], found[1]
    finally:
        for session in found:
            session.close()


def test_no_payload_reaches_the_terminal_on_any_screen(walked: tuple[Session, Session]) -> None:
    """C02: queue, memory, audit, refusals, check, help, palette, dialogs, titles and footer."""
    hostile, ordinary = (one.raw.decode("utf-8") for one in walked)
    assert acting(ordinary) == set()
    assert acting(hostile) == set()
    assert shapes(hostile) <= shapes(ordinary)
    assert "[@click=app.quit]x[/]" in hostile
    for badge in ("‹U+202E", "^[]52;c;aGk=^G", "^[[2J", "‹U+200B", "‹TAG", "‹U+009B", "^@"):
        assert badge in hostile, badge
