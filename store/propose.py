"""The façade for agents: stage a proposal, and nothing else (design §9)."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from placet.store.errors import Blocked, NotFound, NotWritten, words_of
from placet.store.model import MAX_RECORD_BYTES, PERSON, Home, Level, Record, Subsystem
from placet.store.staged import parse, scan
from placet.store.staged.decode import writable
from placet.store.staged.summary import of as summary_of

_FILE_MODE = 0o644


def stage(
    home: Home,
    subsystem: Subsystem,
    payload: Mapping[str, Any],
    *,
    origin: str,
    summary: str = "",
    created_at: float | None = None,
) -> str:
    """Stage one proposal as Hermes would, for a person to decide.

    Args:
        home: Existing home to stage in; its `pending/` is made where missing.
        subsystem: Folder it goes to.
        payload: Action and arguments in Hermes' form (`action`, `target`, `content`, …).
        origin: Who proposes: `background_review`, `assistant_tool` or a name of one's own.
        summary: One line about the change; made from the payload if empty.
        created_at: When it was proposed, seconds since the epoch; now if None.

    Returns:
        The id of the record, eight hexadecimal digits.

    Raises:
        NotFound: The home does not exist.
        Blocked: The record could never be applied; nothing was staged.
        NotWritten: The file system refused; nothing was staged.
    """
    if not home.path.is_dir():
        raise NotFound(f"{home.path} does not exist, so nothing was staged; placet makes no homes.")
    folder = home.pending(subsystem)
    record_id = _free_id(folder)
    if origin == PERSON:
        raise Blocked(f"Nothing was staged: the origin “{PERSON}” is for changes made in placet.")
    data = _bytes(
        {
            "id": record_id,
            "subsystem": subsystem.value,
            "action": payload.get("action"),
            "summary": summary or summary_of(subsystem, payload),
            "origin": origin,
            "created_at": time.time() if created_at is None else created_at,
            "payload": dict(payload),
        }
    )
    _refuse_hopeless(home, subsystem, record_id, data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _put(folder / f"{record_id}{scan.SUFFIX}", data)
    except OSError as problem:
        raise NotWritten(
            f"Nothing was staged: {folder} cannot be written ({words_of(problem)})."
        ) from problem
    return record_id


def _free_id(folder: Path) -> str:
    """An id that no file in the folder bears yet, claimed or not."""
    while True:
        made = secrets.token_hex(4)
        name = f"{made}{scan.SUFFIX}"
        if not any(os.path.lexists(folder / taken) for taken in (name, scan.claim_name(name))):
            return made


def _bytes(record: dict[str, Any]) -> bytes:
    """A record as Hermes writes it: keys in order, two blanks, no final newline."""
    if not writable(record):
        raise Blocked(
            "Nothing was staged: the text holds half a character (a lone surrogate), which no "
            "file can store. Send whole characters."
        )
    try:
        return json.dumps(record, ensure_ascii=False, indent=2).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as problem:
        raise Blocked(f"Nothing was staged: the payload is no JSON ({problem}).") from problem


def _refuse_hopeless(home: Home, subsystem: Subsystem, record_id: str, data: bytes) -> None:
    """Read the record back as the queue will; what it blocks for good is refused here."""
    name = f"{record_id}{scan.SUFFIX}"
    if len(data) > MAX_RECORD_BYTES:
        raise Blocked(f"Nothing was staged: records above {MAX_RECORD_BYTES:,} bytes are not read.")
    proposal = parse.understand(Record(home, subsystem, name, record_id, data), time.time())
    reasons = [found.message for found in proposal.verdicts if found.level is Level.BLOCKER]
    if reasons:
        raise Blocked(f"Nothing was staged: {' '.join(reasons)}")


def _put(path: Path, data: bytes) -> None:
    """Write beside the place and move there, so that no reader sees half a record."""
    temporary = path.with_name(f"{path.name}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(temporary, flags, _FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
