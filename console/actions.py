"""The one registry of what can be done: ids, keys, words, and where each is at hand.

Bindings, footer, palette, help and docs/keys.md are made from it (see `keymap`). The method behind
`batch.approve` is `action_batch_approve`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    """Where an action is at hand: everywhere, on one screen, or in one kind of widget."""

    APP = "everywhere"
    QUEUE = "Queue"
    MEMORY = "Memory"
    AUDIT = "Audit"
    REFUSALS = "Refusals"
    CHECK = "Check"
    REVIEW = "in a review"
    LIST = "in lists"
    GROUPS = "in lists with groups"
    DIFF = "in the diff"
    EDITOR = "in the editor"


class Group(StrEnum):
    """Headings of the help and of docs/keys.md, in their order."""

    DECIDE = "Decide"
    OPERATIONS = "Operations"
    MOVE = "Move"
    LOOK = "Look"
    MEMORY = "Memory"
    LOG = "Log"
    SCREENS = "Screens"
    PROGRAM = "Program"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done.

    Attributes:
        id: Stable name, used in the person's key map: `batch.approve`.
        keys: Its keys, characters or Textual's key names; the first one is shown.
        short: One or two words for the footer.
        words: One sentence for palette, help and docs.
        group: Heading it stands under.
        places: Where it is at hand.
        footer: Rank in the footer from the left, 0 where it is not shown there.
    """

    id: str
    keys: tuple[str, ...]
    short: str
    words: str
    group: Group
    places: frozenset[Place]
    footer: int = 0

    @property
    def method(self) -> str:
        """Name of the Textual action; the method is `action_<method>`."""
        return self.id.replace(".", "_")


def _action(
    name: str,
    keys: str,
    short: str,
    words: str,
    group: Group,
    *places: Place,
    footer: int = 0,
) -> Action:
    return Action(name, tuple(keys.split()), short, words, group, frozenset(places), footer)


_Q, _M, _A, _R, _C = Place.QUEUE, Place.MEMORY, Place.AUDIT, Place.REFUSALS, Place.CHECK
_V = Place.REVIEW
_LISTS = (_Q, _M, _A, _R)
"""Screens of two panes: a list, and a document about the row under its cursor."""
_DOCS = (*_LISTS, _C, _V)
"""Screens with a document to read."""
_ROWS = (Place.LIST, Place.DIFF)
"""Whatever has rows to move over."""
_CHANGES = (_Q, _A, _V)
"""Screens whose document is the change of a text."""

INSIDE: dict[Place, tuple[Place, ...]] = {
    _Q: (Place.LIST, Place.GROUPS, Place.DIFF, Place.EDITOR),
    _M: (Place.LIST, Place.GROUPS, Place.DIFF, Place.EDITOR),
    _A: (Place.LIST, Place.DIFF),
    _R: (Place.LIST, Place.DIFF),
    _C: (Place.DIFF,),
    _V: (Place.DIFF, Place.EDITOR),
}
"""The screens, and the kinds of widgets that stand in each."""

ACTIONS: tuple[Action, ...] = (
    # decide
    _action(
        "batch.approve",
        "a",
        "approve",
        "Approve what is shown; with unseen rows go to the first one; keep an ungated change.",
        Group.DECIDE,
        _Q,
        _V,
        footer=10,
    ),
    _action(
        "batch.approve_flagged",
        "A",
        "approve flagged",
        "Approve although something is flagged; high impact then asks for a typed word.",
        Group.DECIDE,
        _Q,
        _V,
        footer=11,
    ),
    _action(
        "batch.reject",
        "r",
        "refuse",
        "Refuse the value, so that it does not come back; open the revert of an ungated change.",
        Group.DECIDE,
        _Q,
        footer=12,
    ),
    _action(
        "batch.reject_reason",
        "R",
        "reason",
        "Refuse with a reason, a bound in time, or each operation on its own.",
        Group.DECIDE,
        _Q,
        footer=13,
    ),
    _action(
        "batch.edit",
        "e",
        "edit",
        "Edit the operation or the entry here; esc shows the diff of what was typed.",
        Group.DECIDE,
        _Q,
        _M,
        _V,
        footer=14,
    ),
    _action(
        "batch.edit_external",
        "E",
        "$EDITOR",
        "Edit the operation or the entry in $EDITOR.",
        Group.DECIDE,
        _Q,
        _M,
        _V,
    ),
    _action(
        "batch.discard",
        "d",
        "discard",
        "Take a dead or malformed record, or a whole group of them, out of the queue.",
        Group.DECIDE,
        _Q,
        footer=16,
    ),
    _action(
        "decision.undo",
        "u z",
        "undo",
        "Undo this session's newest decision, or the one under the cursor in Audit; put back.",
        Group.DECIDE,
        _Q,
        _M,
        _A,
        _R,
        footer=30,
    ),
    _action(
        "target.normalise",
        "=",
        "normalise",
        "Show what re-joining a drifted file's own entries would change.",
        Group.DECIDE,
        _Q,
        _M,
    ),
    _action(
        "refusal.lift",
        "l",
        "lift",
        "Lift a refusal, so that the text may be proposed again.",
        Group.DECIDE,
        _R,
        footer=15,
    ),
    # operations
    _action(
        "op.toggle",
        "space",
        "in/out",
        "Put the operation under the cursor in or leave it out.",
        Group.OPERATIONS,
        _Q,
        footer=15,
    ),
    _action("op.all", "+", "all", "Put every operation in.", Group.OPERATIONS, _Q),
    _action("op.none", "-", "none", "Leave every operation out.", Group.OPERATIONS, _Q),
    _action(
        "op.open",
        "enter",
        "open",
        "Go to the diff, unfold a group, or open the recorded diff; it never decides.",
        Group.OPERATIONS,
        Place.LIST,
    ),
    # move
    _action("item.next", "j down", "next", "Next row.", Group.MOVE, *_ROWS),
    _action("item.prev", "k up", "previous", "Previous row.", Group.MOVE, *_ROWS),
    _action("item.first", "g home", "first", "First row.", Group.MOVE, *_ROWS),
    _action(
        "item.last",
        "G end",
        "last",
        "Last row; in Audit it follows the log again.",
        Group.MOVE,
        *_ROWS,
    ),
    _action("item.page_down", "pagedown", "page down", "One page down.", Group.MOVE, *_ROWS),
    _action("item.page_up", "pageup", "page up", "One page up.", Group.MOVE, *_ROWS),
    _action("diff.down", "J", "scroll", "Scroll the diff down.", Group.MOVE, *_DOCS),
    _action("diff.up", "K", "scroll", "Scroll the diff up.", Group.MOVE, *_DOCS),
    _action(
        "diff.half_down",
        "ctrl+d",
        "half page",
        "Scroll the diff half a page down.",
        Group.MOVE,
        *_DOCS,
    ),
    _action(
        "diff.half_up",
        "ctrl+u",
        "half page",
        "Scroll the diff half a page up.",
        Group.MOVE,
        *_DOCS,
    ),
    _action(
        "diff.left",
        "H",
        "left",
        "Move the diff's window left, with wrapping off.",
        Group.MOVE,
        *_DOCS,
    ),
    _action(
        "diff.right",
        "L",
        "right",
        "Move the diff's window right, with wrapping off.",
        Group.MOVE,
        *_DOCS,
    ),
    _action(
        "hunk.next",
        "]",
        "change",
        "Next change or operation.",
        Group.MOVE,
        *_CHANGES,
        footer=20,
    ),
    _action("hunk.prev", "[", "change", "Previous change or operation.", Group.MOVE, *_CHANGES),
    _action("pane.next", "tab", "pane", "Next pane.", Group.MOVE, *_LISTS),
    _action("pane.prev", "shift+tab", "pane", "Previous pane.", Group.MOVE, *_LISTS),
    _action("group.unfold", "right", "unfold", "Unfold the group.", Group.MOVE, Place.GROUPS),
    _action("group.fold", "left", "fold", "Fold the group.", Group.MOVE, Place.GROUPS),
    # look
    _action(
        "search.open",
        "/",
        "find",
        "Filter the list; with the text in focus, search there.",
        Group.LOOK,
        *_DOCS,
        footer=25,
    ),
    _action("search.next", "n", "next match", "Next match.", Group.LOOK, *_DOCS),
    _action("search.prev", "N", "previous match", "Previous match.", Group.LOOK, *_DOCS),
    _action(
        "view.context",
        "c",
        "context",
        "Show the whole file, or the change with the lines around it.",
        Group.LOOK,
        _Q,
        _V,
    ),
    _action("view.wrap", "w", "wrap", "Wrap long lines, or not.", Group.LOOK, *_DOCS),
    _action(
        "view.invisibles",
        "i",
        "invisibles",
        "Show every blank and joiner of the texts too; hidden characters always show.",
        Group.LOOK,
        *_DOCS,
    ),
    _action("pane.zoom", "f", "zoom", "Give the pane the whole screen.", Group.LOOK, *_LISTS),
    _action("list.sort", "o", "sort", "Order the list by age or by impact.", Group.LOOK, _Q),
    _action("copy.shown", "y", "copy", "Copy the text as it is shown.", Group.LOOK, *_DOCS),
    _action(
        "copy.raw",
        "Y",
        "copy raw",
        "Copy the raw text, hidden characters included.",
        Group.LOOK,
        *_DOCS,
    ),
    # memory
    _action(
        "entry.new",
        "o",
        "new",
        "Write a new entry; it takes the same road as a proposal.",
        Group.MEMORY,
        _M,
        footer=15,
    ),
    _action(
        "entry.delete",
        "D",
        "delete",
        "Show what deleting the entry would change.",
        Group.MEMORY,
        _M,
        footer=16,
    ),
    _action("entry.blame", "b", "blame", "Say which decision wrote the entry.", Group.MEMORY, _M),
    _action(
        "editor.save",
        "ctrl+s",
        "end editing",
        "End editing and show the diff of what was typed.",
        Group.MEMORY,
        Place.EDITOR,
        footer=11,
    ),
    _action(
        "editor.close",
        "escape",
        "show the change",
        "End editing and show the diff of what was typed.",
        Group.MEMORY,
        Place.EDITOR,
        footer=10,
    ),
    # log
    _action(
        "audit.follow",
        "F",
        "follow",
        "Follow the log; any scrolling stops it.",
        Group.LOG,
        _A,
        footer=10,
    ),
    _action(
        "audit.verify",
        "V",
        "verify",
        "Verify chain, anchor and files.",
        Group.LOG,
        _A,
        _C,
        footer=12,
    ),
    # screens
    _action("screen.queue", "1", "Queue", "What waits.", Group.SCREENS, Place.APP),
    _action(
        "screen.memory", "2", "Memory", "Every entry of every target.", Group.SCREENS, Place.APP
    ),
    _action("screen.audit", "3", "Audit", "The log.", Group.SCREENS, Place.APP),
    _action(
        "screen.refusals",
        "4",
        "Refusals",
        "What was refused, and what hit it.",
        Group.SCREENS,
        Place.APP,
    ),
    _action(
        "screen.check", "5", "Check", "What is well and what is not.", Group.SCREENS, Place.APP
    ),
    # program
    _action(
        "help.toggle",
        "? f1",
        "help",
        "The keys of this screen, then those of the others.",
        Group.PROGRAM,
        Place.APP,
        footer=80,
    ),
    _action(
        "palette.open",
        "ctrl+p :",
        "commands",
        "Find a command by its name.",
        Group.PROGRAM,
        Place.APP,
    ),
    _action(
        "app.back",
        "escape",
        "back",
        "Step back: close, clear the search, unzoom, go to the list; it never quits.",
        Group.PROGRAM,
        Place.APP,
    ),
    _action(
        "app.reload",
        "ctrl+r f5",
        "reload",
        "Read everything again from disk.",
        Group.PROGRAM,
        Place.APP,
    ),
    _action(
        "app.suspend",
        "ctrl+z",
        "suspend",
        "Go to the shell; `fg` comes back.",
        Group.PROGRAM,
        Place.APP,
    ),
    _action(
        "app.quit",
        "q ctrl+q",
        "quit",
        "Quit; in a review, leave it.",
        Group.PROGRAM,
        Place.APP,
        footer=90,
    ),
)
"""Every action, in the order of help and docs."""

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}
"""The same, by id."""


def at(place: Place) -> tuple[Action, ...]:
    """Actions at hand in one place, in the order of the registry."""
    return tuple(action for action in ACTIONS if place in action.places)
