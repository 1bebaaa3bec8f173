"""Proposals to plans: exact bytes afterwards, verdicts, digest."""
