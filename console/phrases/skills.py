"""Whose a skill is, for the head of its diff."""

from __future__ import annotations

from placet.store.model import Home, Owner, SkillFacts, SkillPlace

_OWNERS = {
    Owner.BUNDLED: "bundled with Hermes",
    Owner.HUB: "from the hub",
    Owner.AGENT: "made by the agent, kept by its curator",
    Owner.YOURS: "yours: not bundled, not from the hub, not marked as made by the agent",
    Owner.EXTERNAL: "in a further folder of skills, which others keep",
    Owner.UNKNOWN: "whose it is cannot be told",
}


def skill_words(home: Home, place: SkillPlace, facts: SkillFacts) -> str:
    """Where a skill lies, whose it is, whether it is pinned, and what of this is not known.

    Args:
        home: The home that is looked at.
        place: Where it lies.
        facts: What Hermes has on record about it.
    """
    inside = place.folder.is_relative_to(home.path)
    where = place.folder.relative_to(home.path).as_posix() if inside else str(place.folder)
    whose = _OWNERS[facts.owner] + (f" ({facts.source})" if facts.source else "")
    pin = "pinned" if facts.pin else ""
    return " · ".join(part for part in (where, whose, pin, *facts.problems) if part)
