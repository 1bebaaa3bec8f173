"""What happens when the console itself fails: a log without memory text, one line, no locals."""

from __future__ import annotations

import os
import time
import traceback
from pathlib import Path

from placet.console.shown import plain
from placet.store.errors import words_of
from placet.store.text import times


def report(error: BaseException, folder: Path | None) -> str:
    """Write where an exception came from to a private log and return one line for the person.

    Only names of files, functions and line numbers are written: neither local variables nor the
    exception's own text, which may quote an agent's memory.

    Args:
        error: What was raised.
        folder: Folder of the log, made if missing; None where there is no place for it.
    """
    kind = _kind(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    stamp = times.stamp(time.time())
    body = [f"{stamp} {kind}", *(f"  {f.filename}:{f.lineno} {f.name}" for f in frames), ""]
    if folder is None:
        return plain(f"{kind} at {place}; there is no place for a log of it")
    log = folder / "console.log"
    try:
        _append(log, "\n".join(body) + "\n")
    except OSError as failure:
        return plain(f"{kind} at {place}; the log could not be written ({words_of(failure)})")
    return plain(f"{kind} at {place}; details in {log}")


def _kind(error: BaseException) -> str:
    """What was raised, with what the system or SQLite calls it; never a text of its own."""
    name = type(error).__name__
    if isinstance(error, OSError) and error.errno:
        return f"{os.strerror(error.errno)} ({name})"
    code = getattr(error, "sqlite_errorname", "")
    return f"{name} {code}" if code else name


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, text.encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)
