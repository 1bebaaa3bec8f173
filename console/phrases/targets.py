"""Where a change lands, as people call it."""

from __future__ import annotations

from placet.store.model import Proposal, Target, TargetKind

FILES = {TargetKind.MEMORY: "MEMORY.md", TargetKind.USER: "USER.md", TargetKind.SOUL: "SOUL.md"}


def file_name(target: Target | None) -> str:
    """The file behind a target."""
    if target is None:
        return "unknown target"
    if target.kind is TargetKind.SKILL:
        return f"skill {target.skill}" + (f", {target.path}" if target.path else "")
    return FILES[target.kind]


def subject(proposal: Proposal) -> str:
    """What a proposal is about; its record, where nothing of it could be understood."""
    return file_name(proposal.target) if proposal.operations else "a record"
