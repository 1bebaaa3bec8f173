"""Small dialogs: a reason, a typed word, both for a vouch, a question, and texts to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from placet.console.board import Reason
from placet.console.session import TYPING, TypedWord
from placet.console.shown import plain, show, spoken

_LINE_ENDS = re.compile(r"\r\n|\r|\n")

Clock = Callable[[], float]
Result = TypeVar("Result")


def without_controls(text: str) -> str:
    """What was typed or pasted, with everything that must not reach a terminal made visible."""
    pieces = show(text.replace("\t", " "))
    return "".join(p.text if p.suspect else text[p.start : p.end] for p in pieces)


class Field(Input):
    """One line to type in; what cannot be shown raw is put in as its visible form.

    Args:
        clock: Monotonic seconds.
        word: The word that it wants, typed; empty where any text will do.
        hint: Shown dimmed while the field is empty.
        name: Id of the widget, or empty.
    """

    def __init__(self, clock: Clock, *, word: str = "", hint: str = "", name: str = "") -> None:
        super().__init__(placeholder=plain(hint), select_on_focus=False, id=name or None)
        self.cursor_blink = False
        self.clock = clock
        self._last = float("-inf")
        self._swift = False
        self.typed = TypedWord(plain(word), clock) if word else None

    def insert(self, text: str, index: int) -> None:
        """Insert text in its visible form."""
        super().insert(without_controls(text), index)

    def watch_value(self, value: str) -> None:
        """Tell the word what the field holds."""
        if self.typed is not None:
            self.typed.changed(value)

    async def _on_key(self, event: events.Key) -> None:
        now = self.clock()
        self._swift = now - self._last < TYPING
        self._last = now
        await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if self.typed is None:
            # the framework would keep the first line alone
            self.insert(" ".join(_LINE_ENDS.split(event.text)), self.cursor_position)
            return
        self.typed.paste()
        self.post_message(Refused("A pasted word does not count: type it."))

    async def action_submit(self) -> None:
        """Submit, unless the key came in the same breath as the one before, as in a paste."""
        words = self.typed.why_not() if self.typed is not None else ""
        if self._swift:
            words = words or "That came all at once, like a paste: press enter again."
        if words:
            self.post_message(Refused(f"Nothing was decided: {words}"))
            return
        await super().action_submit()


class Labelled(Horizontal):
    """A field with its name before it, which stays while something is typed.

    Args:
        label: What is typed there.
        field: The field.
    """

    DEFAULT_CSS = """
    Labelled { height: auto; margin: 1 0 0 0; }
    Labelled > Static { width: auto; padding: 0 1 0 0; text-style: bold; }
    Labelled > Field, Labelled > Field:focus { width: 1fr; }
    """

    def __init__(self, label: str, field: Field) -> None:
        super().__init__(Static(Content(label), markup=False), field)


class Refused(Message):
    """What was typed does not do.

    Attributes:
        words: Why.
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Dialog(ModalScreen[Result | None], Generic[Result]):
    """A box in the middle of the screen with a title, a body and a line of keys."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > Vertical {
        width: 76; max-width: 96%; height: auto; max-height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
        border-title-color: $text; border-title-style: bold;
    }
    Dialog .body { height: auto; max-height: 16; }
    Dialog .body Static { height: auto; }
    Dialog Field, Dialog Field:focus { height: 1; border: none; padding: 0 1; }
    Dialog Field { background: $panel; }
    Dialog Field:focus { background: $look-cursor; color: $look-cursor-ink; }
    Dialog .note { color: $warning; height: auto; }
    Dialog .keys { color: $text-muted; margin: 1 0 0 0; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", show=False, id="dialog.back")
    ]

    title_words = ""
    keys_words = "enter: done · esc: back"

    def __init__(self, clock: Clock, body: Sequence[Content]) -> None:
        super().__init__()
        self.clock = clock
        self.body = tuple(body)

    def compose(self) -> ComposeResult:
        """The box."""
        box = Vertical()
        box.border_title = Content(self._drawn(self.title_words))
        with box:
            with VerticalScroll(classes="body", can_focus=False):
                for line in self.body:
                    yield Static(self._line(line), markup=False)
            yield from self.fields()
            yield Static(Content(""), classes="note", markup=False)
            yield Static(Content(self._drawn(self.keys_words)), classes="keys", markup=False)

    @property
    def _ascii(self) -> bool:
        return bool(getattr(self.app, "ascii_only", False))  # pyright: ignore

    def _drawn(self, words: str) -> str:
        return spoken(words, ascii=self._ascii)

    def _line(self, line: Content) -> Content:
        text = "\n".join(self._drawn(part) for part in line.plain.split("\n"))
        return Content.styled(text, line.spans[0].style if line.spans else "")

    def fields(self) -> ComposeResult:
        """What is typed into."""
        yield from ()

    def note(self, words: str) -> None:
        """Say why what was typed does not do."""
        self.query_one(".note", Static).update(Content(self._drawn(words)))

    def on_refused(self, message: Refused) -> None:
        """What was typed does not do: say why."""
        message.stop()
        self.note(message.words)

    def action_back(self) -> None:
        """Leave without deciding."""
        self.dismiss(None)


BOUNDS = (0, 30, 180)
"""How long a refusal may hold, in days; 0 for ever."""


class ReasonDialog(Dialog[Reason]):
    """Asks for the reason of a refusal; Enter submits, for a batch tab picks "each"."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "each", "refuse each", show=False, priority=True, id="dialog.each"),
        Binding("down", "bound", "for how long", show=False, id="dialog.bound"),
        Binding("up", "recall", "earlier reason", show=False, id="dialog.recall"),
    ]

    def __init__(
        self,
        clock: Clock,
        body: Sequence[Content],
        *,
        title: str = "Refuse, with a reason",
        operations: int = 1,
        earlier: Sequence[str] = (),
    ) -> None:
        super().__init__(clock, body)
        self.title_words = title
        self.operations = operations
        self.earlier = list(earlier)
        self.each = False
        self.days = 0
        tab = " · tab: the batch or each operation" if operations > 1 else ""
        up = " · ↑ earlier reasons" if earlier else ""
        self.keys_words = f"enter: {title.split(',')[0].lower()}{tab}{up} · esc: back"

    def fields(self) -> ComposeResult:
        """The reason, and what exactly is refused."""
        yield Labelled("Reason:", Field(self.clock, hint="may be empty", name="reason"))
        yield Static(self._bound_words(), id="bound", markup=False)
        if self.operations > 1:
            yield Static(self._each_words(), id="each", markup=False)

    def _bound_words(self) -> Content:
        held = f"for {self.days} days" if self.days else "for ever"
        return Content(self._drawn(f"refused {held} · ↓ 30 or 180 days, for ever"))

    def action_bound(self) -> None:
        """Change how long the refusal holds."""
        self.days = BOUNDS[(BOUNDS.index(self.days) + 1) % len(BOUNDS)]
        self.query_one("#bound", Static).update(self._bound_words())

    def _each_words(self) -> Content:
        if self.each:
            return Content(f"[x] refuse each of the {self.operations} operations by itself")
        return Content(f"[ ] refuse the batch of {self.operations} as one (tab: each by itself)")

    def action_each(self) -> None:
        """Change between the batch as one and each operation by itself."""
        if self.operations > 1:
            self.each = not self.each
            self.query_one("#each", Static).update(self._each_words())

    def action_recall(self) -> None:
        """Put the next earlier reason into the field."""
        if self.earlier:
            self.earlier.append(self.earlier.pop(0))
            self.query_one("#reason", Field).value = self.earlier[-1]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter gives the reason."""
        event.stop()
        self.dismiss(Reason(event.value.strip(), self.each, self.days))


class WordDialog(Dialog[str]):
    """Asks for one word, which counts only as typed."""

    title_words = "Type the word"

    def __init__(self, clock: Clock, body: Sequence[Content], word: str, title: str) -> None:
        super().__init__(clock, body)
        self.word = word
        self.title_words = title
        self.keys_words = f"type {word} and press enter · esc: back"

    def fields(self) -> ComposeResult:
        """The word."""
        yield Labelled("Word:", Field(self.clock, word=self.word, hint=self.word, name="word"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter counts once the word is right."""
        event.stop()
        self.dismiss(self.word)


class VouchDialog(Dialog[str]):
    """Asks for a reason and the typed word `vouch`; answers with the reason."""

    title_words = "Vouch for this exact text"
    keys_words = "tab: next field · type vouch and press enter · esc: back"

    def fields(self) -> ComposeResult:
        """The reason, then the word."""
        hint = "why this text is fine"
        yield Labelled("Reason:", Field(self.clock, hint=hint, name="reason"))
        yield Labelled("Word:", Field(self.clock, word="vouch", hint="vouch", name="word"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes from the reason to the word, and from the right word on."""
        event.stop()
        reason = self.query_one("#reason", Field).value.strip()
        word = self.query_one("#word", Field)
        if event.input.id == "reason":
            word.focus()
        elif not reason:
            self.note("Nothing was decided: say why this text is fine.")
            self.query_one("#reason", Field).focus()
        else:
            self.dismiss(reason)


class AskDialog(Dialog[bool]):
    """A question with two answers; only the letters answer, Enter does not, q goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "yes", show=False, id="dialog.yes"),
        Binding("n", "no", "no", show=False, id="dialog.no"),
        Binding("q", "back", "back", show=False, id="dialog.leave"),
    ]
    title_words = "Sure?"

    def __init__(
        self, clock: Clock, body: Sequence[Content], title: str, yes: str, no: str
    ) -> None:
        super().__init__(clock, body)
        self.title_words = title
        self.keys_words = f"y: {yes} · n or esc: {no}"

    def action_yes(self) -> None:
        """Yes."""
        self.dismiss(True)

    def action_no(self) -> None:
        """No."""
        self.dismiss(False)


class TextsDialog(Dialog[None]):
    """Texts to read in full, such as the three sides of a conflict or the body of an event."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,enter", "back", "back", show=False, id="dialog.close"),
        Binding("j,down", "scroll(1)", "down", show=False, id="dialog.down"),
        Binding("k,up", "scroll(-1)", "up", show=False, id="dialog.up"),
        Binding("pagedown,space", "scroll(10)", "page", show=False, id="dialog.page_down"),
        Binding("pageup", "scroll(-10)", "page", show=False, id="dialog.page_up"),
    ]
    DEFAULT_CSS = """
    TextsDialog > Vertical { width: 96%; }
    TextsDialog .body { max-height: 80%; }
    """
    keys_words = "j k scroll · esc: back"

    def __init__(self, clock: Clock, body: Sequence[Content], title: str) -> None:
        super().__init__(clock, body)
        self.title_words = title

    def action_scroll(self, rows: int) -> None:
        """Scroll the body by some rows."""
        body = self.query_one(".body", VerticalScroll)
        body.scroll_relative(y=rows, animate=False)
