"""Giving a new file everything that makes the old one what it is, apart from its bytes."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys

from placet.store.errors import Unsafe, words_of

_NONE_HERE = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_COPY_ACL_AND_XATTR = 0b101


def keep(old: int, new: int, mode: int | None) -> None:
    """Copy owner, group, mode, extended attributes and access list from `old` to `new`.

    Args:
        old: Descriptor of the file that will be replaced.
        new: Descriptor of the file that takes its place.
        mode: Permission bits instead of the old file's, or None.

    Raises:
        Unsafe: Something cannot be kept; the text names it.
    """
    found = os.fstat(old)
    _keep_owner(found, new)
    _set_mode(new, stat.S_IMODE(found.st_mode) if mode is None else mode)
    if sys.platform == "darwin":
        _keep_darwin(old, new)
        return
    _keep_extended(old, new)
    # an access list moves the group bits, so they are checked once more
    if mode is None and os.fstat(new).st_mode != found.st_mode:
        _set_mode(new, stat.S_IMODE(found.st_mode))


def _keep_owner(found: os.stat_result, new: int) -> None:
    made = os.fstat(new)
    if (made.st_uid, made.st_gid) == (found.st_uid, found.st_gid):
        return
    try:
        os.fchown(new, found.st_uid, found.st_gid)
    except OSError as error:
        raise _cannot("owner and group", error) from error


def _set_mode(new: int, mode: int) -> None:
    try:
        os.fchmod(new, mode)
    except OSError as error:
        raise _cannot("permissions", error) from error


def _keep_extended(old: int, new: int) -> None:
    wanted, made = _all_of(old), _all_of(new)
    for name in made.keys() - wanted.keys():
        _change(new, name, None)
    for name, value in wanted.items():
        if made.get(name) != value:
            _change(new, name, value)
    if _all_of(new) != wanted:
        raise Unsafe("The access list or attributes of the old file would not be kept.")


def _change(new: int, name: str, value: bytes | None) -> None:
    try:
        if value is None:
            os.removexattr(new, name)
        else:
            os.setxattr(new, name, value)
    except OSError as error:
        what = "access list (ACL)" if name.startswith("system.") else f"attribute {name}"
        raise _cannot(what, error) from error


def _all_of(descriptor: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno in _NONE_HERE:
            return {}
        raise _cannot("attributes", error) from error


def _keep_darwin(old: int, new: int) -> None:
    """One call of the system copies access list and attributes alike."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.fcopyfile(old, new, None, _COPY_ACL_AND_XATTR) != 0:
        number = ctypes.get_errno()
        raise _cannot("access list and attributes", OSError(number, os.strerror(number)))


def _cannot(what: str, error: OSError) -> Unsafe:
    return Unsafe(
        f"The {what} of the old file cannot be kept: {words_of(error)}. The file was left alone."
    )
