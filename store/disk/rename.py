"""The two renames that Python does not offer: exchange two names, and never replace one."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import sys
from collections.abc import Callable

UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a file system or kernel answers that does not know these renames."""

_LINUX = {"noreplace": 1, "exchange": 2}
_DARWIN = {"noreplace": 4, "exchange": 2}
_NUMBERS = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "loongarch64": 276,
    "armv7l": 382,
    "i686": 353,
    "ppc64le": 357,
    "s390x": 347,
}
"""Number of `renameat2` by machine, for C libraries without a function of that name."""

_Call = Callable[[int, bytes, int, bytes, int], int]


def exchange(folder: int, name: str, other_folder: int, other: str) -> None:
    """Give two names each other's file in one step.

    Args:
        folder: Descriptor of the folder of the first name.
        name: First name.
        other_folder: Descriptor of the folder of the second name.
        other: Second name.

    Raises:
        OSError: With an errno of `UNSUPPORTED` where this cannot be done here at all.
    """
    _rename("exchange", folder, name, other_folder, other)


def noreplace(folder: int, name: str, other_folder: int, other: str) -> None:
    """Rename, but fail with FileExistsError where the new name is taken; else as `exchange`."""
    _rename("noreplace", folder, name, other_folder, other)


def _rename(how: str, folder: int, name: str, other_folder: int, other: str) -> None:
    call, flag = _call(), _flags()[how]
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    if call(folder, os.fsencode(name), other_folder, os.fsencode(other), flag) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name, None, other)


def _flags() -> dict[str, int]:
    return _DARWIN if sys.platform == "darwin" else _LINUX


@functools.cache
def _call() -> _Call | None:
    """The system's call, or None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    wanted = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    found = getattr(library, wanted, None)
    if found is not None:
        found.argtypes = _ARGUMENTS
        found.restype = ctypes.c_int
        function: _Call = found
        return function
    return _by_number(library)


_ARGUMENTS: tuple[type[ctypes.c_int | ctypes.c_char_p | ctypes.c_uint], ...] = (
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_uint,
)


def _by_number(library: ctypes.CDLL) -> _Call | None:
    number = _NUMBERS.get(platform.machine()) if sys.platform == "linux" else None
    if number is None or not hasattr(library, "syscall"):
        return None
    library.syscall.argtypes = [ctypes.c_long, *_ARGUMENTS]
    library.syscall.restype = ctypes.c_long
    return functools.partial(library.syscall, number)
