"""Observed cases that placet answers differently on purpose: one table, each with its D and words.

The same table serves the two whole homes, whose records are named by their id.
"""

from __future__ import annotations

from typing import NamedTuple

from placet.store.model import Code


class Excepted(NamedTuple):
    """Why one case differs.

    Attributes:
        rule: The deliberate difference (`D1` to `D9`, or the paragraph of the design).
        code: Blocker that placet gives instead of what Hermes does; None where the bytes agree and
            only the mode or the words differ.
        words: The reason.
    """

    rule: str
    code: Code | None
    words: str


CASES: dict[str, Excepted] = {
    "add-crlf-content": Excepted("D6", Code.FORGED_DELIMITER, "CR is read back as LF"),
    "add-lone-cr-content": Excepted("D6", Code.FORGED_DELIMITER, "CR is read back as LF"),
    "add-section-line-inside": Excepted("D6", Code.FORGED_DELIMITER, "falls apart into two"),
    "bat-section-inside": Excepted("D6", Code.FORGED_DELIMITER, "falls apart into two"),
    "add-drifted-trailing-delim-nl": Excepted("D2", Code.DRIFT, "add on a drifted file"),
    "add-drifted-big-entry": Excepted("D2", Code.DRIFT, "add on a file with an oversized entry"),
    "fs-is-directory": Excepted("D1", Code.UNREADABLE, "a folder in the file's place"),
    "fs-symlink-dangling-noparent": Excepted("D1", Code.UNREADABLE, "a link to nowhere"),
    "add-invalid-utf8": Excepted("D1", Code.UNREADABLE, "not UTF-8"),
    "add-utf16-file": Excepted("D1", Code.UNREADABLE, "not UTF-8"),
    "bat-invalid-utf8": Excepted("D1", Code.UNREADABLE, "not UTF-8"),
    "apply-no-target": Excepted("D4", Code.TARGET_UNKNOWN, "no target is not MEMORY.md"),
    "apply-null-target": Excepted("D4", Code.TARGET_UNKNOWN, "null is not MEMORY.md"),
    "apply-target-case": Excepted("D4", Code.TARGET_UNKNOWN, "“User” is neither"),
    "bat-extra-fields": Excepted("D4", Code.TARGET_CONFLICT, "an operation names the other file"),
    "fs-mode-not-preserved": Excepted("D3", None, "the same bytes, and the mode is kept"),
    "fs-symlink": Excepted("D3", None, "the same bytes, and the mode of the real file is kept"),
    "cap-terminal": Excepted("D8", None, "the true reason instead of the failure counter"),
    "cap-batch-counted": Excepted("D8", None, "the true reason instead of the failure counter"),
}
"""By case id."""

HOME_RECORDS: dict[str, Excepted] = {
    "39a9ac12": Excepted("D6", Code.FORGED_DELIMITER, "a line holds only the delimiter"),
    "87691731": Excepted("D6", Code.FORGED_DELIMITER, "CR is read back as LF"),
    "547369e9": Excepted("design §2", Code.NO_CHANGE, "a single duplicate adds nothing"),
    "ec9c891d": Excepted("design §2", Code.NO_CHANGE, "a single duplicate adds nothing"),
}
"""Records of `home-busy` that Hermes accepts, by id."""
