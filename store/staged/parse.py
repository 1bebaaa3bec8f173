"""Staged records to proposals: every file becomes a row with words, never an exception."""

from __future__ import annotations

from dataclasses import replace

from placet.store.model import (
    PERSON,
    Code,
    Proposal,
    Record,
    Subsystem,
    Verdict,
)
from placet.store.staged import memory_payload, scan, skill_payload, summary
from placet.store.staged.asked import Asked
from placet.store.staged.decode import NotJson, decode, in_full, printable, table
from placet.store.staged.findings import Fields, Findings, Malformed
from placet.store.text import times

GRACE_SECONDS = 1.0
"""How long a writer may still be at work on a file that cannot be parsed, in seconds."""

_ENVELOPE = frozenset(
    {"id", "subsystem", "action", "summary", "origin", "created_at", "payload", "provider"}
)

_FOREIGN_MARKS = frozenset(
    {
        "provider",
        "tool",
        "schema_version",
        "payload_sha256",
        "record_sha256",
        "session_scope",
        "channel_scope",
        "memory_id",
        "replacement_id",
        "importance",
        "veracity",
        "extract_entities",
        "tier",
        "conflict",
    }
)
"""Fields that other memory providers write and Hermes never does."""

_FOREIGN_ACTIONS = frozenset({"remember", "update", "forget", "invalidate", "extraction_proposal"})
"""Actions of other memory providers."""


def understand(record: Record, now: float) -> Proposal:
    """Turn one staged record into a proposal; never raises.

    Args:
        record: The record as read.
        now: Time of reading, seconds since the epoch; tells a writer at work from a broken file.

    Returns:
        The proposal; what is wrong with the record stands in its verdicts, and one that is
        malformed or foreign carries no operations.
    """
    blank = _blank(record)
    try:
        if record.raw is None:
            return _malformed(blank, record.problem)
        document, repeated = decode(record.raw)
    except NotJson as broken:
        young = abs(now - record.modified) < GRACE_SECONDS
        return replace(_malformed(blank, str(broken)), settling=young and broken.unfinished)
    try:
        return _envelope(blank, document, repeated)
    except Exception as problem:  # one record must never take the queue down with it
        reason = f"{type(problem).__name__}: {printable(str(problem))}"
        return _malformed(blank, f"The record cannot be understood ({reason}).")


def _blank(record: Record) -> Proposal:
    return Proposal(
        home=record.home,
        subsystem=record.subsystem,
        id=record.id,
        name=record.name,
        raw=record.raw or b"",
        origin="",
        created_at=None,
        summary="",
        target=None,
        operations=(),
        claimed=record.claimed,
    )


def _malformed(blank: Proposal, message: str) -> Proposal:
    findings = Findings()
    findings.block(Code.MALFORMED, message)
    return replace(blank, verdicts=tuple(findings.verdicts))


def _envelope(blank: Proposal, document: object, repeated: tuple[str, ...]) -> Proposal:
    fields = table(document)
    if fields is None:
        return _malformed(
            blank,
            f"The record is {_kind(document)} instead of an object. Hermes cannot list its own "
            "queue while this file is there.",
        )
    findings = Findings()
    for key in repeated:
        findings.warn(
            Code.DUPLICATE_KEY,
            f"The key “{key}” is given more than once in one object; Hermes takes the last.",
        )
    known = replace(
        blank,
        origin=_origin(fields, findings),
        created_at=_created_at(fields, findings),
        summary=_label(fields, "summary", findings),
    )
    _check_id(blank.name, fields, findings)
    asked = _asked(blank.subsystem, fields, findings)
    _check_labels(known, asked, fields, findings)
    return _assembled(known, asked, tuple(findings.verdicts))


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "a text"
    return "null" if value is None else "a number or switch"


def _assembled(known: Proposal, asked: Asked, verdicts: tuple[Verdict, ...]) -> Proposal:
    return replace(
        known,
        target=asked.target,
        operations=asked.operations,
        batch=asked.batch,
        verdicts=verdicts,
    )


def _asked(subsystem: Subsystem, fields: Fields, findings: Findings) -> Asked:
    """What the payload asks for; nothing where the record is foreign or malformed."""
    inner = table(fields.get("payload")) or {}
    known = memory_payload.ACTIONS if subsystem is Subsystem.MEMORY else skill_payload.ACTIONS
    action = inner.get("action")
    usable = isinstance(action, str) and action in known
    provider = _provider(fields, inner, usable)
    if provider:
        findings.block(
            Code.FOREIGN_PROVIDER,
            f"The record belongs to another memory provider: {provider}. It is shown and never "
            "applied; discard moves it aside.",
        )
        return Asked()
    _note_unknown(fields, findings)
    try:
        if not usable:
            raise Malformed(_unusable(fields, action, known))
        reader = memory_payload.read if subsystem is Subsystem.MEMORY else skill_payload.read
        return reader(inner, findings)
    except Malformed as fault:
        findings.block(Code.MALFORMED, str(fault), fault.operation)
        return Asked()


def _provider(fields: Fields, payload: Fields, usable: bool) -> str:
    """Name of the provider whose record this is, or empty for one of Hermes' own shape."""
    for part in (fields, payload):
        named = part.get("provider")
        if named is not None and named != "":
            return named if isinstance(named, str) else in_full(named)
    if usable:
        return ""
    tool = payload.get("tool") or fields.get("tool")
    marked = (_FOREIGN_MARKS & fields.keys()) | (_FOREIGN_MARKS & payload.keys())
    action = payload.get("action")
    if (isinstance(action, str) and action in _FOREIGN_ACTIONS) or marked - {"provider"}:
        return f"unnamed ({tool or action or ', '.join(sorted(marked))})"
    return ""


def _unusable(fields: Fields, action: object, known: frozenset[str]) -> str:
    payload = fields.get("payload")
    if "payload" not in fields:
        return f"The record has no payload. {_what_else(fields)}".strip()
    if table(payload) is None:
        return f"The payload is no object: {in_full(payload)}."
    words = ", ".join(sorted(known))
    if action is None:
        return f"The payload names no action; known are {words}. It holds {in_full(payload)}."
    return f"The payload names the action {in_full(action)}; known are {words}."


def _what_else(fields: Fields) -> str:
    others = {key: value for key, value in fields.items() if key not in _ENVELOPE}
    return f"It holds instead {in_full(others)}." if others else ""


def _note_unknown(fields: Fields, findings: Findings) -> None:
    """Fields of the envelope have no effect, so one that is new is only worth a note."""
    for key, value in fields.items():
        if key not in _ENVELOPE:
            findings.note(
                Code.UNKNOWN_FIELD,
                f"The record carries a field that has no effect: “{key}”: {in_full(value)}.",
            )


def _origin(fields: Fields, findings: Findings) -> str:
    """Who staged it; a record that calls itself a person's own change is not believed."""
    origin = _label(fields, "origin", findings)
    if origin.strip().casefold() != PERSON:
        return origin
    findings.warn(
        Code.BAD_FIELD,
        f"The record claims the origin “{origin}”, which only changes made in placet bear; "
        "it counts as unknown.",
    )
    return ""


def _label(fields: Fields, key: str, findings: Findings) -> str:
    """A text that only describes; anything else is noted and left out."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return printable(value or "")
    findings.note(Code.BAD_FIELD, f"The {key} is no text and is not used: {in_full(value)}.")
    return ""


def _created_at(fields: Fields, findings: Findings) -> float | None:
    value = fields.get("created_at")
    if "created_at" not in fields:
        findings.note(Code.BAD_FIELD, "The record does not say when it was made.")
        return None
    found = times.moment_in(value)
    if found is None:
        findings.warn(
            Code.BAD_FIELD,
            f"“created_at” is no time: {in_full(value)}. Hermes cannot sort its queue by it.",
        )
    return found


def _check_id(name: str, fields: Fields, findings: Findings) -> None:
    """The file's name is the id; what the record calls itself is compared and never used."""
    stem = scan.record_name(name).removesuffix(scan.SUFFIX)
    inner = fields.get("id")
    if inner is None:
        findings.warn(Code.ID_DIFFERS, "The record has no id of its own; its file name is its id.")
    elif (str(inner) if isinstance(inner, int) else inner) != stem:
        findings.warn(
            Code.ID_DIFFERS,
            f"The record calls itself {in_full(inner)}; its file name is its id.",
        )


def _check_labels(known: Proposal, asked: Asked, fields: Fields, findings: Findings) -> None:
    """Compare what the envelope says with what the payload does (field report 3)."""
    if not asked.operations:
        return
    action = (table(fields["payload"]) or {})["action"]
    for key, truth in (("subsystem", known.subsystem.value), ("action", action)):
        label = fields.get(key)
        if label is not None and label != truth:
            findings.warn(
                Code.SUMMARY_DIFFERS,
                f"The record is labelled {key} {in_full(label)}; it is really {in_full(truth)}.",
            )
    words = summary.contradiction(known.summary, asked.target, asked.operations, asked.batch)
    if words:
        findings.warn(Code.SUMMARY_DIFFERS, words)
