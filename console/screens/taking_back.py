"""What `u` does besides opening a way back: the session's newest decision, a taken record."""

from __future__ import annotations

from placet.console.screens.judging import JudgingRoom
from placet.console.screens.review import open_inverse
from placet.store.inbox import Taken


def undo_newest(room: JudgingRoom) -> None:
    """Open the way back from this session's newest decision, or say why there is none."""
    board = room.placet.board
    if board.made:
        open_inverse(room, board.made[-1])
    else:
        room.say(board.nothing_to_undo(), warning=True)


def put_back(room: JudgingRoom, label: str, taken: Taken) -> None:
    """Put a taken record back into the queue of its home."""
    room.placet.decide(label, "putting back", lambda desks: desks.put_back(label, taken.sha256))
