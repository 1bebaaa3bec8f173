"""The editor of one text: it holds the escaped source form, with an exact way back."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea

from placet.console.actions import Place
from placet.console.keymap import bindings
from placet.console.shown import escape_source, unescape_source

MOST = 200_000
"""Characters that can be edited here; more belongs into $EDITOR."""


def too_large(text: str) -> str:
    """Why a text cannot be edited here and what to do instead; "" where it can."""
    if len(text) <= MOST:
        return ""
    return f"{len(text):,} characters are too many for this editor: press E for $EDITOR."


class EntryEditor(TextArea):
    r"""Edits one text in its source form (`\u{202E}`, `\x1b`, `\\`), byte for byte faithful.

    Esc and ctrl+s end editing; both show the diff of what was typed, neither decides. What is
    pasted or typed and must not reach a terminal arrives in its source form too.

    Args:
        text: The real text; `too_large` has said that it fits.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.EDITOR)]

    class Of(Message):
        """Base of this widget's messages; `editor` is the sender."""

        def __init__(self, editor: EntryEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> EntryEditor:
            """The editor that sent it, for `@on(..., "#id")`."""
            return self.editor

    class Saved(Of):
        """Editing ended; `text` is the real text, escapes resolved."""

        def __init__(self, editor: EntryEditor, text: str) -> None:
            super().__init__(editor)
            self.text = text

    class Cancelled(Of):
        """Editing ended and nothing had been changed."""

    class Invalid(Of):
        """The source form cannot be read back; `words` tell where. Nothing is lost."""

        def __init__(self, editor: EntryEditor, words: str) -> None:
            super().__init__(editor)
            self.words = words

    def __init__(self, text: str) -> None:
        super().__init__(escape_source(text), soft_wrap=True, tab_behavior="focus")
        self.cursor_blink = False
        self._original = text
        self._source = self.text

    def on_mount(self) -> None:
        """The cursor begins at the end of the text."""
        self.move_cursor(self.document.end)

    @property
    def changed(self) -> bool:
        """Whether the text differs from what it was when editing began."""
        return self.text != self._source

    def typed(self) -> str:
        """The real text as it stands now; that of an untouched editor is the very same.

        Raises:
            ValueError: The source form cannot be read back; the text tells where.
        """
        return unescape_source(self.text) if self.changed else self._original

    def action_editor_save(self) -> None:
        """End editing; the screen shows the diff of what was typed."""
        if not self.changed:
            self.post_message(self.Cancelled(self))
            return
        try:
            text = self.typed()
        except ValueError as error:
            self.post_message(self.Invalid(self, str(error)))
        else:
            self.post_message(self.Saved(self, text))

    def action_editor_close(self) -> None:
        """End editing; the screen shows the diff of what was typed."""
        self.action_editor_save()

    async def _on_paste(self, event: events.Paste) -> None:
        """Take what is pasted literally: its backslashes are text, its controls become escapes."""
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.replace(escape_source(text), *self.selection)

    async def _on_key(self, event: events.Key) -> None:
        """Put a typed character that must not be drawn into its source form."""
        character = event.character
        if not event.is_printable or character is None or character == "\\":
            return
        escaped = escape_source(character)
        if escaped != character:
            event.prevent_default()
            event.stop()
            self.replace(escaped, *self.selection)
