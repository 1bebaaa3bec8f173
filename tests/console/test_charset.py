"""UTF-8 is sent only where the environment asks for it, whatever Python made of the locale."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from homes.build import HomeBuilder

from placet.console.charset import ascii_only, in_ascii

PLAIN = (
    {},
    {"LANG": ""},
    {"LANG": "C"},
    {"LANG": "en_US"},
    {"LANG": "de_DE@euro"},
    {"LANG": "de_DE.ISO-8859-1"},
    {"LANG": "de_DE.ISO-8859-15@euro"},
    {"LC_CTYPE": "POSIX"},
    {"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"},
    {"LC_ALL": "C", "LC_CTYPE": "C.UTF-8"},
    {"LC_CTYPE": "C", "LANG": "de_DE.UTF-8"},
    {"LC_CTYPE": "en_US.ISO-8859-1", "LANG": "C.UTF-8"},
)
WIDE = (
    {"LANG": "C.UTF-8"},
    {"LANG": "de_DE.utf8"},
    {"LANG": "xx_XX.UTF-8@euro"},
    {"LC_CTYPE": "UTF-8"},
    {"LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"},
    {"LC_ALL": "en_US.UTF-8", "LANG": "POSIX"},
)
FORGED = "first \u00db5;5HAPPROVED \u00ddx \u2192 \u00b7 \u201cquoted\u201d"
"""Its UTF-8 holds 0x9B and 0x9D: the C1 controls CSI and OSC of an 8-bit terminal."""


@pytest.mark.parametrize("asked", PLAIN, ids=str)
def test_anything_but_utf8_is_ascii(asked: dict[str, str]) -> None:
    """LC_ALL, LC_CTYPE, LANG, in that order; an empty one is none."""
    assert ascii_only(asked)


@pytest.mark.parametrize("asked", WIDE, ids=str)
def test_utf8_is_what_is_asked_for(asked: dict[str, str]) -> None:
    """Also under the name of a locale that this system does not have."""
    assert not ascii_only(asked)


def under(asked: dict[str, str], home: HomeBuilder, *words: str) -> tuple[bytes, bytes]:
    """What a verb prints in an environment with these locale variables and no others."""
    kept = {k: v for k, v in os.environ.items() if k != "LANG" and not k.startswith("LC_")}
    command = [sys.executable, "-m", "placet.console", "-H", str(home.path), *words]
    done = subprocess.run(command, env=kept | asked, capture_output=True, timeout=60)
    return done.stdout, done.stderr


@pytest.mark.parametrize("asked", PLAIN, ids=str)
def test_the_command_line_sends_no_byte_of_a_control(
    home: HomeBuilder, asked: dict[str, str]
) -> None:
    """Python puts a UTF-8 locale in place of a plain one, also of one that is not installed."""
    home.stage_add(FORGED, record_id="one", summary=FORGED, origin=FORGED)
    for words in (("show", "one"), ("pending",), ("show", FORGED), ("--help",), ("show", "--help")):
        for data in under(asked, home, *words):
            assert data.isascii(), (words, data)
            assert b"\\u2" not in data and b"\\xb7" not in data, "our own signs are put plainly"


def test_the_command_line_draws_what_a_utf8_terminal_can(home: HomeBuilder) -> None:
    """The positive side; a locale that is asked for need not be installed here."""
    home.stage_add(FORGED, record_id="one")
    for asked in WIDE:
        out, _ = under(asked, home, "show", "one")
        assert "\u00db5;5HAPPROVED" in out.decode("utf-8"), asked


def test_our_own_signs_stay_as_long() -> None:
    """Layout counts on it."""
    assert in_ascii("a · b ▸ c") == "a - b > c"
