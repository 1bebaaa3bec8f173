"""Fixtures of the tests under real terminals."""

from terminal.held import holder

__all__ = ["holder"]
