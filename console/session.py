"""When a key may decide: what has been seen, how long it stood, how quiet the keyboard was.

No terminal, no widget, no sleeping: time comes from `clock`, and tests set it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from placet.console.pages.seen import Position, Seen
from placet.store.model import Sight

STANDING = 0.400
"""Seconds that a view, a row or a list of reasons must stand before a key counts."""

QUIET_BEFORE = 0.250
"""Seconds without a key before a deciding key."""

QUIET_AFTER = 0.120
"""Seconds without a key after a deciding key, until it takes effect."""

TYPING = 0.025
"""Seconds that people need at least from one character to the next."""


KEPT = 500
"""Plans of which it is remembered what was seen; beyond that the oldest must be seen again."""


class Force(StrEnum):
    """What a deciding key does: it says yes, or it says no."""

    APPROVING = "approving"
    REFUSING = "refusing"


@dataclass(frozen=True, slots=True)
class Armed:
    """The key counts, unless another key comes within `QUIET_AFTER`.

    Attributes:
        action: Id of the action that will run.
        subject: What it is about.
        state: State of the plan that it is about, "" for a refusing key.
        at: Clock time from which `Session.due` hands it out.
        sight: How it was seen.
    """

    action: str
    subject: Hashable
    state: str
    at: float
    sight: Sight


@dataclass(frozen=True, slots=True)
class NotYet:
    """The key does not count; `words` tell why and what to do."""

    words: str


@dataclass(frozen=True, slots=True)
class Jump:
    """Something has not been seen: go to `position`; the key decides nothing."""

    position: Position


Answer = Armed | NotYet | Jump
"""What becomes of a deciding key."""


@dataclass(slots=True)
class _View:
    subject: Hashable
    state: str
    seen: Seen
    rows: int = 0
    since: float | None = None


class Session:
    """What is being looked at, and whether a key may decide now.

    The console tells it everything that matters: `show` when another plan is drawn, `painted` when
    rows reached the screen, `on_screen` for list rows and lists of reasons, `key` for every key and
    every paste before it is handled. It asks with `press`, waits `QUIET_AFTER`, and runs what `due`
    hands out.

    Attributes:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._view: _View | None = None
        self._kept: dict[tuple[Hashable, str], Seen] = {}
        self._rows: dict[Hashable, float] = {}
        self._last_key: float | None = None
        self._key_before: float | None = None
        self._armed: Armed | None = None

    # what is looked at

    def show(
        self,
        subject: Hashable,
        state: str,
        lengths: list[int],
        exempt: Sequence[tuple[int, int]] = (),
        rows: int = 0,
    ) -> Seen:
        """Another plan, or the same one, is drawn from now on.

        Only another subject or another state restarts the clock; what was seen of a state is kept.

        Args:
            subject: What it is about: a `Ref`, a person's own change.
            state: `Plan.state`.
            lengths: Length of every line of its document (`DiffDoc.lengths`).
            exempt: Its lines that need not be seen (`DiffDoc.folds`).
            rows: Display rows at the present width, for the event.

        Returns:
            What has been seen of it; the diff view adds to it.
        """
        view = self._view
        if view is not None and (view.subject, view.state) == (subject, state):
            view.rows = rows or view.rows
            return view.seen
        seen = self._keep(subject, state, lengths, exempt)
        self._view = _View(subject, state, seen, rows)
        self._armed = None
        return seen

    def _keep(
        self, subject: Hashable, state: str, lengths: list[int], exempt: Sequence[tuple[int, int]]
    ) -> Seen:
        seen = self._kept.pop((subject, state), None) or Seen(lengths, exempt)
        self._kept[subject, state] = seen
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return seen

    def hide(self) -> None:
        """Nothing is shown that could be approved."""
        self._view = None
        self._armed = None

    def painted(self, subject: Hashable, state: str, rows: int = 0) -> None:
        """Rows of a plan reached the screen; the first time starts its clock.

        Args:
            subject: What the view shows.
            state: `Plan.state` that was painted; a late report about another one is ignored.
            rows: Display rows in all.
        """
        view = self._view
        if view is None or (view.subject, view.state) != (subject, state):
            return
        view.rows = rows or view.rows
        if view.since is None:
            view.since = self.clock()

    def on_screen(self, subjects: Iterable[Hashable]) -> None:
        """Exactly these rows, or lists of reasons, are on the screen now.

        Args:
            subjects: Keys as `press` will name them.
        """
        now = self.clock()
        self._rows = {subject: self._rows.get(subject, now) for subject in subjects}

    @property
    def sight(self) -> Sight:
        """How the present view has been seen so far."""
        view = self._view
        if view is None:
            return Sight(where="console")
        stood = 0.0 if view.since is None else self.clock() - view.since
        seen = view.seen
        rows = view.rows if seen.complete else min(seen.whole_lines, view.rows)
        return Sight(round(stood, 3), rows, view.rows, "console")

    # the keyboard

    def key(self) -> None:
        """A key was pressed, whichever; call it before the key is handled."""
        self._key_before, self._last_key = self._last_key, self.clock()
        self._armed = None

    def paste(self) -> None:
        """Text was pasted: it decides nothing and disturbs the quiet like a key."""
        self.key()
        self._key_before = self._last_key

    # deciding

    def press(self, action: str, force: Force, subject: Hashable) -> Answer:
        """Judge a deciding key that has been reported by `key`.

        Args:
            action: Id of the action.
            force: Whether it approves or refuses.
            subject: What it is about; an approving key must be about what is shown.
        """
        unseen = self._unseen(subject) if force is Force.APPROVING else None
        if unseen is not None:
            return Jump(unseen)
        words = self._why(force, subject, self._key_before)
        if words:
            return NotYet(words)
        view = self._view
        state = view.state if view is not None and force is Force.APPROVING else ""
        self._armed = Armed(action, subject, state, self.clock() + QUIET_AFTER, self.sight)
        return self._armed

    def due(self) -> Armed | None:
        """Hand out what was armed, once, when its quiet time is over; None if a key came."""
        armed = self._armed
        if armed is None or not _over(self.clock(), armed.at):
            return None
        self._armed = None
        view = self._view
        if armed.state and (view is None or (view.subject, view.state) != _named(armed)):
            return None
        return armed

    def why_not(self, force: Force, subject: Hashable) -> str:
        """Why a key pressed now would not decide, in words; "" where it would."""
        if force is Force.APPROVING and self._unseen(subject) is not None:
            return "not all of it has been on the screen: a goes to the rest"
        return self._why(force, subject, self._last_key)

    def changes_in(self, force: Force, subject: Hashable) -> float | None:
        """Seconds until time alone lifts what `why_not` says; None where time does not help."""
        if not self.why_not(force, subject):
            return None
        since = self._since(force, subject)
        if since is None or (force is Force.APPROVING and self._unseen(subject) is not None):
            return None
        waits = [STANDING - (self.clock() - since)]
        if self._last_key is not None:
            waits.append(QUIET_BEFORE - (self.clock() - self._last_key))
        return max(*waits, 0.0) if len(waits) > 1 else max(waits[0], 0.0)

    def _why(self, force: Force, subject: Hashable, key_before: float | None) -> str:
        since = self._since(force, subject)
        if since is None:
            return "not on the screen yet: press again"
        stood = self.clock() - since
        if not _over(stood, STANDING):
            return f"shown {int(stood * 10) / 10} of {STANDING:.1f} s: press again"
        if key_before is not None and not _over(self.clock() - key_before, QUIET_BEFORE):
            return "another key came just before: press again"
        return ""

    def _since(self, force: Force, subject: Hashable) -> float | None:
        if force is Force.REFUSING:
            return self._rows.get(subject)
        view = self._view
        return view.since if view is not None and view.subject == subject else None

    def _unseen(self, subject: Hashable) -> Position | None:
        view = self._view
        if view is None or view.subject != subject or view.since is None:
            return None
        return view.seen.first_unseen()


class TypedWord:
    """A word that counts only as typed: pasted text and bursts decide nothing.

    Args:
        word: The word to type.
        clock: Monotonic seconds.
    """

    def __init__(self, word: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.word = word
        self._clock = clock
        self._times: list[float] = []
        self._text = ""
        self._pasted = False

    def changed(self, text: str) -> None:
        """The field holds `text` now; call it for every change."""
        grown = len(text) - len(self._text)
        if not text:
            self._pasted = False
        elif grown > 1:
            self._pasted = True
        kept = max(len(text) - max(grown, 0), 0)
        self._times = [*self._times[:kept], *[self._clock()] * max(grown, 0)]
        self._text = text

    def paste(self) -> None:
        """Text was pasted into the field: it has to be emptied and typed."""
        self._pasted = True

    def why_not(self) -> str:
        """Why the word does not count now, in words; "" where it does."""
        if self._text != self.word:
            return "type the word as it is shown"
        if self._pasted:
            return "a pasted word does not count: empty the field and type it"
        if self._too_fast():
            return "that came too fast to be typing: empty the field and type it"
        return ""

    def _too_fast(self) -> bool:
        spent = self._clock() - self._times[0] if self._times else 0.0
        return not _over(spent, TYPING * len(self._text))


def _over(elapsed: float, bound: float) -> bool:
    """Whether a bound is reached; differences of clock readings are not exact to the last bit."""
    return elapsed >= bound - 1e-6


def _named(armed: Armed) -> tuple[Hashable, str]:
    return armed.subject, armed.state
