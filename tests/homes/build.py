"""Builds throw-away homes as Hermes lays them out, for every test that needs one.

Nothing here uses the code under test: records, memory files and the session database are written
byte for byte as `hermes/format.md` says.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from placet.store.model import Home

DELIMITER = "\n§\n"
REPO = Path(__file__).resolve().parents[2]
SHARED = REPO.parent / "shared"
HERMES = SHARED / "hermes"
START = 1_767_300_000.0
"""`created_at` of the first staged record; each further one is a minute later."""

SKILL_FIELDS = (
    "content",
    "category",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "replace_all",
    "absorbed_into",
)
"""Order in which Hermes writes the fields of a skill payload."""

GATE_ON = "memory:\n  write_approval: true\nskills:\n  write_approval: true\n"

STATE_SCHEMA = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, title TEXT, cwd TEXT,
    parent_session_id TEXT, profile_name TEXT, started_at REAL NOT NULL, ended_at REAL);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
    active INTEGER NOT NULL DEFAULT 1);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, COALESCE(new.content, '')
        || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''));
END;
"""


def skill_text(name: str, description: str = "Neutral test skill.", body: str = "") -> str:
    """Text of a SKILL.md with a correct head."""
    head = f"---\nname: {name}\ndescription: {description}\n---\n"
    return f"{head}\n{body or f'# {name}'}\n\nStep one.\n"


class HomeBuilder:
    """One home in the making; every method writes at once and most return the builder.

    Attributes:
        path: Folder of the home.
        home: The same as the product's value.
    """

    def __init__(self, path: Path, label: str = "default") -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.home = Home(path.resolve(), label)
        self._count = 0

    # files

    def write(self, name: str, data: bytes | str, mode: int = 0o600) -> HomeBuilder:
        """Write any file by its path inside the home."""
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        place.chmod(mode)
        return self

    def read(self, name: str) -> bytes | None:
        """Bytes of a file by its path inside the home, or None where it is absent."""
        place = self.path / name
        return place.read_bytes() if place.exists() else None

    def memory(self, *entries: str) -> HomeBuilder:
        """Write MEMORY.md with these entries, as Hermes joins them."""
        return self.write("memories/MEMORY.md", DELIMITER.join(entries))

    def user(self, *entries: str) -> HomeBuilder:
        """Write USER.md with these entries, as Hermes joins them."""
        return self.write("memories/USER.md", DELIMITER.join(entries))

    def soul(self, text: str) -> HomeBuilder:
        """Write SOUL.md."""
        return self.write("SOUL.md", text)

    def config(self, text: str = GATE_ON) -> HomeBuilder:
        """Write config.yaml; both switches on unless given otherwise."""
        return self.write("config.yaml", text)

    def limits(self, memory: int = 2200, user: int = 1375, gate: bool = True) -> HomeBuilder:
        """Write config.yaml with these caps in characters."""
        on = str(gate).lower()
        return self.config(
            f"memory:\n  memory_char_limit: {memory}\n  user_char_limit: {user}\n"
            f"  write_approval: {on}\nskills:\n  write_approval: {on}\n"
        )

    def skill(
        self,
        name: str,
        text: str | None = None,
        *,
        category: str = "",
        files: Mapping[str, str | bytes] | None = None,
    ) -> Path:
        """Write a skill and return its folder; a correct SKILL.md unless `text` is given."""
        folder = Path("skills", category, name)
        self.write(str(folder / "SKILL.md"), skill_text(name) if text is None else text)
        for inner, data in (files or {}).items():
            self.write(str(folder / inner), data)
        return self.path / folder

    def profile(self, name: str) -> HomeBuilder:
        """A further home below `profiles/`."""
        return HomeBuilder(self.path / "profiles" / name, name)

    # staged records

    def pending(self, subsystem: str = "memory") -> Path:
        """Folder of staged records; made where missing."""
        folder = self.path / "pending" / subsystem
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def record_path(self, record_id: str, subsystem: str = "memory") -> Path:
        """Path of a staged record."""
        return self.path / "pending" / subsystem / f"{record_id}.json"

    def stage_raw(
        self, name: str, data: bytes | str, subsystem: str = "memory", modified: float = START
    ) -> Path:
        """Put any bytes into the staging folder; old enough not to be settling by default."""
        place = self.pending(subsystem) / name
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        os.utime(place, (modified, modified))
        return place

    def stage(
        self,
        payload: Any,
        *,
        subsystem: str = "memory",
        record_id: str | None = None,
        origin: str | None = "background_review",
        summary: str | None = None,
        created_at: Any = None,
        **more: Any,
    ) -> str:
        """Stage one record in Hermes' form and return its id; `more` adds or replaces keys.

        A key given as `...` is left out of the record.
        """
        self._count += 1
        made = record_id or f"{self._count:08x}"
        action = payload.get("action") if isinstance(payload, dict) else None
        record: dict[str, Any] = {
            "id": made,
            "subsystem": subsystem,
            "action": action,
            "summary": _summary(subsystem, payload) if summary is None else summary,
            "origin": origin,
            "created_at": START + 60 * self._count if created_at is None else created_at,
            "payload": payload,
        }
        record.update(more)
        kept = {key: value for key, value in record.items() if value is not ...}
        text = json.dumps(kept, ensure_ascii=False, indent=2)
        self.stage_raw(f"{made}.json", text.encode("utf-8", "surrogatepass"), subsystem)
        return made

    def stage_add(self, content: str, target: str = "memory", **more: Any) -> str:
        """Stage a single `add`."""
        return self.stage(
            {"action": "add", "target": target, "content": content, "old_text": None}, **more
        )

    def stage_replace(self, old: str, content: str, target: str = "memory", **more: Any) -> str:
        """Stage a single `replace`."""
        return self.stage(
            {"action": "replace", "target": target, "content": content, "old_text": old}, **more
        )

    def stage_remove(self, old: str, target: str = "memory", **more: Any) -> str:
        """Stage a single `remove`."""
        return self.stage(
            {"action": "remove", "target": target, "content": None, "old_text": old}, **more
        )

    def stage_batch(self, *operations: Any, target: str = "memory", **more: Any) -> str:
        """Stage a batch; operations are dictionaries (see `add`, `replace`, `remove` below)."""
        return self.stage(
            {"action": "batch", "target": target, "operations": list(operations)}, **more
        )

    def stage_skill(self, action: str, name: str, **fields: Any) -> str:
        """Stage a skill record; `record_id`, `origin`, `summary`, `created_at` pass through."""
        envelope = {
            key: fields.pop(key)
            for key in ("record_id", "origin", "summary", "created_at")
            if key in fields
        }
        fields.setdefault("replace_all", False)
        payload = {"action": action, "name": name}
        payload |= {key: fields.pop(key) for key in SKILL_FIELDS if key in fields}
        return self.stage(payload | fields, subsystem="skills", **envelope)

    # provenance

    def state_db(self, messages: Sequence[Mapping[str, Any]], wal: bool = False) -> HomeBuilder:
        """Write Hermes' session database with these messages (session, role, content, …)."""
        with closing(sqlite3.connect(self.path / "state.db")) as db:
            if wal:
                db.execute("PRAGMA journal_mode=WAL")
            db.executescript(STATE_SCHEMA)
            for number, message in enumerate(messages):
                _insert_message(db, number, message)
            db.commit()
        return self

    # proof that nothing moved

    def tree(self) -> dict[str, tuple[int, int, bytes | str | None]]:
        """Every path below the home with mode, inode and bytes; equal before and after = same."""
        return dict(_walk(self.path))


def add(content: Any) -> dict[str, Any]:
    """One `add` of a batch."""
    return {"action": "add", "content": content}


def replace(old: Any, content: Any) -> dict[str, Any]:
    """One `replace` of a batch."""
    return {"action": "replace", "old_text": old, "content": content}


def remove(old: Any) -> dict[str, Any]:
    """One `remove` of a batch."""
    return {"action": "remove", "old_text": old}


def unpack(name: str, folder: Path) -> HomeBuilder:
    """Unpack one of the two whole homes (`home-small`, `home-busy`) below `folder`."""
    with tarfile.open(HERMES / "homes" / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return HomeBuilder(folder / name)


def staged_result(record_id: str) -> str:
    """What the memory tool answers the model when a write is staged; kept in state.db."""
    return json.dumps({"success": True, "staged": True, "pending_id": record_id})


def _insert_message(db: sqlite3.Connection, number: int, message: Mapping[str, Any]) -> None:
    session = message["session"]
    at = message.get("timestamp", START + number)
    db.execute(
        "INSERT OR IGNORE INTO sessions(id, source, title, started_at) VALUES (?, ?, ?, ?)",
        (session, message.get("source", "cli"), message.get("title"), at),
    )
    db.execute(
        "INSERT INTO messages(session_id, role, content, tool_name, timestamp)"
        " VALUES (?, ?, ?, ?, ?)",
        (session, message["role"], message.get("content"), message.get("tool_name"), at),
    )


def _summary(subsystem: str, payload: Any) -> str:
    """A summary in Hermes' form, good enough for tests that do not look at it."""
    if not isinstance(payload, dict):
        return ""
    action = payload.get("action")
    if subsystem == "skills":
        return _skill_summary(action, payload)
    label = "user profile" if payload.get("target") == "user" else "memory"
    content, old = payload.get("content") or "", payload.get("old_text") or ""
    match action:
        case "add":
            return f"add to {label}: {str(content)[:120]}".strip()
        case "replace":
            return f"replace in {label}: " + f"old: {old}\nnew: {content}"[:120].strip()
        case "remove":
            return f"remove from {label}: {str(old)[:120]}".strip()
        case "batch":
            return f"apply {len(payload.get('operations') or ())} op(s) to {label}:"
        case _:
            return ""


def _skill_summary(action: Any, payload: Mapping[str, Any]) -> str:
    name, path = payload.get("name"), payload.get("file_path") or "SKILL.md"
    return {
        "create": f"create '{name}'",
        "edit": f"rewrite '{name}'",
        "patch": f"patch '{name}' {path}",
        "write_file": f"write {path} in '{name}'",
        "remove_file": f"remove {path} from '{name}'",
        "delete": f"delete skill '{name}'",
    }.get(action, "")


def _walk(root: Path) -> Iterator[tuple[str, tuple[int, int, bytes | str | None]]]:
    for folder, folders, files in os.walk(root):
        for name in sorted(folders + files):
            place = Path(folder, name)
            found = place.lstat()
            data: bytes | str | None = None
            if place.is_symlink():
                data = str(place.readlink())
            elif place.is_file():
                data = place.read_bytes() if os.access(place, os.R_OK) else None
            yield str(place.relative_to(root)), (found.st_mode, found.st_ino, data)
