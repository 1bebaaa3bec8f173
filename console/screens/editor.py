"""Editing in place, or in the person's own editor, with the diff of what was typed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.content import Content

from placet.console.actions import Place
from placet.console.keymap import footer
from placet.console.screens.judging import JudgingRoom
from placet.store.errors import PlacetError

if TYPE_CHECKING:
    from placet.console.external_editor import Editor
    from placet.console.widgets.entry_editor import EntryEditor


@dataclass(frozen=True, slots=True)
class Edit:
    """One text that is being edited.

    Attributes:
        name: What it is, for the title.
        text: The real text as it was.
        save: Is given the text that was typed.
    """

    name: str
    text: str
    save: Callable[[str], None]


class EditingRoom(JudgingRoom):
    """A judging screen whose pane can hold an editor instead of the diff.

    Attributes:
        editing: What is being edited here, or None.
        pad: The editor, there while something is edited here.
        open_editor: Opens the person's own editor; None: $VISUAL or $EDITOR.
    """

    editing: Edit | None = None
    pad: EntryEditor | None = None
    open_editor: Editor | None = None

    def edit_of(self) -> Edit | None:
        """What `e` edits now; where nothing can be edited, the reason has been said."""
        raise NotImplementedError

    def action_batch_edit(self) -> None:
        """Edit here."""
        edit = self.edit_of()
        if edit is not None:
            self.begin_edit(edit)

    def begin_edit(self, edit: Edit) -> None:
        """Put an editor with a text in the place of the diff, with both panes in sight."""
        from placet.console.widgets.entry_editor import EntryEditor, too_large

        reason = too_large(edit.text)
        if reason:
            self.say(reason, warning=True)
            return
        self.unzoom()
        self.editing, self.pad = edit, EntryEditor(edit.text)
        self.diff.display = False
        self.query_one("#diff-pane").mount(self.pad)
        self.set_focus(self.pad)
        self.draw_keys()
        self.say(f"editing {edit.name}: esc shows the diff of what you typed, nothing is saved yet")

    def _end_edit(self) -> Edit | None:
        """Put the diff in the place of the editor; returns what was edited."""
        edit, pad = self.editing, self.pad
        self.editing = self.pad = None
        if pad is not None:
            pad.remove()
        self.unzoom()
        self.diff.display = True
        self.diff.focus()
        self.draw_keys()
        return edit

    def on_entry_editor_saved(self, message: EntryEditor.Saved) -> None:
        """Editing ended with another text."""
        message.stop()
        edit = self._end_edit()
        if edit is not None:
            self.say("this is the diff of what you typed · e goes on · a or A approves · esc drops")
            edit.save(message.text)

    def on_entry_editor_cancelled(self, message: EntryEditor.Cancelled) -> None:
        """Editing ended without a change."""
        message.stop()
        self._end_edit()
        self.say("nothing was typed")

    def on_entry_editor_invalid(self, message: EntryEditor.Invalid) -> None:
        """The escaped form cannot be read back; the editor stays open."""
        message.stop()
        self.say(message.words, warning=True)

    def action_batch_edit_external(self) -> None:
        """Edit in the person's own editor."""
        from placet.console.external_editor import draft, editor, typed

        edit = self.edit_of()
        if edit is None:
            return
        try:
            with self.placet.suspend(), draft(edit.text, "text.md") as file:
                text = typed(file, self.open_editor or editor(self.placet.env))
        except SuspendNotSupported:
            self.say("$EDITOR cannot be opened on this terminal; e edits here", warning=True)
        except PlacetError as error:
            self.say(str(error), warning=True)
        else:
            self._typed_outside(edit, text)

    def _typed_outside(self, edit: Edit, text: str) -> None:
        if text == edit.text:
            self.say("nothing was typed")
            return
        self.say("this is the diff of what you typed · e goes on · a or A approves · esc drops")
        edit.save(text)

    # leaving

    @property
    def typing(self) -> bool:
        """Whether keys are text now."""
        return self.pad is not None or self.finder is not None

    def unsaved(self) -> bool:
        """Whether something typed would be lost."""
        return self.pad is not None and self.pad.changed

    def ask(
        self, title: str, words: str, yes: str, answered: Callable[[bool | None], None]
    ) -> None:
        """Ask a question that only the letters y and n answer."""
        from placet.console.screens.dialogs import AskDialog

        dialog = AskDialog(self.placet.session.clock, [Content(words)], title, yes, "go on")
        self.placet.push_screen(dialog, answered)

    def drop_edit(self) -> bool:
        """Ask before an edit is dropped; False where there is none."""
        return False

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The editor's keys while it is open."""
        if self.editing is not None:
            return footer(Place.EDITOR, self.placet.board.keys)[:2]
        return super().footer_keys()
