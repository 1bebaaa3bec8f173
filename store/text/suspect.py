"""Which characters must not reach a terminal as they are, and which of them hide something.

Every character is given a class, one letter; the rules then look at the string of classes. Classes
come from the Unicode data of the running Python: what that calls unassigned is badged.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

FLOOD = 3
"""Combining marks that may follow one base character."""

RUN = 4
"""Equal characters in a row from which on one mark stands for all of them, with their count."""


class MarkKind(StrEnum):
    """Why a place in a text is marked."""

    CONTROL = "control"
    C1 = "c1"
    BIDI = "bidi"
    ZERO_WIDTH = "zero-width"
    TAG = "tag"
    VARIATION = "variation"
    BLANK = "blank"
    SPACE = "space"
    SEPARATOR = "separator"
    COMBINING = "combining"
    PRIVATE = "private"
    SURROGATE = "surrogate"
    UNASSIGNED = "unassigned"
    QUOTE = "quote"
    JOINER = "joiner"
    MIXED = "mixed"


class Mark(NamedTuple):
    """A place in a text that is not what it looks like.

    Attributes:
        start: First character.
        end: Character after the last one.
        kind: What stands there.
        label: What to call it, such as `U+202E RLO` or `TAG "hello"`; itself harmless to draw.
    """

    start: int
    end: int
    kind: MarkKind
    label: str


_HARMLESS = frozenset({MarkKind.JOINER, MarkKind.QUOTE})

_KINDS = {
    "c": MarkKind.CONTROL,
    "t": MarkKind.CONTROL,
    "1": MarkKind.C1,
    "b": MarkKind.BIDI,
    "z": MarkKind.ZERO_WIDTH,
    "j": MarkKind.ZERO_WIDTH,
    "k": MarkKind.ZERO_WIDTH,
    "g": MarkKind.TAG,
    "v": MarkKind.VARIATION,
    "x": MarkKind.BLANK,
    "p": MarkKind.SPACE,
    "u": MarkKind.SEPARATOR,
    "a": MarkKind.PRIVATE,
    "s": MarkKind.SURROGATE,
    "d": MarkKind.UNASSIGNED,
    "q": MarkKind.QUOTE,
}
"""Kind of each class that is always marked. The others: `o` ordinary, `n` line end, `e` emoji,
`l` and `m` letter and mark of a script that uses joiners, `f` any other extending mark."""

_SHORT = {
    0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x09: "TAB", 0x0B: "VT", 0x0C: "FF", 0x0D: "CR",
    0x1B: "ESC", 0x7F: "DEL", 0x85: "NEL", 0x90: "DCS", 0x9B: "CSI", 0x9C: "ST", 0x9D: "OSC",
    0xA0: "NBSP", 0xAD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x115F: "HCF", 0x1160: "HJF",
    0x180E: "MVS", 0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM",
    0x2028: "LS", 0x2029: "PS", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO",
    0x202E: "RLO", 0x202F: "NNBSP", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
    0x2069: "PDI", 0x3000: "IDSP", 0x3164: "HF", 0xFEFF: "BOM", 0xFFA0: "HWHF",
}  # fmt: skip

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001d159")
_ENDS_WITH_JOINER = "\u180b\u180c\u180d\u180f\u200c"
_HANGUL_EXTENDERS = ((0x1161, 0x11FF), (0xD7B0, 0xD7FB), (0xFF9E, 0xFF9F))
_JOINING_SCRIPTS = (
    (0x0600, 0x08FF), (0x0900, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1800, 0x18AF),
    (0x1A20, 0x1AAF), (0x1B00, 0x1BFF), (0xA800, 0xA8FF), (0xA980, 0xA9FF), (0xAA60, 0xAAFF),
    (0xFB50, 0xFDFF), (0xFE70, 0xFEFE), (0x10A00, 0x10A5F), (0x11000, 0x11FFF),
)  # fmt: skip
_EMOJI = (
    (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139), (0x2194, 0x21AA),
    (0x231A, 0x23FF), (0x24C2, 0x24C2), (0x25AA, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B55),
    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1F3FA), (0x1F400, 0x1FAFF),
)  # fmt: skip
_SKIN_TONES = (0x1F3FB, 0x1F3FF)
_FLAGS = frozenset({"gbeng", "gbsct", "gbwls"})
"""The flags that Unicode recommends to spell with tags, after a black flag."""

_SUSPECT_ASCII = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
_ALWAYS = frozenset(_KINDS) - frozenset("jkvg")
_MARKED = re.compile("([ctjkzvgsadbxpuq1])\\1*|[mf]+")


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _class_of(code: int) -> str:
    char = chr(code)
    if code < 0x20 or code == 0x7F:
        return {"\n": "n", "\t": "t"}.get(char, "c")
    if code < 0x7F:
        return "o"
    if code < 0xA0:
        return "1"
    return _class_of_format(char) or _class_of_category(char, unicodedata.category(char))


def _class_of_format(char: str) -> str:
    code = ord(char)
    if char in "‹›":
        return "q"
    if char in _BIDI:
        return "b"
    if char == "\u200d":
        return "j"
    if char in _ENDS_WITH_JOINER:
        return "k"
    if 0xE0000 <= code <= 0xE007F:
        return "g"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
        return "v"
    if char in _BLANKS:
        return "x"
    return "z" if char == "\u034f" else ""


def _class_of_category(char: str, category: str) -> str:
    fixed = {"Cf": "z", "Zs": "p", "Zl": "u", "Zp": "u", "Co": "a", "Cs": "s", "Cn": "d"}
    if category in fixed:
        return fixed[category]
    code = ord(char)
    joining = _within(code, _JOINING_SCRIPTS)
    if category[0] == "M":
        return "m" if joining else "f"
    if _within(code, _HANGUL_EXTENDERS) or _within(code, (_SKIN_TONES,)):
        return "f"
    if _within(code, _EMOJI):
        return "e"
    return "l" if joining and category[0] == "L" else "o"


class _Classes(dict[int, str]):
    """Class of each code point met so far; bounded, as a hostile text may hold all of Unicode."""

    def __missing__(self, code: int) -> str:
        if len(self) > 20_000:
            self.clear()
        found = self[code] = _class_of(code)
        return found


_CLASSES = _Classes()


def marks(text: str) -> tuple[Mark, ...]:
    """Find every place that must not reach a terminal raw, in order and without overlap.

    Line ends are not marked. A run of tags or of variation selectors is one mark that spells what
    it encodes, and so is a run of equal characters; any other mark is one character.
    """
    if text.isascii():
        return tuple(
            Mark(m.start(), m.end(), MarkKind.CONTROL, _name(m.group()))
            for m in _SUSPECT_ASCII.finditer(text)
        )
    classes = text.translate(_CLASSES)
    found: list[Mark] = []
    for match in _MARKED.finditer(classes):
        start, end = match.span()
        letter = classes[start]
        if end - start == 1 and letter in _ALWAYS:
            found.append(Mark(start, end, _KINDS[letter], _name(text[start])))
        else:
            found.extend(_marks_of_run(text, classes, start, end))
    return tuple(found)


def hidden(text: str) -> tuple[Mark, ...]:
    """The marks that deserve a warning: all but joiners in proper use, own quotes and tabs."""
    return tuple(
        mark for mark in marks(text) if mark.kind not in _HARMLESS and text[mark.start] != "\t"
    )


@lru_cache(4096)
def _name(char: str) -> str:
    code = ord(char)
    label = f"U+{code:04X}"
    if 0xFE00 <= code <= 0xFE0F:
        return f"{label} VS{code - 0xFDFF}"
    if 0xE0100 <= code <= 0xE01EF:
        return f"{label} VS{code - 0xE00EF}"
    return f"{label} {_SHORT[code]}" if code in _SHORT else label


def _marks_of_run(text: str, classes: str, start: int, end: int) -> Iterator[Mark]:
    letter = classes[start]
    if letter in "mf":
        yield from _flood(text, classes, start, end)
    elif letter == "g":
        yield _tags(text, start, end)
    elif letter == "v" and end - start > 1:
        yield _selectors(text, start, end)
    elif end - start == 1 and letter in "jkv":
        kind = MarkKind.JOINER if _is_proper(text, classes, start) else _KINDS[letter]
        yield Mark(start, end, kind, _name(text[start]))
    else:
        yield from _equal_runs(text, start, end, _KINDS[letter])


def _flood(text: str, classes: str, start: int, end: int) -> Iterator[Mark]:
    """Marks without a base would join what we draw before them; more than a few hide it."""
    before = classes[start - 1] if start else "n"
    joined = before in "jkv" and _is_proper(text, classes, start - 1)
    allowed = min(end, start + FLOOD) if joined or before in "oel" else start
    if joined:
        yield from (Mark(i, i + 1, MarkKind.JOINER, _name(text[i])) for i in range(start, allowed))
    yield from _equal_runs(text, allowed, end, MarkKind.COMBINING)


def _equal_runs(text: str, start: int, end: int, kind: MarkKind) -> Iterator[Mark]:
    at = start
    for char, group in groupby(text[start:end]):
        count = sum(1 for _ in group)
        if count >= RUN and kind is not MarkKind.CONTROL:
            yield Mark(at, at + count, kind, f"{_name(char)} ×{count}")
        else:
            yield from (Mark(i, i + 1, kind, _name(char)) for i in range(at, at + count))
        at += count


def _is_proper(text: str, classes: str, at: int) -> bool:
    """Whether a joiner or an emoji selector stands where its script or emoji needs it."""
    before = classes[at - 1] if at else "n"
    after = classes[at + 1] if at + 1 < len(classes) else "n"
    if classes[at] == "v":
        keycap = text[at - 1 : at] in set("0123456789#*") and text[at + 1 : at + 2] == "\u20e3"
        return text[at] in "\ufe0e\ufe0f" and (before == "e" or keycap)
    if before in "lm":
        return before == "m" or text[at] == "\u200d" or after in "lm"
    if classes[at] == "k":
        return False
    stem = at
    while stem and classes[stem - 1] in "vf" and at - stem < FLOOD:
        stem -= 1
    return bool(stem) and classes[stem - 1] == "e" and after == "e"


def _tags(text: str, start: int, end: int) -> Mark:
    spelled = "".join(_spelled(ord(char) - 0xE0000) for char in text[start:end])
    flag = spelled.removesuffix("\\x7F")
    proper = text[start - 1 : start] == "\U0001f3f4" and flag in _FLAGS and flag != spelled
    kind = MarkKind.JOINER if proper else MarkKind.TAG
    return Mark(start, end, kind, f'TAG "{spelled}"')


def _spelled(code: int) -> str:
    if 0x20 <= code < 0x7F:
        return "\\" + chr(code) if chr(code) in '"\\' else chr(code)
    return f"\\x{code:02X}"


def _selectors(text: str, start: int, end: int) -> Mark:
    """Each selector stands for a byte, so a run of them can be a message."""
    spelled = "".join(_spelled(_byte_of(char)) for char in text[start:end])
    return Mark(start, end, MarkKind.VARIATION, f'VS "{spelled}"')


def _byte_of(selector: str) -> int:
    code = ord(selector)
    return code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16


_LATIN = "A-Za-zÀ-ÖØ-öø-ɏɐ-ʯḀ-ỿꜢ-ꟿ"
_FOREIGN = "Ͱ-Ͽἀ-῿Ѐ-ԯᲀ-ᲈⷠ-ⷿꙀ-ꚟ԰-֏Ⲁ-⳿Ꭰ-᏿ꭰ-ꮿꓐ-꓿"
_HAS_FOREIGN = re.compile(f"[{_FOREIGN}]")
_HAS_LATIN = re.compile(f"[{_LATIN}]")
_ACCENT = "\u0300-\u036f"
_WORD = re.compile(f"[{_LATIN}{_FOREIGN}{_ACCENT}]*")
_SEAM = re.compile(
    f"[{_LATIN}][{_ACCENT}]{{0,4}}[{_FOREIGN}]|[{_FOREIGN}][{_ACCENT}]{{0,4}}[{_LATIN}]"
)
_UNITS = frozenset("μΩπΔΣλσθφψωβγδεηΦΨΘΛΓ")
"""Greek letters that stand in formulas and units and look like no Latin letter."""


def mixed_script_words(text: str) -> tuple[Mark, ...]:
    """Find words that mix Latin letters with look-alikes from another alphabet.

    Returns:
        One mark a word, whose label names the letters of the rarer alphabet in it.
    """
    if text.isascii() or not _HAS_FOREIGN.search(text):
        return ()
    found: list[Mark] = []
    end = 0
    while seam := _SEAM.search(text, end):
        start, end = _word_around(text, seam.start(), end)
        foreign = _HAS_FOREIGN.findall(text, start, end)
        if set(foreign) - _UNITS:
            latin = _HAS_LATIN.findall(text, start, end)
            odd = foreign if len(foreign) <= len(latin) else latin
            found.append(Mark(start, end, MarkKind.MIXED, _letters(odd)))
    return tuple(found)


def _word_around(text: str, at: int, floor: int) -> tuple[int, int]:
    start = at
    while start > floor and _WORD.fullmatch(text[start - 1]):
        start -= 1
    match = _WORD.match(text, at)
    return start, match.end() if match else at + 1


def _letters(chars: list[str]) -> str:
    names = (f"{unicodedata.name(c, 'letter').split()[0]} {c} U+{ord(c):04X}" for c in chars)
    return ", ".join(dict.fromkeys(names))
