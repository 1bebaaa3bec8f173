"""The head of the log, kept outside the home, so that a cut tail or a swapped database shows.

One file for each home: the first line holds the home's path and the chain's id, every further
line a sequence number and its hash.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.store.disk import write
from placet.store.errors import LedgerError

_HEAD = re.compile(rb"([1-9][0-9]{0,17}) ([0-9a-f]{64})")
_TAIL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the anchor file of a home says.

    Attributes:
        path: Path of the home as written in the first line.
        chain: Id of the chain as written in the first line.
        seq: Number of the newest head it knows, 0 where it knows none.
        hash: Hash of that head, or empty.
    """

    path: str
    chain: str
    seq: int = 0
    hash: str = ""


def home_id(home: Path) -> str:
    """First 16 hexadecimal characters of the SHA-256 of the home's real path."""
    return hashlib.sha256(os.fsencode(home)).hexdigest()[:16]


def folder(env: Mapping[str, str] | None = None) -> Path:
    """Folder of all anchors, below `$XDG_STATE_HOME` or `~/.local/state`."""
    given = (os.environ if env is None else env).get("XDG_STATE_HOME", "")
    state = Path(given) if given.startswith("/") else Path.home() / ".local" / "state"
    return state / "placet" / "anchors"


def location(home: Path) -> Path:
    """Path of the anchor file of a home."""
    return folder() / f"{home_id(home)}.log"


def read(home: Path) -> Anchor | None:
    """The anchor of a home, or None where there is no file.

    Raises:
        LedgerError: The file is there and cannot be read or understood.
    """
    path = location(home)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerError(f"The anchor {path} cannot be read: {error.strerror}.") from error
    try:
        return _understand(descriptor, path)
    finally:
        os.close(descriptor)


def _understand(descriptor: int, path: Path) -> Anchor:
    size = os.fstat(descriptor).st_size
    first, found, _ = os.pread(descriptor, 65536, 0).partition(b"\n")
    try:
        line = json.loads(first) if found else None
        anchor = Anchor(str(line["path"]), str(line["chain"]))  # type: ignore[index]
    except (ValueError, KeyError, TypeError) as error:
        raise LedgerError(f"The first line of the anchor {path} is damaged.") from error
    start = max(len(first) + 1, size - _TAIL_BYTES)
    heads = _HEAD_LINES.findall(os.pread(descriptor, _TAIL_BYTES, start))
    if not heads:
        return anchor
    return Anchor(anchor.path, anchor.chain, int(heads[-1][0]), heads[-1][1].decode())


_HEAD_LINES = re.compile(rb"(?m)^" + _HEAD.pattern + rb"$(?=\n)")


def heads(home: Path) -> Iterator[tuple[int, str]]:
    """Every head that the anchor knows, oldest first, read line by line; none without a file."""
    try:
        file = location(home).open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            if found := _HEAD.fullmatch(line.rstrip(b"\n")):
                yield int(found[1]), found[2].decode()


def begin(home: Path, chain: str) -> bool:
    """Start the anchor of a home, unless one exists.

    Returns:
        Whether this call made it.
    """
    path = location(home)
    if os.path.lexists(path):
        return False  # known without making and flushing a file that would lose the race
    write.private_folder(path.parent)
    line = json.dumps({"chain": chain, "path": os.fsdecode(os.fsencode(home))}) + "\n"
    try:
        write.write_new(path, line.encode("ascii"), 0o600)
    except FileExistsError:
        return False
    return True


def append(home: Path, lines: Sequence[tuple[int, str]]) -> Anchor | None:
    """Add heads that the file does not know yet, under the file's own lock.

    Args:
        home: Real path of the home.
        lines: Number and hash of each new head, oldest first.

    Returns:
        What the anchor said before; None where it is missing, which the next opening reports.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(location(home), flags)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        before = _understand(descriptor, location(home))
        new = b"".join(f"{n} {digest}\n".encode() for n, digest in lines if n > before.seq)
        if new:
            write.write_all(descriptor, _mended(descriptor) + new)
            write.flush(descriptor)
        return before
    finally:
        os.close(descriptor)


def _mended(descriptor: int) -> bytes:
    """A line end, where a crash left the last line without one."""
    size = os.fstat(descriptor).st_size
    return b"" if os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def set_aside(home: Path) -> Path | None:
    """Keep the present anchor under a dated name, so that a new one can begin.

    Returns:
        The new path, or None where there was none.
    """
    path = location(home)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for number in range(1000):
        kept = path.with_name(f"{path.stem}.{stamp}.{number}.old")
        try:
            os.link(path, kept, follow_symlinks=False)
        except FileExistsError:
            continue
        except FileNotFoundError:
            return None
        os.unlink(path)
        write.fsync_dir(path.parent)
        return kept
    raise LedgerError(f"The old anchor {path} could not be kept: too many copies beside it.")
