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
import stat
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from placet.store.disk import write
from placet.store.errors import LedgerError, words_of
from placet.store.homes import places
from placet.store.text import times

_HEAD = re.compile(rb"([1-9][0-9]{0,17}) ([0-9a-f]{64})")
_TAIL_BYTES = 4096

ELSEWHERE = "Set XDG_STATE_HOME to a folder that this user may write."
"""What to do where the usual place will not do."""


class Anchor(NamedTuple):
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
    """Folder of all anchors, below `$XDG_STATE_HOME` or `~/.local/state`.

    Raises:
        LedgerError: There is no place for it; the text says which one would do.
    """
    environment = os.environ if env is None else env
    state = places.state(environment, places.home(environment))
    if state is None:
        raise LedgerError(
            "There is no place for the anchor, which keeps the head of the log outside the home:"
            f" {places.no_home(environment)}. {ELSEWHERE}"
        )
    return state / "anchors"


def location(home: Path) -> Path:
    """Path of the anchor file of a home.

    Raises:
        LedgerError: There is no place for it.
    """
    return folder() / f"{home_id(home)}.log"


def read(home: Path) -> Anchor | None:
    """The anchor of a home, or None where there is no file.

    Raises:
        LedgerError: The file is there and cannot be read or understood.
    """
    path = location(home)
    with _in_words(path):
        descriptor = _open(path)
        if descriptor is None:
            return None
        try:
            return _understand(descriptor, path)
        finally:
            os.close(descriptor)


def lost(home: Path) -> str:
    """Why a home that has no ledger should have one, in words for an alarm, or empty."""
    try:
        known = read(home)
    except LedgerError as error:
        return str(error).rstrip(".")
    if known is None:
        return ""
    newest = f" up to #{known.seq}" if known.seq else ""
    return (
        f"there is no ledger in {home / 'placet'}, though its anchor remembers one{newest}: it was"
        f" deleted or replaced ({location(home)})"
    )


@contextmanager
def _in_words(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise LedgerError(f"The anchor {path} cannot be read: {words_of(error)}.") from error


def _open(path: Path) -> int | None:
    """Open an anchor for reading, never waiting; None where there is no file."""
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None


def _understand(descriptor: int, path: Path) -> Anchor:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise LedgerError(f"The anchor {path} is no regular file.")
    size = found.st_size
    first, ended, _ = os.pread(descriptor, 65536, 0).partition(b"\n")
    try:
        line = json.loads(first) if ended else None
        anchor = Anchor(str(line["path"]), str(line["chain"]))  # type: ignore[index]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LedgerError(f"The first line of the anchor {path} is damaged.") from error
    start = max(len(first) + 1, size - _TAIL_BYTES)
    heads = _HEAD_LINES.findall(os.pread(descriptor, _TAIL_BYTES, start))
    if not heads:
        return anchor
    return Anchor(anchor.path, anchor.chain, int(heads[-1][0]), heads[-1][1].decode())


_HEAD_LINES = re.compile(rb"(?m)^" + _HEAD.pattern + rb"$(?=\n)")


def heads(home: Path) -> Iterator[tuple[int, str]]:
    """Every head that the anchor knows, oldest first, read line by line; none without a file.

    Raises:
        LedgerError: The file cannot be read or understood.
    """
    path = location(home)
    with _in_words(path):
        descriptor = _open(path)
        if descriptor is None:
            return
        with os.fdopen(descriptor, "rb") as file:
            _understand(file.fileno(), path)
            yield from _lines(file)


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    for line in iter(lambda: file.readline(_TAIL_BYTES), b""):
        if found := _HEAD.fullmatch(line.rstrip(b"\n")):
            yield int(found[1]), found[2].decode()


def begin(home: Path, chain: str) -> bool:
    """Start the anchor of a home, unless one exists.

    Returns:
        Whether this call made it.

    Raises:
        LedgerError: There is no place for it, or none that can be written; nothing was made.
    """
    path = location(home)
    if os.path.lexists(path):
        return False  # known without making and flushing a file that would lose the race
    line = json.dumps({"chain": chain, "path": os.fsdecode(os.fsencode(home))}) + "\n"
    try:
        write.private_folder(path.parent)
        write.write_new(path, line.encode("ascii"), 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise LedgerError(
            f"The anchor {path} cannot be made: {words_of(error)}. It keeps the head of the log"
            f" outside the home, so nothing is decided without it. {ELSEWHERE}"
        ) from error
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
    stamp = times.in_a_name()
    for number in range(1000):
        kept = path.with_name(f"{path.stem}.{stamp}.{number}.old")
        try:
            _keep_aside(path, kept)
        except FileExistsError:
            continue
        except FileNotFoundError:
            return None
        write.fsync_dir(path.parent)
        return kept
    raise LedgerError(f"The old anchor {path} could not be kept: too many copies beside it.")


def _keep_aside(path: Path, kept: Path) -> None:
    """Give an anchor another name, never in the place of another file; also one that is none."""
    if stat.S_ISDIR(os.lstat(path).st_mode):
        if os.path.lexists(kept):
            raise FileExistsError(kept)
        os.rename(path, kept)
        return
    os.link(path, kept, follow_symlinks=False)
    os.unlink(path)
