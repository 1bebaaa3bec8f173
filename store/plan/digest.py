"""The one value that consent is given to: everything an approval depends on, hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from placet.store.model import (
    RULES_VERSION,
    Change,
    Choice,
    FileState,
    Level,
    Plan,
    Verdict,
)
from placet.store.plan.draft import Draft

_PURPOSE = b"placet plan"
_LIST_PURPOSE = b"placet list"
_ABSENT = b"absent"
_PRESENT = b"present"


def of_draft(draft: Draft, verdicts: Iterable[Verdict]) -> str:
    """Return the digest of one plan (design §5).

    Args:
        draft: The change as worked out.
        verdicts: Everything found; the codes of blockers and warnings count, notes do not.

    Returns:
        64 hexadecimal characters over length-prefixed fields, so that no two plans share them. No
        clock goes in.
    """
    return _hashed((_PURPOSE, str(RULES_VERSION).encode(), *_fields(draft, verdicts)))


def of_list(plans: Sequence[Plan]) -> str | None:
    """Return the digest of several plans in order, or None where one cannot be approved."""
    digests = [plan.digest for plan in plans]
    if not digests or None in digests:
        return None
    return _hashed((_LIST_PURPOSE, *(digest.encode() for digest in digests if digest)))


def _fields(draft: Draft, verdicts: Iterable[Verdict]) -> Iterator[bytes]:
    proposal = draft.proposal
    yield proposal.raw
    yield from _group(_choice(draft.choice))
    yield _text(str(proposal.home.path))
    yield _text(str(draft.target))
    yield _text(repr(draft.context.config.limit(draft.target) if draft.target else None))
    states = sorted(draft.snapshot.files.items())
    yield from _group(field for path, state in states for field in _state(path, state))
    yield from _group(field for change in draft.changes for field in _change(change))
    yield _text(str(draft.returns or ""))
    codes = sorted(
        f"{v.level}:{v.code}:{v.operation}:{v.rule}" for v in verdicts if v.level is not Level.NOTE
    )
    yield from _group(map(_text, codes))


def _choice(choice: Choice) -> Iterator[bytes]:
    yield ",".join(map(str, sorted(choice.dropped))).encode()
    for number, text in choice.edited:
        yield str(number).encode()
        yield _text(text)


def _state(path: str, state: FileState) -> Iterator[bytes]:
    yield _text(path)
    yield _text(str(state.real))
    yield repr(state.parent).encode()
    yield state.kind.value.encode()
    yield _text(state.problem)
    yield from _side(state.data)


def _change(change: Change) -> Iterator[bytes]:
    yield _text(str(change.path))
    yield repr(change.mode).encode()
    yield from _side(change.before)
    yield from _side(change.after)


def _side(data: bytes | None) -> tuple[bytes, bytes]:
    return (_ABSENT, b"") if data is None else (_PRESENT, data)


def _group(fields: Iterable[bytes]) -> Iterator[bytes]:
    """Yield how many fields follow, then the fields: no list can pass for another."""
    listed = list(fields)
    yield str(len(listed)).encode()
    yield from listed


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hashed(fields: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for field in fields:
        digest.update(len(field).to_bytes(8, "big"))
        digest.update(field)
    return digest.hexdigest()
