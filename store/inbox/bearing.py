"""Which staged records a verb has to read: all of a short queue; of a long one, what bears on it.

A verb about one record must not cost what reading all of them costs. Beyond `FEW` the others are
looked at as bytes alone, which is a hundredth of understanding and planning them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from placet.store.model import Home, Operation, Ref, Subsystem
from placet.store.staged import parse, scan
from placet.store.watch import Area, Hint

FEW = 500
"""Records of one home that are all read and planned, in about a fifth of a second."""


NEWEST = 200
"""Records of a long queue that a deciding verb looks through for repeats of what was refused."""


def waiting(home: Home) -> int:
    """How many records the staging folders of a home list."""
    return sum(len(scan.names(home, subsystem).names) for subsystem in Subsystem)


def on_one(home: Home, ref: Ref) -> tuple[Hint, ...]:
    """What to read for a verb about one record: itself, and what asks for the same.

    Args:
        home: Where it waits.
        ref: The record.

    Returns:
        Hints for `Inbox.refresh`; none where so few wait that all are read.
    """
    if waiting(home) <= FEW:
        return ()
    own = scan.staged_under(home, ref.subsystem, ref.id)
    texts = {text for name in own for text in _texts(home, ref.subsystem, name)}
    same = _holding(home, ref.subsystem, texts) if texts else ()
    return _hints(home, ((ref.subsystem, name) for name in dict.fromkeys((*own, *same))))


def newest(home: Home) -> tuple[Hint, ...]:
    """What to read to find repeats of what was refused: the newest `NEWEST` records.

    Returns:
        Hints for `Inbox.refresh`; none where so few wait that all are read.
    """
    if waiting(home) <= FEW:
        return ()
    found = sorted((one for s in Subsystem for one in _by_change(home, s)), reverse=True)
    return _hints(home, ((subsystem, name) for _, subsystem, name in found[:NEWEST]))


def _hints(home: Home, keys: Iterable[tuple[Subsystem, str]]) -> tuple[Hint, ...]:
    return tuple(Hint(home, Area.RECORDS, name, subsystem) for subsystem, name in keys)


def _by_change(home: Home, subsystem: Subsystem) -> Iterator[tuple[int, Subsystem, str]]:
    folder = str(home.pending(subsystem))
    for name in scan.names(home, subsystem).names:
        try:
            yield os.lstat(f"{folder}/{name}").st_mtime_ns, subsystem, name
        except OSError:
            continue  # it has just left the queue


def _texts(home: Home, subsystem: Subsystem, name: str) -> Iterator[bytes]:
    """The longest text of a record, in the two spellings that writers of JSON use."""
    proposal = parse.understand(scan.read(home, subsystem, name), 0.0)
    text = max(map(_text, proposal.operations), key=len, default="")
    if text:
        for ascii_only in (True, False):
            yield json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")[1:-1]


def _text(operation: Operation) -> str:
    return operation.content or operation.old or ""


def _holding(home: Home, subsystem: Subsystem, texts: Iterable[bytes]) -> list[str]:
    """Names of the records that hold one of these texts; what cannot be read holds none."""
    try:
        folder = os.open(home.pending(subsystem), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        names = scan.names(home, subsystem).names
        return [name for name in names if _holds(folder, name, texts)]
    finally:
        os.close(folder)


def _holds(folder: int, name: str, texts: Iterable[bytes]) -> bool:
    try:
        raw = scan.bytes_of(folder, name) or b""
    except FileNotFoundError:
        return False
    return any(text in raw for text in texts)
