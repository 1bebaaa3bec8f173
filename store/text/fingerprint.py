"""Fingerprints of what a person refused, so that a repeat is known in another dress.

Standard library only and in one file: guards inside agents ship this very file. The look-alike
table is written out by hand in `_ALPHABETS`, pair by pair: foreign letter, ASCII letter; capitals
follow from the lower-case pairs. A change of the table or of a rule needs a new `VERSION`; the
refused originals are kept, so that they can be fingerprinted again.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

VERSION = "fp1"
"""Names the rules and the table below; part of every fingerprint."""

_ALPHABETS = (
    # Cyrillic, Greek, Armenian, Coptic, Cherokee, Lisu: within one alphabet no two letters share
    # an ASCII letter, so that words of that alphabet which differ stay different.
    "аaвbеeкkмmоoрpсcтtуyхxіiјjѕsһhԁdԛqԝwԍg",
    "αaβbεeζzηhιiκkμmνnοoρpτtυyχxϳj",
    "օoսuհhոnցgզqյj",
    "ⲁaⲃbⲉeⲏhⲓiⲕkⲙmⲛnⲟoⲣpⲥcⲧtⲩyⲭxⲍz",
    "ᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎥiᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᎳWᎽYᏃZ",
    "ꓐBꓑPꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU",
    # small capitals and phonetic letters
    "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz",
)
_ONLY_MIXED = "ΝNνvнhүyѵvӏlӀlոnՏSԼLᎾOϝfɑaɡgǀl"
"""Further look-alikes, for words that also hold ASCII letters and so belong to ASCII."""

_QUOTES = {
    **dict.fromkeys("‘’‚‛′ʹʻʼ‹›´", "'"),
    **dict.fromkeys("“”„‟″«»〝〞〟", '"'),
    **dict.fromkeys("‐‑‒–—―−⁃﹘﹣︱︲", "-"),
}
_IGNORED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")
_LETTER = re.compile("[A-Za-z]")
_EDGES = "'\"`()[]{}*_「」『』《》【】〈〉"
_TAIL = _EDGES + ",;:.!。、،؛۔।"
_STOPS = frozenset(".。")
_BULLETS = frozenset("-*+•‣◦")
_LONG_MARKS = 16
"""Combining marks in a row from which on they are put in order here: the standard library needs
quadratic time for that."""


def _table(*alphabets: str) -> dict[int, str]:
    table: dict[int, str] = {}
    for pairs in alphabets:
        for foreign, letter in zip(pairs[::2], pairs[1::2], strict=True):
            table.setdefault(ord(foreign), letter)
            capital = foreign.upper()
            if letter.islower() and len(capital) == 1 and capital != foreign:
                table.setdefault(ord(capital), letter.upper())
    return table


_ALIKE = _table(*_ALPHABETS)
_ALIKE_IN_MIXED = {**_table(*_ALPHABETS), **_table(_ONLY_MIXED)}


def normal(text: str) -> str:
    """Reduce a text to what must not change for it to count as the same; for matching only.

    Case, width, spacing, emphasis, closing punctuation, invisible characters and look-alikes go;
    everything inside words that can carry meaning stays: `2.10`, `C++`, `-v`, `<100`, `US`.
    """
    words = _folded(text).split()
    if not text.isascii():
        words = [word if word.isascii() else _without_look_alikes(word) for word in words]
    words = [word if word.isalnum() else _trimmed(word) for word in words]
    if words and words[-1] in _STOPS:
        words.pop()
    mixed = not _is_upper(words)
    return " ".join([_cased(word, mixed) for word in words if word])


def operation_print(target: str, kind: str, text: str) -> str:
    """Fingerprint of one operation.

    Args:
        target: What it lands in, such as `memory` or `skill:notes/SKILL.md`.
        kind: `put` for a text that comes, `drop` for one that goes.
        text: The new text, or the whole entry that goes.

    Returns:
        64 hexadecimal characters.
    """
    return _digest((VERSION, target, kind, normal(text)))


def batch_print(prints: Iterable[str]) -> str:
    """Fingerprint of several operations together, whatever their order.

    Args:
        prints: Fingerprints of the operations.

    Returns:
        64 hexadecimal characters.
    """
    return _digest((VERSION, "batch", *sorted(prints)))


def compatible(text: str) -> str:
    """Return NFKC of a text, in linear time also where combining marks flood it."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _settled(text))


def look_alike(char: str) -> str:
    """Return the ASCII letter that a letter can be taken for, or the letter itself."""
    return _ALIKE_IN_MIXED.get(ord(char), char)


def _digest(fields: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in fields:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _folded(text: str) -> str:
    """Unify forms: compatibility characters, quotes, dashes, characters that nobody sees."""
    text = _IGNORED.sub("", text)
    if text.isascii():
        return text
    for char in _QUOTES.keys() & set(text):
        text = text.replace(char, _QUOTES[char])
    text = _settled(text)
    kept = "".join(c for c in set(text) if unicodedata.decomposition(c).startswith(_KEPT_FORMS))
    if kept:
        parts = re.split(f"([{re.escape(kept)}]+)", text)
        parts[::2] = [unicodedata.normalize("NFKC", part) for part in parts[::2]]
        text = "".join(parts)
    else:
        text = unicodedata.normalize("NFKC", text)
    return unicodedata.normalize("NFC", _IGNORED.sub("", text))


def _settled(text: str) -> str:
    """Put long runs of combining marks into canonical order, which changes no normal form."""
    marks = "".join(filter(_is_mark, set(text)))
    if not marks:
        return text
    return re.sub(f"[{re.escape(marks)}]{{{_LONG_MARKS},}}", _in_order, text)


def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) > 0


def _in_order(match: re.Match[str]) -> str:
    spread = "".join(unicodedata.normalize("NFKD", char) for char in match.group())
    return "".join(sorted(spread, key=unicodedata.combining))


def _without_look_alikes(word: str) -> str:
    table = _ALIKE_IN_MIXED if _LETTER.search(word) else _ALIKE
    plain = word.translate(table)
    return plain if plain.isascii() else word


def _trimmed(word: str) -> str:
    """Strip quotes, brackets, emphasis and closing punctuation; a word of nothing else stays."""
    if word in _BULLETS:
        return ""
    return word.lstrip(_EDGES).rstrip(_TAIL) or word.strip("'\"`")


def _is_upper(words: list[str]) -> bool:
    text = " ".join(words)
    return text == text.upper()


def _cased(word: str, mixed: bool) -> str:
    """Fold case in plain words; capitals such as US stay where the text has lower case too."""
    if not word.replace("'", "").isalpha():
        return word
    if mixed and 2 <= len(word) <= 3 and word.isupper():
        return word
    return word.casefold()
