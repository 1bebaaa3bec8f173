"""One side of a change as text lines, or as hexadecimal rows where it is not text."""

from __future__ import annotations

from dataclasses import dataclass

HEX_BYTES = 16
"""Bytes on one hexadecimal row."""


@dataclass(frozen=True, slots=True)
class Side:
    """The bytes of one side, made readable.

    Attributes:
        text: Its text; bytes that are no UTF-8 are lone surrogates, which always show as badges.
            None where the side is absent or binary.
        binary: Its bytes where they are not text.
        problem: What is odd about the bytes, in words, or empty.
    """

    text: str | None = None
    binary: bytes | None = None
    problem: str = ""


def side(data: bytes | None) -> Side:
    """Read the bytes of one side; None is an absent file."""
    if data is None:
        return Side()
    try:
        return Side(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        where = undecodable(error)
    if b"\0" in data or _mostly_undecodable(data):
        return Side(None, data, f"binary; {where}")
    return Side(data.decode("utf-8", "surrogateescape"), None, where)


def undecodable(error: UnicodeDecodeError) -> str:
    """Why bytes are no text, with the first byte that is wrong."""
    return f"not UTF-8: byte 0x{error.object[error.start]:02x} at offset {error.start:,}"


def hex_rows(data: bytes) -> list[str]:
    """A binary side row by row: offset, bytes, printable ASCII."""
    return [_hex_row(at, data[at : at + HEX_BYTES]) for at in range(0, len(data), HEX_BYTES)]


def _hex_row(at: int, part: bytes) -> str:
    letters = "".join(chr(byte) if 32 < byte < 127 else "." for byte in part)
    return f"{at:08x}  {part.hex(' '):<47}  {letters}"


def _mostly_undecodable(data: bytes) -> bool:
    sample = data[:4096].decode("utf-8", "surrogateescape")
    odd = sum("\udc80" <= character <= "\udcff" for character in sample)
    return odd * 10 > len(sample) * 3
