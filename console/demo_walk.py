"""The demo in plain text: the same job as in the console, one step after the other."""

from __future__ import annotations

import os
from collections.abc import Callable

from placet.console.commands import deciding, root
from placet.console.commands.run import Run
from placet.console.demo import SIGHT, Demo, in_standing, made, waiting
from placet.store import decide
from placet.store.decide import Desk
from placet.store.inbox import Item
from placet.store.model import Action, Choice, Code, Done, Standing


def run() -> int:
    """Walk the job on a throw-away home; needs no terminal.

    Returns:
        The exit code.
    """
    with made() as demo:
        return walk(demo)


def walk(demo: Demo) -> int:
    """Look, approve, drop, refuse, discard, undo, and read the log; print what each step shows.

    Args:
        demo: A freshly made demo home.

    Returns:
        0, or the exit code of the first verb that failed.
    """
    for step in STEPS:
        code = step(demo)
        if code:
            return code
    say("The home of this demo is thrown away now. Open the console on it with `placet demo`.")
    return 0


def say(text: str) -> None:
    """Print one heading."""
    print(f"\n== {text}", flush=True)  # noqa: T201


def _verb(demo: Demo, *words: str) -> int:
    print(f"$ placet {' '.join(words)}", flush=True)  # noqa: T201
    return root.run(["-H", str(demo.home.path), *words])


def _decide(demo: Demo, act: Callable[[Desk], Done]) -> int:
    shown = Run(os.environ)
    with Desk.open(demo.home, demo.approver) as desk:
        done = act(desk)
    deciding.answer(shown, done)
    return 0


def _find(demo: Demo, fits: Callable[[Item], bool]) -> Item:
    return next(item for item in waiting(demo.home) if fits(item))


def _look(demo: Demo) -> int:
    say("An agent staged these while nobody looked")
    return _verb(demo, "pending")


def _approve(demo: Demo) -> int:
    say("One of them as a complete change against today's file, then approved by its digest")
    item = _find(demo, lambda i: i.plan.standing is Standing.READY)
    digest = item.plan.digest or ""
    return _verb(demo, "show", item.ref.id) or _decide(
        demo, lambda desk: decide.approve(desk, item.proposal, item.plan.choice, digest, SIGHT)
    )


def _drop(demo: Demo) -> int:
    say("A batch with a stale operation: leave that one out, approve the rest as one unit")
    item = _find(demo, lambda i: i.proposal.batch and i.plan.has(Code.ANCHOR_MISSING))
    stale = next(v.operation for v in item.plan.blockers if v.operation)
    choice = Choice(frozenset({stale}))

    def approve(desk: Desk) -> Done:
        plan = desk.plan(item.proposal, choice)
        return decide.approve(desk, item.proposal, choice, plan.digest or "", SIGHT)

    code = _verb(demo, "show", item.ref.id, "--drop", str(stale))
    return code or _decide(demo, approve)


def _refuse(demo: Demo) -> int:
    say("A replacement that would lose half of an entry: refused, with a reason")
    item = _find(demo, lambda i: i.proposal.operations[0].action is Action.REPLACE)
    reason = "It drops the Friday rule."
    return _verb(demo, "diff", item.ref.id) or _decide(
        demo, lambda desk: decide.reject(desk, item.proposal, reason=reason, sight=SIGHT)
    )


def _take(demo: Demo) -> int:
    say("Refused before and proposed again in another dress: it leaves the queue by itself")
    refused = [item.proposal for item in in_standing(demo.home, Standing.REFUSED)]
    return _decide(demo, lambda desk: decide.take(desk, refused)[0])


def _undo(demo: Demo) -> int:
    say("Taken back: the inverse is a change like any other")

    def undo(desk: Desk) -> Done:
        inverse = decide.inverse(desk, _first_approval(desk))
        seen = (inverse.plan.digest if inverse.plan else None) or ""
        return decide.undo(desk, inverse, seen, SIGHT)

    return _decide(demo, undo)


def _first_approval(desk: Desk) -> int:
    from placet.store.ledger import audit

    return audit.events(desk.ledger, kind="approved", after=0, limit=1)[0].seq


def _behind(demo: Demo) -> int:
    say("Written behind the queue's back: found, shown, and reverted")

    def revert(desk: Desk) -> Done:
        (change,) = decide.notice(desk)
        proposal = decide.revert_proposal(desk, change.event)
        plan = desk.plan(proposal, None)
        return decide.approve(desk, proposal, plan.choice, plan.digest or "", SIGHT)

    return _decide(demo, revert)


def _log(demo: Demo) -> int:
    say("Every action is a row in an append-only log")
    return _verb(demo, "audit", "--limit", "4") or _verb(demo, "audit", "--verify")


STEPS: tuple[Callable[[Demo], int], ...] = (
    _look,
    _approve,
    _drop,
    _refuse,
    _take,
    _undo,
    _behind,
    _log,
)
