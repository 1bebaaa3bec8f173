"""Memory: every entry of every target, with its meter and its problems; edit, add, delete."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from placet.console.actions import Place
from placet.console.keymap import bindings
from placet.console.memory_files import MemoryFile
from placet.console.pages import side_docs
from placet.console.pages.cells import Cell, Cells, Look, shown_cells, spread
from placet.console.pages.lines import DiffDoc
from placet.console.pages.list_rows import entry_cells
from placet.console.pages.side_docs import Quoted
from placet.console.pages.sides import hex_rows, side
from placet.console.phrases.amounts import counted
from placet.console.phrases.memory import filled
from placet.console.phrases.targets import file_name
from placet.console.screens.editor import Edit
from placet.console.screens.listing import ListingRoom
from placet.console.screens.review import ReviewScreen, changes_nothing, own_change
from placet.console.screens.taking_back import undo_newest
from placet.console.widgets.line_list import GroupedList, ListRow
from placet.console.widgets.meters import usage_cells
from placet.store.model import Plan, Proposal, Target, TargetKind, Usage
from placet.store.plan import inverse


@dataclass(frozen=True, slots=True)
class FileKey:
    """Key of a file's header row."""

    home: str
    target: Target

    @property
    def name(self) -> str:
        """Name of its group in the list."""
        return f"{self.home}/{self.target}"


@dataclass(frozen=True, slots=True)
class EntryKey:
    """Key of one entry: its place among equal entries tells it apart."""

    file: FileKey
    text: str
    copy: int = 0


class MemoryScreen(ListingRoom):
    """Entries by file."""

    place: ClassVar[Place] = Place.MEMORY
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.MEMORY)]

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[FileKey, MemoryFile] = {}

    def board_changed(self) -> None:
        """Read the files again; they are small."""
        super().board_changed()
        if self.prepared:
            self.placet.read("reading memory", lambda reader: reader.memory(), self._read)

    def list_widget(self) -> Widget:
        """The list, each file a group of its entries."""
        return GroupedList(id="list", ascii_only=self.placet.ascii_only)

    def _read(self, files: tuple[MemoryFile, ...]) -> None:
        if not self.prepared:
            return
        moved = self._moved({FileKey(f.home.label, f.target): f for f in files})
        rows: list[ListRow] = []
        for key, file in self.files.items():
            rows += self._rows(key, file)
        entries = sum(len(file.entries) for file in files)
        find = f" · / {self.needle}" if self.needle else ""
        closed = sum(not file.readable for file in files)
        more = f" · {counted(closed, 'unreadable file')}" if closed else ""
        self.set_rows(rows, f"{counted(entries, 'entry', 'entries')}{more}{find}")
        if moved is not None:
            self.list.move_to(moved)

    def _moved(self, files: dict[FileKey, MemoryFile]) -> EntryKey | None:
        """Take in the files; what the entry under the cursor became, where its text is another."""
        before, self.files = self.files, files
        key = self.subject
        if not isinstance(key, EntryKey) or key.file not in before or key.file not in files:
            return None
        old, new = before[key.file].entries, files[key.file].entries
        places = [number for number, text in enumerate(old) if text == key.text]
        if len(old) != len(new) or key.copy >= len(places):
            return None
        text = new[places[key.copy]]
        return EntryKey(key.file, text, new[: places[key.copy]].count(text))

    def _rows(self, key: FileKey, file: MemoryFile) -> list[ListRow]:
        ascii_only = self.placet.ascii_only
        rows = [ListRow(key, partial(self._header, file), key.name, header=True)]
        copies: dict[str, int] = {}
        for number, text in enumerate(file.entries, 1):
            copy = copies[text] = copies.get(text, -1) + 1
            if self.holds(text, str(file.target)):
                drawn = entry_cells(text, number, ascii_only=ascii_only)
                rows.append(ListRow(EntryKey(key, text, copy), drawn, key.name))
        return rows

    def _header(self, file: MemoryFile, width: int) -> Cells:
        ascii_only = self.placet.ascii_only
        home = f"{file.home.label}: " if len(self.placet.board.homes) > 1 else ""
        name = f"{home}{file_name(file.target)}"
        if not file.readable:
            left: Cells = shown_cells(name, Look.STRONG, ascii_only=ascii_only)
        elif file.limit:
            usage = Usage(file.size, file.size, file.limit)
            left = usage_cells(name, usage, ascii_only=ascii_only)
        else:
            left = (*shown_cells(name, Look.STRONG), Cell(f"  {file.size:,} characters"))
        state = shown_cells(_state(file), Look.WARNING, ascii_only=ascii_only)
        return spread(left, state, max(width - 1, 0))

    def document_of(self, key: Hashable) -> DiffDoc | None:
        """A file's state, or one entry in full."""
        file = key.file if isinstance(key, EntryKey) else key
        name = file_name(file.target) if isinstance(file, FileKey) else ""
        self.set_title(self.query_one("#diff-pane"), name)
        if isinstance(key, FileKey) and key in self.files:
            return _file_doc(self.files[key])
        if isinstance(key, EntryKey):
            return side_docs.words_doc(f"{key}", [Quoted(key.text, Look.CONTEXT)])
        return None

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The keys that act on the row under the cursor."""
        idle = self._idle_keys() if self.editing is None else frozenset[str]()
        return [key for key in super().footer_keys() if key[0] not in idle]

    def _idle_keys(self) -> frozenset[str]:
        """Actions of the footer that have nothing to act on."""
        key = self.subject
        file = key.file if isinstance(key, EntryKey) else key
        soul = isinstance(file, FileKey) and file.target.kind is TargetKind.SOUL
        can = {
            "batch.edit": isinstance(key, EntryKey) or soul,
            "entry.delete": isinstance(key, EntryKey) and not soul,
            "entry.new": isinstance(file, FileKey) and not soul,
            "decision.undo": bool(self.placet.board.made),
        }
        return frozenset(name for name, acts in can.items() if not acts)

    # changing

    def edit_of(self) -> Edit | None:
        """The entry under the cursor; SOUL.md as a whole."""
        key = self.subject
        if isinstance(key, FileKey) and key.target.kind is TargetKind.SOUL:
            file = self.files[key]
            key = EntryKey(key, file.entries[0] if file.entries else "")
        if not isinstance(key, EntryKey):
            self.say("put the cursor on an entry; o writes a new one", warning=True)
            return None
        return Edit("an entry", key.text, partial(self._change, key.file, key.text))

    def action_entry_new(self) -> None:
        """Write a new entry into the file under the cursor."""
        key = self.subject
        file = key.file if isinstance(key, EntryKey) else key
        if not isinstance(file, FileKey):
            self.say("nothing to write into: put the cursor on a file", warning=True)
            return
        if file.target.kind is TargetKind.SOUL:
            self.say("SOUL.md is one text: e edits it", warning=True)
            return
        self.begin_edit(Edit("a new entry", "", partial(self._change, file, None)))

    def action_entry_delete(self) -> None:
        """Show what deleting the entry would change."""
        key = self.subject
        if not isinstance(key, EntryKey) or key.file.target.kind is TargetKind.SOUL:
            self.say("put the cursor on an entry of MEMORY.md or USER.md", warning=True)
            return
        self._change(key.file, key.text, None)

    def _change(self, file: FileKey, old: str | None, new: str | None) -> None:
        """Plan a change of the person's own and open its diff."""
        home = self.placet.board.home(file.home)
        if new is not None and not new.strip() and old is None:
            self.say("an empty entry is no entry", warning=True)
            return
        self._open(file.home, inverse.edit_entry(home, file.target, old, new))

    def _open(self, home: str, proposal: Proposal) -> None:
        def planned(plan: Plan) -> None:
            if changes_nothing(plan):
                self.say(f"{file_name(proposal.target)} is already normal")
            else:
                self.placet.push_screen(ReviewScreen(own_change(home, plan)))

        self.placet.read("planning", lambda reader: reader.plan(proposal), planned)

    def action_target_normalise(self) -> None:
        """Show what re-joining the file's own entries would change."""
        key = self.subject
        file = key.file if isinstance(key, EntryKey) else key
        if not isinstance(file, FileKey) or file.target.kind is TargetKind.SOUL:
            self.say("= is for MEMORY.md and USER.md: put the cursor there", warning=True)
            return
        home = self.placet.board.home(file.home)
        self._open(file.home, inverse.normalise(home, file.target))

    def action_entry_blame(self) -> None:
        """Say which decision wrote the entry."""
        key = self.subject
        if not isinstance(key, EntryKey):
            self.say("nothing to ask about: put the cursor on an entry", warning=True)
            return
        home = self.placet.board.home(key.file.home)
        target = str(key.file.target)
        self.placet.read(
            "looking for its decision",
            lambda reader: reader.blame(home, target, key.text),
            self._blamed,
        )

    def _blamed(self, words: str) -> None:
        self.say(words or "no decision of placet wrote this entry")

    def action_decision_undo(self) -> None:
        """Take back this session's newest decision."""
        undo_newest(self)


def _state(file: MemoryFile) -> str:
    if not file.exists:
        return " absent"
    if not file.readable:
        return " unreadable"
    if file.drift:
        return " drift: = normalises"
    return f" {file.problem}" if file.problem else ""


def _raw(data: bytes) -> str:
    """Bytes that are no text: what of them is text, the others as badges; else hexadecimal."""
    found = side(data)
    return "\n".join(hex_rows(data)) if found.text is None else found.text


def _file_doc(file: MemoryFile) -> DiffDoc:
    paragraphs: list[tuple[str, Look] | Quoted] = [
        (f"{file_name(file.target)} of home {file.home.label}", Look.HEADING)
    ]
    paragraphs.append((str(file.home.file(file.target)), Look.DIM))
    if not file.exists:
        paragraphs.append(("It does not exist yet; o writes its first entry.", Look.CONTEXT))
    if file.problem:
        paragraphs.append((file.problem, Look.WARNING))
    if not file.readable:
        words = "Unreadable is not empty: nothing is written to it until it can be read."
        paragraphs.append((words, Look.WARNING))
    if file.drift:
        paragraphs.append((file.drift, Look.WARNING))
        words = "Hermes refuses every write until it is normalised; = shows what that changes."
        paragraphs.append((words, Look.CONTEXT))
    if file.limit and file.readable:
        paragraphs.append((filled(file), Look.CONTEXT))
    if not file.readable and file.state.data is not None:
        paragraphs += [
            ("its bytes as they are", Look.HEADING),
            Quoted(_raw(file.state.data), Look.CONTEXT),
        ]
    if file.target.kind is TargetKind.SOUL and file.entries:
        paragraphs += [("", Look.CONTEXT), Quoted(file.entries[0], Look.CONTEXT)]
    return side_docs.words_doc(repr(paragraphs), paragraphs)
