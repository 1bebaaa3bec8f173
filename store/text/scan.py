"""Looks for threats, phrases, credentials and machine residue; finds rank attention, never hide.

A text is looked at through views: as Hermes reads it, and as a reader would see it once disguises
are taken off. A find in a view is told as a stretch of the text itself.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice

from placet.store.text.fingerprint import compatible, look_alike
from placet.store.text.rules import (
    ENCODED,
    GAP,
    INVISIBLE,
    INVISIBLE_RULE,
    PHRASES,
    RESIDUE,
    SECRETS,
    THREATS,
    WORDS,
    Chain,
)

CAP = 65_536
"""Characters that Hermes looks at; what follows is only looked at here."""

MOST = 20
"""Most finds of one rule that are told."""

RULES: Mapping[str, str] = WORDS
"""Every rule id and what to say to a person when it hits."""

_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4096}={0,2}")
_CLUSTER = re.compile("[\\s\\S][\u0300-\u036f\u1160-\u11ff\u3099\u309a]*")
_SPELLING = re.compile("[\U000e0000-\U000e01ff]")
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u17b4\u17b5")
_OVERLAP = 4_096


@dataclass(frozen=True, slots=True)
class Hit:
    """A find.

    Attributes:
        rule: Id of the rule.
        start: First character.
        end: Character after the last one.
        words: One sentence for a person; quotes nothing of the text.
    """

    rule: str
    start: int
    end: int
    words: str


def threats(text: str) -> tuple[Hit, ...]:
    """Find what Hermes 0.19 would refuse to store, or mask when it loads it.

    Hermes looks at the first 65,536 characters: for invisible characters first, then for its
    phrases after compatibility folding, whatever the case. Two everyday phrases that it refuses
    too are left to the rule `hermes_may_refuse` of `phrases`.
    """
    head = text[:CAP]
    found = [
        _hit(f"{INVISIBLE_RULE}{ord(m.group()[0]):04X}", m.start(), m.end())
        for m in islice(_INVISIBLE.finditer(head), MOST)
    ]
    return (*found, *_found(_compatible_view(head), THREATS))


def disguised(text: str) -> tuple[Hit, ...]:
    """Find what Hermes would refuse if it saw it: the same rules without disguise and cap.

    Look-alikes become ASCII; accents, soft hyphens and all that nobody sees are dropped; messages
    in tags and variation selectors are spelled out; text after the cap is looked at too.
    """
    if text.isascii():
        if len(text) <= CAP:
            return ()
        at = CAP - _OVERLAP
        tail = _found(_View(text[at:], text[at:], None), THREATS)
        return tuple(_hit(h.rule, h.start + at, h.end + at) for h in tail if h.end + at > CAP)
    found = _found(_folded_view(text, _FOLDED), THREATS)
    if _SPELLING.search(text):
        found += _found(_folded_view(text, _SPELLED), THREATS)
    if not found:
        return ()
    known = threats(text)
    return tuple(hit for hit in dict.fromkeys(found) if not _is_among(hit, known))


def phrases(text: str) -> tuple[Hit, ...]:
    """Find further phrases that deserve a look; notes, never a reason to refuse."""
    found = _found(_View(text, text, None), PHRASES)
    return (*found, *islice(_encoded(text), MOST))


def secrets(text: str) -> tuple[Hit, ...]:
    """Find what has the shape of a credential; the find is the credential itself."""
    return tuple(_found(_View(text, text, None), SECRETS))


def residue(text: str) -> tuple[Hit, ...]:
    """Find what a machine left over: scores, transcript prefixes, bare headings, commands."""
    return tuple(_found(_View(text, text, None), RESIDUE))


def _hit(rule: str, start: int, end: int) -> Hit:
    return Hit(rule, start, end, RULES[rule])


def _is_among(hit: Hit, known: tuple[Hit, ...]) -> bool:
    """Whether the same rule is known to hit an overlapping stretch."""
    return any(h.rule == hit.rule and h.start < hit.end and hit.start < h.end for h in known)


class _View:
    """A text as somebody reads it.

    Attributes:
        cased: The text as read.
        lower: The same in lower case, character by character.
    """

    def __init__(self, source: str, view: str, sizes: Iterable[int] | None) -> None:
        self.cased = view
        self.lower = view.replace("\u0130", "i").lower()
        self._length = len(source)
        self._sizes = sizes
        self._ends: list[int] = []

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Tell which stretch of the source a stretch of the view comes from."""
        if self._sizes is None:
            return start, end
        self._ends = self._ends or list(accumulate(self._sizes))
        if not self._ends or self._ends[-1] != len(self.cased):
            return 0, self._length
        return bisect_right(self._ends, start), bisect_right(self._ends, end - 1) + 1


def _compatible_view(text: str) -> _View:
    view = compatible(text)
    return _View(text, view, None if view == text else _compatible_sizes(text))


def _compatible_sizes(text: str) -> Iterator[int]:
    """For each character, how many of the folded text it and its accents become."""
    for match in _CLUSTER.finditer(text):
        yield from (0,) * (match.end() - match.start() - 1)
        yield len(compatible(match.group()))


class _Folding(dict[int, str]):
    """What each character is read as; bounded, as a hostile text may hold all of Unicode."""

    def __init__(self, spelled: bool) -> None:
        super().__init__()
        self._spelled = spelled

    def __missing__(self, code: int) -> str:
        if len(self) > 20_000:
            self.clear()
        found = self[code] = self._spell(code) or _fold(code)
        return found

    def _spell(self, code: int) -> str:
        byte = {0xE00: code & 0x7F, 0xE01: code - 0xE0100 + 16}.get(code >> 8, 0)
        return chr(byte) if self._spelled and 0x20 <= byte < 0x7F else ""


def _fold(code: int) -> str:
    char = chr(code)
    if code < 0x80 or _is_unlike(code):
        return char
    if char in _FILLERS or unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return ""
    return "".join(
        look_alike(part)
        for part in unicodedata.normalize("NFKD", char)
        if unicodedata.category(part)[0] != "M"
    )


def _is_unlike(code: int) -> bool:
    """Whether a character lies where nothing resembles an ASCII letter; only for speed."""
    return (
        0x3400 <= code <= 0xA4CF
        or 0xAC00 <= code <= 0xF8FF
        or 0x11000 <= code <= 0x1CFFF
        or 0x20000 <= code <= 0xDFFFF
    )


_FOLDED, _SPELLED = _Folding(False), _Folding(True)


def _folded_view(text: str, folding: _Folding) -> _View:
    return _View(text, text.translate(folding), (len(folding[ord(char)]) for char in text))


def _found(view: _View, rules: Mapping[str, Chain]) -> list[Hit]:
    return [
        _hit(rule, *view.source(start, end))
        for rule, chain in rules.items()
        for start, end in islice(_stretches(view.cased if chain.cased else view.lower, chain), MOST)
    ]


def _stretches(text: str, chain: Chain) -> Iterator[tuple[int, int]]:
    if not any(need in text for need in chain.needs):
        return
    *earlier, last = chain.steps
    if not earlier:
        yield from (match.span(chain.group) for match in last.finditer(text))
        return
    places = [[match.span() for match in step.finditer(text)] for step in earlier]
    if all(places):
        for match in last.finditer(text):
            start = _start_of(text, chain, places, match.start())
            if start is not None:
                yield start, match.end()


def _start_of(text: str, chain: Chain, places: list[list[tuple[int, int]]], at: int) -> int | None:
    """Walk a chain back from its last step: each time the nearest place before, on one line."""
    for spans in reversed(places):
        number = bisect_right(spans, at, key=lambda span: span[1]) - 1
        if number < 0 or at - spans[number][1] > GAP:
            return None
        if chain.stop and text.find(chain.stop, spans[number][1], at) >= 0:
            return None
        at = spans[number][0]
    return at


def _encoded(text: str) -> Iterator[Hit]:
    """Base64 that holds a readable sentence."""
    for match in _BASE64.finditer(text):
        try:
            data = base64.b64decode(match.group(), validate=True)
        except binascii.Error:
            continue  # it only looked like base64
        if b" " in data and all(0x20 <= byte < 0x7F or byte in b"\t\n\r" for byte in data):
            yield _hit(ENCODED, match.start(), match.end())
