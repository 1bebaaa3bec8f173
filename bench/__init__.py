"""Measurements: every row beside a bare reference taken in the same run. Nothing here asserts."""
