"""When a key may decide (design §11, acceptance C04 and C08); no terminal, no sleeping."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from placet.console.pages.seen import Position
from placet.console.session import (
    QUIET_AFTER,
    QUIET_BEFORE,
    STANDING,
    Armed,
    Force,
    Jump,
    NotYet,
    Session,
    TypedWord,
)

REF = ("default", "memory", "aaaa")
OTHER = ("default", "memory", "bbbb")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session(clock: Clock) -> Session:
    return Session(clock)


def look_at(session: Session, subject: object = REF, state: str = "s1", seen: bool = True) -> None:
    """Show a plan of three lines, paint it, and see all of it where asked."""
    found = session.show(subject, state, [5, 0, 7], rows=3)
    session.painted(subject, state)
    session.on_screen([subject])
    if seen:
        found.add([Position(0, 0, 5), Position(1, 0, 0), Position(2, 0, 7)])


def press(session: Session, force: Force = Force.APPROVING, subject: object = REF) -> object:
    """A key comes and is judged, as the application does it."""
    session.key()
    return session.press("batch.approve", force, subject)


@pytest.mark.parametrize("force", list(Force))
def test_counts_only_after_standing(session: Session, clock: Clock, force: Force) -> None:
    """C08: 399 ms are too few, 400 ms are enough."""
    look_at(session)
    clock.pass_(STANDING - 0.001)
    early = press(session, force)
    assert isinstance(early, NotYet)
    assert early.words == "shown 0.3 of 0.4 s: press again"
    look_at(session)
    clock.pass_(QUIET_BEFORE + 0.001)
    assert isinstance(press(session, force), Armed)


def test_early_press_says_how_long(session: Session, clock: Clock) -> None:
    look_at(session)
    clock.pass_(0.2)
    answer = press(session)
    assert isinstance(answer, NotYet)
    assert answer.words == "shown 0.2 of 0.4 s: press again"


@pytest.mark.parametrize("force", list(Force))
def test_another_key_just_before(session: Session, clock: Clock, force: Force) -> None:
    """C08: a key in the 250 ms before makes a deciding key count for nothing."""
    look_at(session)
    clock.pass_(1.0)
    session.key()
    clock.pass_(QUIET_BEFORE - 0.001)
    answer = press(session, force)
    assert isinstance(answer, NotYet)
    assert "just before" in answer.words
    clock.pass_(QUIET_BEFORE)
    assert isinstance(press(session, force), Armed)


@pytest.mark.parametrize("force", list(Force))
def test_takes_effect_after_quiet(session: Session, clock: Clock, force: Force) -> None:
    look_at(session)
    clock.pass_(1.0)
    armed = press(session, force)
    clock.pass_(QUIET_AFTER - 0.001)
    assert session.due() is None
    clock.pass_(0.001)
    assert session.due() is armed
    assert session.due() is None, "what was armed is handed out once"


@pytest.mark.parametrize("force", list(Force))
def test_any_key_after_cancels(session: Session, clock: Clock, force: Force) -> None:
    look_at(session)
    clock.pass_(1.0)
    press(session, force)
    clock.pass_(0.05)
    session.key()
    clock.pass_(1.0)
    assert session.due() is None


def test_paste_cancels_and_disturbs(session: Session, clock: Clock) -> None:
    """C08: pasted text decides nothing, before or after."""
    look_at(session)
    clock.pass_(1.0)
    assert isinstance(press(session), Armed)
    session.paste()
    clock.pass_(0.2)
    assert session.due() is None
    assert isinstance(press(session), NotYet)
    clock.pass_(1.0)
    assert isinstance(press(session), Armed)


@pytest.mark.parametrize("text", ["aaaa\nyyyy", "a" * 40, "ra", "\n\n\n\na\n"])
def test_burst_decides_nothing(session: Session, clock: Clock, text: str) -> None:
    """C08: an unbracketed paste arrives as keys 1 ms apart."""
    look_at(session)
    clock.pass_(5.0)
    decided: list[object] = []
    for character in text:
        session.key()
        if character in "ar":
            force = Force.APPROVING if character == "a" else Force.REFUSING
            session.press("x", force, REF)
        clock.pass_(0.001)
        decided.append(session.due())
    clock.pass_(2.0)
    decided.append(session.due())
    last_alone = text.rstrip("ar") == "" and len(text) == 1
    assert [d for d in decided if d] == [] or last_alone


def test_single_key_decides_on_the_same_fixture(session: Session, clock: Clock) -> None:
    """The positive side of the burst: one quiet key does decide."""
    look_at(session)
    clock.pass_(5.0)
    press(session)
    clock.pass_(QUIET_AFTER)
    assert isinstance(session.due(), Armed)


def test_held_key_decides_nothing(session: Session, clock: Clock) -> None:
    """C08: a key held down repeats every 33 ms."""
    look_at(session)
    clock.pass_(5.0)
    for _ in range(60):
        press(session)
        clock.pass_(0.033)
        assert session.due() is None


def test_unseen_rows_jump_and_never_approve(session: Session, clock: Clock) -> None:
    """C04: `a` goes to the first unseen place; only a later press approves."""
    look_at(session, seen=False)
    clock.pass_(5.0)
    answer = press(session)
    assert answer == Jump(Position(0, 0, 5))
    clock.pass_(1.0)
    assert session.due() is None
    look_at(session)
    assert isinstance(press(session), Armed)


def test_unseen_rows_do_not_hold_up_a_refusal(session: Session, clock: Clock) -> None:
    look_at(session, seen=False)
    clock.pass_(1.0)
    assert isinstance(press(session, Force.REFUSING), Armed)


def test_before_the_first_paint(session: Session, clock: Clock) -> None:
    """C08: keys typed before the diff was painted decide nothing."""
    session.show(REF, "s1", [1])
    clock.pass_(5.0)
    answer = press(session)
    assert isinstance(answer, NotYet)
    assert "not on the screen" in answer.words


def test_only_another_state_restarts_the_clock(session: Session, clock: Clock) -> None:
    look_at(session)
    clock.pass_(STANDING)
    session.show(REF, "s1", [5, 0, 7], rows=9)
    session.painted(REF, "s1", rows=9)
    assert isinstance(press(session), Armed), "a resize restarts nothing"
    clock.pass_(1.0)
    look_at(session, state="s2")
    answer = press(session)
    assert isinstance(answer, NotYet)
    assert answer.words.startswith("shown 0.0 of 0.4 s")


def test_late_report_of_another_state_is_ignored(session: Session, clock: Clock) -> None:
    session.show(REF, "s2", [1]).add([Position(0, 0, 1)])
    session.painted(REF, "s1")
    session.painted(OTHER, "s2")
    clock.pass_(1.0)
    assert isinstance(press(session), NotYet)
    session.painted(REF, "s2")
    clock.pass_(1.0)
    assert isinstance(press(session), Armed)


def test_changed_plan_withdraws_what_was_armed(session: Session, clock: Clock) -> None:
    look_at(session)
    clock.pass_(1.0)
    press(session)
    session.show(REF, "s2", [1])
    clock.pass_(1.0)
    assert session.due() is None


def test_hidden_view_withdraws_what_was_armed(session: Session, clock: Clock) -> None:
    look_at(session)
    clock.pass_(1.0)
    press(session)
    session.hide()
    clock.pass_(1.0)
    assert session.due() is None
    assert isinstance(press(session), NotYet)


def test_another_subject_than_shown(session: Session, clock: Clock) -> None:
    look_at(session)
    clock.pass_(1.0)
    assert isinstance(press(session, subject=OTHER), NotYet)
    clock.pass_(1.0)
    assert isinstance(press(session, subject=REF), Armed)


def test_seen_is_kept_per_state(session: Session, clock: Clock) -> None:
    look_at(session)
    look_at(session, OTHER, "t1", seen=False)
    look_at(session, seen=False)
    clock.pass_(1.0)
    assert isinstance(press(session), Armed)


def test_refusing_needs_the_row_on_screen(session: Session, clock: Clock) -> None:
    """A row, or a group's list of reasons, that has just appeared cannot be refused yet."""
    session.on_screen([REF])
    clock.pass_(1.0)
    session.on_screen([REF, "reasons:dead"])
    early = press(session, Force.REFUSING, "reasons:dead")
    assert isinstance(early, NotYet)
    clock.pass_(STANDING)
    assert isinstance(press(session, Force.REFUSING, "reasons:dead"), Armed)
    session.on_screen([REF])
    clock.pass_(1.0)
    assert isinstance(press(session, Force.REFUSING, "reasons:dead"), NotYet)


def test_row_that_left_and_came_back_starts_anew(session: Session, clock: Clock) -> None:
    session.on_screen([REF])
    clock.pass_(1.0)
    session.on_screen([])
    session.on_screen([REF])
    clock.pass_(0.1)
    assert isinstance(press(session, Force.REFUSING), NotYet)


def test_footer_knows_before_the_key(session: Session, clock: Clock) -> None:
    """People and terminal tests wait for the footer; it tells what a press now would answer."""
    look_at(session)
    session.key()
    assert session.why_not(Force.APPROVING, REF) == "shown 0.0 of 0.4 s: press again"
    assert session.changes_in(Force.APPROVING, REF) == pytest.approx(STANDING)
    clock.pass_(STANDING - 0.1)
    session.key()
    assert session.changes_in(Force.APPROVING, REF) == pytest.approx(QUIET_BEFORE)
    clock.pass_(QUIET_BEFORE + 0.001)
    assert session.why_not(Force.APPROVING, REF) == ""
    assert session.changes_in(Force.APPROVING, REF) is None
    assert isinstance(press(session), Armed)


def test_time_does_not_help_unseen_rows(session: Session, clock: Clock) -> None:
    look_at(session, seen=False)
    clock.pass_(9.0)
    assert session.why_not(Force.APPROVING, REF) != ""
    assert session.changes_in(Force.APPROVING, REF) is None
    assert session.why_not(Force.REFUSING, REF) == ""


def test_sight_tells_seconds_and_rows(session: Session, clock: Clock) -> None:
    """C04: rows seen and seconds are in the event."""
    look_at(session)
    clock.pass_(1.5)
    armed = press(session)
    assert isinstance(armed, Armed)
    assert (armed.sight.seconds, armed.sight.rows_seen, armed.sight.rows) == (1.5, 3, 3)
    assert armed.sight.where == "console"


def typed(word: TypedWord, clock: Clock, text: str, seconds: float) -> None:
    for end in range(1, len(text) + 1):
        clock.pass_(seconds)
        word.changed(text[:end])


def test_word_counts_as_typed(clock: Clock) -> None:
    word = TypedWord("memory", clock)
    assert word.why_not() != ""
    typed(word, clock, "memory", 0.06)
    assert word.why_not() == ""


@pytest.mark.parametrize("how", ["at once", "reported", "burst"])
def test_pasted_word_does_not_count(clock: Clock, how: str) -> None:
    """Design §11: a word counts only as typed, not pasted."""
    word = TypedWord("memory", clock)
    if how == "at once":
        clock.pass_(5.0)
        word.changed("memory")
    elif how == "reported":
        word.paste()
        typed(word, clock, "memory", 0.06)
    else:
        typed(word, clock, "memory", 0.001)
    assert word.why_not() not in ("", "type the word as it is shown")
    word.changed("")
    typed(word, clock, "memory", 0.06)
    assert word.why_not() == ""


@pytest.mark.parametrize("text", ["Memory", "memory ", "memor", ""])
def test_another_word_does_not_count(clock: Clock, text: str) -> None:
    word = TypedWord("memory", clock)
    typed(word, clock, text, 0.06)
    assert word.why_not() == "type the word as it is shown"
