"""Everything about one proposal, as JSON and as words."""

from __future__ import annotations

from placet.console.commands import shapes, words
from placet.console.commands.run import Run
from placet.console.pages.document import Words
from placet.console.phrases.effects import effect, not_looked_at
from placet.console.phrases.provenance import provenance_words
from placet.console.phrases.standings import MEANINGS, UNFINISHED
from placet.console.phrases.unfinished import END_IT
from placet.console.since import since
from placet.store.homes.provenance import Provenance
from placet.store.inbox import Item
from placet.store.model import Life, Plan
from placet.store.text import times


def show_shape(run: Run, item: Item, plan: Plan) -> shapes.Shape:
    """The answer of `show REF --json`: P with everything else about it."""
    page = run.page()
    words.change_only(page, plan)
    return {
        **shapes.proposal(plan, item.life, item.same),
        "summary": plan.proposal.summary,
        "operations": [shapes.outcome(o) for o in plan.operations],
        "asked": [shapes.asked(n, o) for n, o in enumerate(plan.proposal.operations, 1)],
        "changes": [shapes.change(change) for change in plan.changes],
        "usage": shapes.usage(plan.usage),
        "side_effects": [shapes.side_effect(found) for found in plan.side_effects],
        "skill": shapes.skill(plan),
        "knock_on": None if run.unread(item) else [str(r) for r in run.inbox.knock_on(plan)],
        "provenance": _provenance_shape(run.inbox.provenance(item)),
        "record": shapes.side(plan.proposal.raw),
        "text": page.text(),
    }


def _provenance_shape(found: Provenance | None) -> shapes.Shape | None:
    if found is None:
        return None
    return {
        "session": found.session or None,
        "at": times.stamp(found.at),
        "message": found.message or None,
        "source": found.source or None,
        "title": found.title or None,
        "problem": found.problem or None,
    }


def show_words(page: words.Page, run: Run, item: Item, plan: Plan) -> None:
    """The answer of `show REF` for people."""
    provenance = run.inbox.provenance(item)
    unread = run.unread(item)
    notes = (since(plan.proposal), not_looked_at(unread) if unread else "")
    _head(page, item, plan)
    page.say()
    words.whole(
        page,
        plan,
        Words(
            provenance=provenance_words(plan.proposal, provenance),
            notes=tuple(filter(None, notes)),
            twins=item.times,
            knock_on=tuple(ref for ref in run.inbox.knock_on(plan) if ref not in item.same),
            together=None if unread else run.inbox.together(plan),
        ),
    )
    page.say()
    words.usage(page, plan.usage)
    for ref in item.same:
        page.say(f"same as {ref}")
    if provenance is not None and provenance.message:
        page.say("the message before it:")
        page.block(provenance.message)
    if not plan.changes:
        page.say("No file would change.")
    page.say()
    if item.life is Life.UNFINISHED:
        page.say(END_IT)
    else:
        words.consent(page, plan, command(item, plan))


def command(item: Item, plan: Plan) -> str:
    """The command that approves this very choice."""
    drops = "".join(f" --drop {number}" for number in sorted(plan.choice.dropped))
    kept = item.plan.choice.dropped - plan.choice.dropped
    keeps = "".join(f" --keep {number}" for number in sorted(kept))
    return f"placet approve {item.ref}{drops}{keeps}"


def _head(page: words.Page, item: Item, plan: Plan) -> None:
    asked = plan.proposal
    page.say(f"{asked.ref} ({plan.standing.value}: {MEANINGS[plan.standing]})")
    page.say(f"home {asked.home.label}: {asked.home.path}")
    page.say(effect(plan))
    if item.life is Life.UNFINISHED:
        page.say(f"unfinished: {UNFINISHED}")
