"""What happens to one file besides what an operation names."""

from __future__ import annotations

from collections.abc import Iterator

from placet.store.model import FileState, SideEffect


def of_file(state: FileState, after: bytes | None) -> Iterator[SideEffect]:
    """That it is made, is a link, is removed, or ends empty.

    Args:
        state: The file as it is.
        after: Its bytes afterwards, or None where it is removed.
    """
    name = state.path.name
    if state.data is None:
        yield SideEffect("created", f"{name} is made; it does not exist yet.")
    if state.real != state.path:
        yield SideEffect("link", f"{name} is a link; the file written is {state.real}.")
    if after is None:
        yield SideEffect("file-removed", f"{name} is removed.")
    elif not after and state.data:
        yield SideEffect("emptied", f"{name} ends empty (0 bytes).")
