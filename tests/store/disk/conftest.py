"""The file that most tests of swapping are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from swapping.files import BEFORE


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A memory file with two entries."""
    folder = tmp_path / "memories"
    folder.mkdir()
    path = folder / "MEMORY.md"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    return path
