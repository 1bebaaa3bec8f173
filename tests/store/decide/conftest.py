"""Homes to decide in; see `deciding.office`."""

from __future__ import annotations

from deciding.office import make_office, office

__all__ = ["make_office", "office"]
