"""Colour themes, one .toml each."""
