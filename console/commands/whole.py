"""Everything about one proposal, as JSON and as words."""

from __future__ import annotations

from placet.console.commands import shapes, words
from placet.console.commands.run import Run
from placet.console.phrases.times import moment
from placet.store.homes.provenance import Provenance
from placet.store.inbox import Item
from placet.store.model import PERSON, Life, Plan
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
        "knock_on": [str(ref) for ref in run.inbox.knock_on(item)],
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
    _head(page, item, plan)
    page.say()
    words.change_only(page, plan)
    page.say()
    words.usage(page, plan.usage)
    for effect in plan.side_effects:
        page.say(f"side effect {effect.code}: {effect.message}")
    words.verdicts(page, plan.verdicts)
    for ref in run.inbox.knock_on(item):
        page.say(f"approving this leaves {ref} unable to apply")
    for ref in item.same:
        page.say(f"same as {ref}")
    _provenance_words(page, plan, run.inbox.provenance(item))
    if not plan.proposal.operations:
        page.say("the record as it is staged:")
        page.block(words.readable(plan.proposal.raw)[0])
    elif not plan.changes:
        page.say("No file would change.")
    page.say()
    words.consent(page, plan, command(item, plan))


def command(item: Item, plan: Plan) -> str:
    """The command that approves this very choice."""
    drops = "".join(f" --drop {number}" for number in sorted(plan.choice.dropped))
    kept = item.plan.choice.dropped - plan.choice.dropped
    keeps = "".join(f" --keep {number}" for number in sorted(kept))
    return f"placet approve {item.ref}{drops}{keeps}"


def _head(page: words.Page, item: Item, plan: Plan) -> None:
    asked = plan.proposal
    page.say(f"{asked.ref} ({words.STANDINGS[plan.standing]})")
    page.say(f"home {asked.home.label}: {asked.home.path}")
    page.say(words.effect(plan))
    staged = moment(asked.created_at)
    page.say(f"staged by {words.origin(asked.origin)}, {staged}")
    if item.life is Life.UNFINISHED:
        page.say("unfinished: a placet process claimed it, or it is approved and not yet written")
    if asked.summary:
        page.say("proposer's words, not the change:")
        page.block(asked.summary)


def _provenance_words(page: words.Page, plan: Plan, found: Provenance | None) -> None:
    if plan.proposal.origin == PERSON:
        return
    if found is None:
        page.say("provenance: session unknown (the background review leaves no trace of it)")
        return
    if not found.session:
        page.say(f"provenance: {found.problem or 'unknown'}")
        return
    where = f" ({found.source})" if found.source else ""
    page.say(f"provenance: session {found.session}{where}, {moment(found.at)}")
    if found.message:
        page.say("the message before it:")
        page.block(found.message)
