"""A very small terminal: enough of one to read back what a full-screen program drew."""

from __future__ import annotations

import re

from rich.cells import cell_len

_TOKEN = re.compile(
    r"\x1b\[([<=>?]?)([0-9;:]*)[ !$]?([@-~])"
    r"|\x1b\](?:[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[PX^_](?:[^\x1b]*)\x1b\\"
    r"|\x1b[()][0-9A-Za-z]|\x1b[=>78cDEHMNOZ]"
    r"|([\r\n\b\t])"
    r"|([^\x1b\x00-\x1f\x7f]+)"
)


class Screen:
    """Cells of a terminal, kept up to date from what a program writes.

    Args:
        columns: Width in cells.
        rows: Height in cells.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Another size; everything is blank until it is drawn again."""
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0
        self._rest = ""

    def feed(self, text: str) -> None:
        """Take what the program wrote."""
        text = self._rest + text
        end = 0
        for match in _TOKEN.finditer(text):
            if match.start() > end and "\x1b" in text[end : match.start()]:
                break
            self._take(match)
            end = match.end()
        self._rest = text[end:] if len(text) - end < 4096 else ""

    def text(self) -> str:
        """The screen as lines of text."""
        return "\n".join("".join(row).rstrip() for row in self._cells)

    def _take(self, match: re.Match[str]) -> None:
        private, values, final, control, printed = match.groups()
        if printed:
            self._print(printed)
        elif control:
            self._move(control)
        elif final and not private:
            numbers = [int(v) if v.isdigit() else 0 for v in re.split("[;:]", values or "")]
            self._csi(final, numbers)

    def _csi(self, final: str, numbers: list[int]) -> None:
        first = numbers[0] if numbers else 0
        if final in "Hf":
            column = numbers[1] if len(numbers) > 1 else 1
            self._y = min(max(first, 1), self.rows) - 1
            self._x = min(max(column, 1), self.columns) - 1
        elif final == "J" and first == 2:
            self._cells = [[" "] * self.columns for _ in range(self.rows)]
        elif final == "K":
            self._cells[self._y][self._x :] = [" "] * (self.columns - self._x)
        elif final in "ABCD":
            step = max(first, 1)
            self._y += {"A": -step, "B": step}.get(final, 0)
            self._x += {"C": step, "D": -step}.get(final, 0)
            self._y = min(max(self._y, 0), self.rows - 1)
            self._x = min(max(self._x, 0), self.columns - 1)
        elif final == "G":
            self._x = min(max(first, 1), self.columns) - 1

    def _move(self, control: str) -> None:
        if control == "\r":
            self._x = 0
        elif control == "\n":
            self._y = min(self._y + 1, self.rows - 1)
        elif control == "\b":
            self._x = max(self._x - 1, 0)

    def _print(self, text: str) -> None:
        for character in text:
            width = cell_len(character)
            if width == 0:
                continue
            if self._x < self.columns:
                self._cells[self._y][self._x] = character
                if width == 2 and self._x + 1 < self.columns:
                    self._cells[self._y][self._x + 1] = ""
            self._x += width
