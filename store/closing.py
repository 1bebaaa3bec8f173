"""What is closed at the end of its `with` block, whatever happens in it."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Something with a `close`, which leaving the block calls."""

    def close(self) -> None:
        """Let go of what is held."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
