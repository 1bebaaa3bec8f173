"""Making and moving folders so that they survive a power cut, without replacing anything."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from placet.store.disk import beside, rename, write
from placet.store.disk.read import Place, open_folder, place_of
from placet.store.errors import NotFound, NotWritten, StalePlan, Unsafe, words_of


def ensure_folder(folder: Path, mode: int = 0o755) -> tuple[Path, ...]:
    """Make a folder and its missing parents, durable.

    Returns:
        The folders that were made, outermost first; give them to `remove_folders` to take it back.

    Raises:
        Unsafe: A part of the path is something else than a folder.
        NotWritten: The disk failed; folders made so far were removed again.
    """
    real = Path(os.path.realpath(folder))
    missing: list[Path] = []
    while not os.path.lexists(real):
        missing.append(real)
        real = real.parent
    if not stat.S_ISDIR(os.lstat(real).st_mode):
        raise Unsafe(f"{real} is not a folder; nothing was made below it.")
    made: list[Path] = []
    try:
        for place in reversed(missing):
            if _make(place, mode):
                made.append(place)
    except OSError as error:
        remove_folders(made)
        raise NotWritten(f"{folder} could not be made: {words_of(error)}.") from error
    return tuple(made)


def _make(folder: Path, mode: int) -> bool:
    """Make one folder and flush its parent; False if somebody else made it meanwhile."""
    parent = open_folder(folder.parent, flushable=True)
    try:
        os.mkdir(folder.name, mode, dir_fd=parent)
        try:
            write.flush(parent)
        except OSError:
            os.rmdir(folder.name, dir_fd=parent)
            raise
    except FileExistsError:
        return False
    finally:
        os.close(parent)
    return True


def remove_folders(made: Iterable[Path]) -> None:
    """Remove folders that `ensure_folder` made, innermost first; what holds something stays."""
    for folder in reversed(tuple(made)):
        try:
            os.rmdir(folder)
        except OSError:
            # somebody uses it by now: an empty folder is no harm, a full one is theirs
            return


def move(source: Path, destination: Path) -> None:
    """Move a file or folder by name within one file system, durable, replacing nothing.

    Args:
        source: What to move; a link is moved as a link.
        destination: Its new path; the parent exists.

    Raises:
        NotFound: The source is gone.
        StalePlan: The destination is taken.
        Unsafe: They lie on different file systems.
        NotWritten: The disk failed; the source is where it was.
    """
    try:
        with (
            place_of(source, follow=False, flushable=True) as old,
            place_of(destination, follow=False, flushable=True) as new,
        ):
            _move(old, new)
            try:
                write.flush(new.folder)
                write.flush(old.folder)
            except OSError:
                _move(new, old)
                raise
    except OSError as error:
        raise _in_words(source, destination, error) from error


def _move(old: Place, new: Place) -> None:
    try:
        rename.noreplace(old.folder, old.name, new.folder, new.name)
    except OSError as error:
        if error.errno not in rename.UNSUPPORTED:
            raise
        if _exists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new.name) from error
        os.rename(old.name, new.name, src_dir_fd=old.folder, dst_dir_fd=new.folder)


def _exists(place: Place) -> bool:
    try:
        os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _in_words(source: Path, destination: Path, error: OSError) -> Exception:
    if isinstance(error, FileNotFoundError):
        return NotFound(f"{source} is gone; nothing was moved.")
    if isinstance(error, FileExistsError) or error.errno == errno.ENOTEMPTY:
        return StalePlan(f"{destination} exists already; nothing was moved.")
    if error.errno in (errno.EXDEV, errno.EBUSY):
        return Unsafe(
            f"{source} lies on another file system than {destination.parent}, or is mounted by"
            " itself; it cannot be moved in one step. It was left alone."
        )
    return NotWritten(f"{source} could not be moved: {words_of(error)}. It is where it was.")


def move_folder(
    folder: Path, destination: Path, files: Mapping[str, bytes], along: Collection[str] = ()
) -> None:
    """Move a folder as a whole, if it holds exactly the files that were shown.

    Args:
        folder: The folder; a link to one is moved as a link.
        destination: Its new path; missing parents are made.
        files: Path inside the folder, with forward slashes, and bytes of each file shown. Dot
            files, dot folders and our own `*.placet*` files need not be among them.
        along: Paths of what may be there besides, and is moved as it is: links, pipes.

    Raises:
        StalePlan: It held something else, found before or after the move; it is back in place.
        Unsafe, NotFound, NotWritten: As `move`.
    """
    if words := _differs(folder, files, along):
        raise StalePlan(f"{words}; nothing was moved.")
    made = ensure_folder(destination.parent)
    try:
        move(folder, destination)
    except BaseException:
        remove_folders(made)
        raise
    if words := _differs(destination, files, along):
        move(destination, folder)
        remove_folders(made)
        raise StalePlan(f"{words}; the folder was moved back.")


def _differs(folder: Path, files: Mapping[str, bytes], along: Collection[str]) -> str:
    """What a folder holds other than these files, in words, or empty."""
    found = set(_walk(folder))
    for path, data in sorted(files.items()):
        try:
            with place_of(folder / path, follow=False) as place:
                same = beside.bytes_at(place, place.name) == data
        except OSError:
            same = False
        if not same:
            return f"{path} is not what was shown"
    new = sorted(found - files.keys() - set(along))
    return f"{new[0]} came in meanwhile" if new else ""


def _walk(folder: Path) -> Iterable[str]:
    for root, names, files in os.walk(folder):
        names[:] = [name for name in names if not name.startswith(".")]
        for file in files:
            if not file.startswith(".") and ".placet" not in file:
                yield (Path(root) / file).relative_to(folder).as_posix()
