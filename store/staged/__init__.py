"""Staged records: files to proposals."""
