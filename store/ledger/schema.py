"""The tables of one home's database and the steps that lead to them.

All of them stand here as text, because `verify` compares them with what the database holds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

AUDIT_TABLE = """CREATE TABLE audit(
  seq INTEGER PRIMARY KEY CHECK(seq > 0),
  prev TEXT NOT NULL CHECK(typeof(prev) = 'text' AND length(prev) = 64),
  body TEXT NOT NULL CHECK(typeof(body) = 'text'),
  hash TEXT NOT NULL CHECK(typeof(hash) = 'text' AND length(hash) = 64)
)"""

NO_UPDATE = """CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"""

NO_DELETE = """CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"""

NEXT_ONLY = """CREATE TRIGGER audit_next_only BEFORE INSERT ON audit
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit)
  OR NEW.prev IS NOT coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1),
                              (SELECT value FROM meta WHERE key = 'chain'))
BEGIN SELECT RAISE(ABORT, 'the log takes only its next link'); END"""
"""Also stops `INSERT OR REPLACE`, which passes an UPDATE and a DELETE trigger by."""

WORDS = """CREATE TRIGGER audit_words_insert AFTER INSERT ON audit
BEGIN
  INSERT INTO audit_words(rowid, words) VALUES (NEW.seq, (
    SELECT group_concat(atom, ' ') FROM json_tree(NEW.body) WHERE type = 'text'));
END"""
"""Feeds the word index; without it a search would read a million rows."""

STEP_1 = (
    """CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK(typeof(value) = 'text')
) WITHOUT ROWID""",
    AUDIT_TABLE,
    "CREATE INDEX audit_kind ON audit(json_extract(body, '$.kind'), seq)",
    "CREATE INDEX audit_actor ON audit(json_extract(body, '$.actor'), seq)",
    "CREATE INDEX audit_target ON audit(json_extract(body, '$.target'), seq)",
    "CREATE VIRTUAL TABLE audit_words USING fts5(words, content='', prefix='3')",
    NO_UPDATE,
    NO_DELETE,
    NEXT_ONLY,
    WORDS,
    """CREATE TABLE proposals(
  subsystem TEXT NOT NULL,
  id TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK(length(sha256) = 64),
  name TEXT NOT NULL,
  origin TEXT NOT NULL,
  first_seen REAL NOT NULL CHECK(typeof(first_seen) = 'real'),
  life TEXT NOT NULL,
  event INTEGER,
  put_back INTEGER CHECK(typeof(put_back) IN ('integer', 'null')),
  PRIMARY KEY(subsystem, id, sha256)
) WITHOUT ROWID""",
    "CREATE INDEX proposals_life ON proposals(life)",
    """CREATE TABLE decisions(
  event INTEGER PRIMARY KEY,
  subsystem TEXT,
  id TEXT,
  sha256 TEXT CHECK(sha256 IS NULL OR length(sha256) = 64),
  name TEXT NOT NULL,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,
  at REAL NOT NULL CHECK(typeof(at) = 'real'),
  actor TEXT NOT NULL,
  concerns INTEGER,
  ended_by INTEGER CHECK(typeof(ended_by) IN ('integer', 'null'))
)""",
    """CREATE UNIQUE INDEX decisions_standing ON decisions(subsystem, id, sha256)
WHERE ended_by IS NULL AND kind IN ('approved', 'edited', 'rejected', 'discarded')""",
    "CREATE INDEX decisions_concerns ON decisions(concerns)",
    """CREATE TABLE operations(
  decision INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK(typeof(n) = 'integer' AND n > 0),
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT CHECK(before IS NULL OR length(before) = 64),
  after TEXT CHECK(after IS NULL OR length(after) = 64),
  proposed TEXT CHECK(proposed IS NULL OR length(proposed) = 64),
  dropped INTEGER NOT NULL CHECK(dropped IN (0, 1)),
  fp TEXT,
  edited_fp TEXT,
  PRIMARY KEY(decision, n)
) WITHOUT ROWID""",
    "CREATE INDEX operations_fp ON operations(fp) WHERE fp IS NOT NULL",
    "CREATE INDEX operations_edited ON operations(edited_fp) WHERE edited_fp IS NOT NULL",
    """CREATE TABLE refusals(
  n INTEGER PRIMARY KEY,
  fp TEXT NOT NULL CHECK(length(fp) = 64),
  kind TEXT NOT NULL CHECK(kind IN ('put', 'drop', 'batch')),
  target TEXT NOT NULL,
  scope TEXT NOT NULL CHECK(scope IN ('op', 'batch', 'part')),
  word_key TEXT,
  normal TEXT,
  text TEXT CHECK(text IS NULL OR length(text) = 64),
  mask TEXT NOT NULL,
  secret INTEGER NOT NULL CHECK(secret IN (0, 1)),
  reason TEXT NOT NULL,
  decision INTEGER NOT NULL CHECK(typeof(decision) = 'integer'),
  at REAL NOT NULL CHECK(typeof(at) = 'real'),
  until REAL CHECK(typeof(until) IN ('real', 'null')),
  lifted INTEGER CHECK(typeof(lifted) IN ('integer', 'null'))
)""",
    "CREATE INDEX refusals_fp ON refusals(fp)",
    "CREATE INDEX refusals_word_key ON refusals(word_key) WHERE word_key IS NOT NULL",
    "CREATE INDEX refusals_target ON refusals(target, n) WHERE normal IS NOT NULL",
    "CREATE INDEX refusals_decision ON refusals(decision)",
    "CREATE INDEX refusals_text ON refusals(text) WHERE text IS NOT NULL",
    """CREATE TABLE hits(
  fp TEXT NOT NULL,
  subsystem TEXT NOT NULL,
  id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  at REAL NOT NULL CHECK(typeof(at) = 'real'),
  PRIMARY KEY(fp, subsystem, id, sha256)
) WITHOUT ROWID""",
    """CREATE TABLE intents(
  token TEXT PRIMARY KEY,
  at REAL NOT NULL CHECK(typeof(at) = 'real'),
  subsystem TEXT NOT NULL,
  id TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK(length(sha256) = 64),
  name TEXT NOT NULL,
  decision TEXT NOT NULL,
  changes TEXT NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE files(
  path NOT NULL PRIMARY KEY CHECK(typeof(path) IN ('text', 'blob')),
  sha256 TEXT CHECK(sha256 IS NULL OR length(sha256) = 64),
  seq INTEGER NOT NULL CHECK(typeof(seq) = 'integer')
) WITHOUT ROWID""",
    """CREATE TABLE vouches(
  sha256 TEXT NOT NULL CHECK(length(sha256) = 64),
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  decision INTEGER NOT NULL CHECK(typeof(decision) = 'integer'),
  ended_by INTEGER CHECK(typeof(ended_by) IN ('integer', 'null')),
  PRIMARY KEY(sha256, rule, decision)
) WITHOUT ROWID""",
)

RELATIVE_INTENTS: tuple[str, ...] = ()
"""Rows alone change; an older placet would take a path inside the home for a whole one."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (STEP_1, RELATIVE_INTENTS)
"""Statements that lead from version n to n + 1; each step is one transaction. What it does to rows
besides stands in `rewriting`."""


def version() -> int:
    """The version that this program reads and writes."""
    return len(MIGRATIONS)


class Object(NamedTuple):
    """One table, index or trigger.

    Attributes:
        kind: Which of the three, in lower case.
        name: Its name.
        table: The table that it is or belongs to.
        sql: The statement that makes it, as SQLite keeps it.
    """

    kind: str
    name: str
    table: str
    sql: str


_MAKES = re.compile(
    r"CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER) (\w+)(?:.*?\bON (\w+))?", re.DOTALL
)


def objects() -> tuple[Object, ...]:
    """Everything that today's database has to hold, in the order it is made."""
    found = ((sql, _MAKES.match(sql)) for step in MIGRATIONS for sql in step)
    return tuple(_object(sql, match) for sql, match in found if match)


def _object(sql: str, made: re.Match[str]) -> Object:
    kind, name = made[1].lower(), made[2]
    return Object(kind, name, name if kind == "table" else made[3], sql)


def is_inner(name: str) -> bool:
    """Whether SQLite makes a table of this name by itself."""
    return name.startswith(("sqlite_", "audit_words_"))


FILL_WORDS = """INSERT INTO audit_words(rowid, words)
SELECT a.seq, (SELECT group_concat(atom, ' ') FROM json_tree(a.body) WHERE type = 'text')
FROM audit a"""
"""Feeds the word index from every row, where it was lost."""
