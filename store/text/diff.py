"""What differs between two texts, line by line and inside lines, proved by rebuilding both.

Common ends are trimmed, lines that occur once on both sides are anchors, what lies between them is
aligned by rapidfuzz while the budget of cells lasts; a block beyond it is drawn whole old, whole
new, and says so. Lines end at line feeds only.

rapidfuzz is imported where it is needed: it would cost the start of the console 20 ms.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

CELLS = 100_000_000
"""Product of lengths that may be aligned for one diff; rapidfuzz needs one bit a cell."""

COMPARED = 1_000_000_000
"""Product of lengths up to which a ratio is computed exactly."""

PAIRED = 0.4
"""Likeness from which on an old and a new line count as one line that changed, 0 to 1."""

_WIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af"
)
_TOKEN = re.compile(rf"[{_WIDE}]|(?:(?![{_WIDE}])\w)+[\u0300-\u036f]*|\s|[^\w\s]")
_OPEN = "\n"
_ANCHOR_ROUNDS = 24
_PAIR_TRIES = 4_000
_TABLE = 2_500
_SHORT = 4_096


class Tag(StrEnum):
    """Which side a line is on."""

    SAME = "same"
    OLD = "old"
    NEW = "new"


class Line(NamedTuple):
    """One line of a diff.

    Attributes:
        tag: Which side it is on.
        old: Index of the line in the old text, counted from 0, or None.
        new: Index of the line in the new text, or None.
        text: The line without its line feed.
        spans: Stretches that changed, in characters, half-open, where the line has a counterpart.
        eol: Whether a line feed ended it.
    """

    tag: Tag
    old: int | None
    new: int | None
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    eol: bool = True


@dataclass(frozen=True, slots=True)
class Diff:
    """Two texts side by side.

    Attributes:
        lines: Every line of both, in order.
        exact: False where a block could not be aligned and is drawn whole old, whole new.
        before_absent: Whether there was no old text at all.
        after_absent: Whether there is no new text at all.
    """

    lines: tuple[Line, ...]
    exact: bool = True
    before_absent: bool = False
    after_absent: bool = False


class _Block(NamedTuple):
    """Half-open ranges that face each other; equal ones have the same content."""

    same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(slots=True)
class _Budget:
    cells: int = CELLS
    tries: int = _PAIR_TRIES
    exact: bool = True

    def take(self, rows: int, columns: int) -> bool:
        """Whether so much may still be aligned."""
        if rows * columns > self.cells:
            self.exact = False
            return False
        self.cells -= rows * columns
        return True


def lines(before: str | None, after: str | None) -> Diff:
    """Compare two texts completely.

    Args:
        before: Old text, or None where there was none.
        after: New text, or None where there will be none.

    Returns:
        A diff from which `rebuild` gives both texts back; that is checked here, and should it ever
        fail, the texts are drawn whole old, whole new.
    """
    old, new = _split(before or ""), _split(after or "")
    budget = _Budget()
    drawn = tuple(_draw(old, new, budget))
    found = Diff(drawn, budget.exact, before is None, after is None)
    if rebuild(found) == (before, after):
        return found
    whole = _draw_whole(old, new, _Block(False, 0, len(old), 0, len(new)))
    return Diff(tuple(whole), False, before is None, after is None)


def rebuild(diff: Diff) -> tuple[str | None, str | None]:
    """Put both texts together again from a diff."""
    old = "".join(_ended(line) for line in diff.lines if line.tag is not Tag.NEW)
    new = "".join(_ended(line) for line in diff.lines if line.tag is not Tag.OLD)
    return (None if diff.before_absent else old), (None if diff.after_absent else new)


def similarity(a: str, b: str) -> float:
    """Likeness of two texts from 0 to 100, whatever the order of their words."""
    if len(a) * len(b) <= COMPARED:
        from rapidfuzz import fuzz, utils

        return float(fuzz.token_sort_ratio(a, b, processor=utils.default_process))
    left, right = Counter(a.casefold().split()), Counter(b.casefold().split())
    total = left.total() + right.total()
    return 200.0 * (left & right).total() / total if total else 100.0


def closest(needle: str, haystack: str) -> tuple[int, int] | None:
    """Find the place that is most like a text which is not there.

    Returns:
        Start and end in characters, or None where nothing is like it.
    """
    wanted = _words(needle)
    found = [(m.start(), m.end(), m.group().casefold()) for m in _TOKEN.finditer(haystack)]
    found = [token for token in found if not token[2].isspace()]
    if not wanted or not found:
        return None
    shared, first = _best_window([token[2] for token in found], wanted)
    if shared * 2 >= len(wanted):
        window = found[first : first + len(wanted)]
        kept = [token for token in window if token[2] in wanted]
        return kept[0][0], kept[-1][1]
    return _closest_letters(needle, haystack)


def _split(text: str) -> list[str]:
    """Split at line feeds; only a last line that none ends is marked, by one at its end."""
    parts = text.split("\n")
    rest = parts.pop()
    return [*parts, rest + _OPEN] if rest else parts


def _ended(line: Line) -> str:
    return line.text + "\n" if line.eol else line.text


def _line(tag: Tag, old: int | None, new: int | None, text: str) -> Line:
    if text.endswith(_OPEN):
        return Line(tag, old, new, text[:-1], (), False)
    return Line(tag, old, new, text)


def _draw(old: list[str], new: list[str], budget: _Budget) -> Iterator[Line]:
    for block in _align(old, new, budget):
        if block.same:
            pairs = zip(
                range(block.old_start, block.old_end),
                range(block.new_start, block.new_end),
                strict=True,
            )
            yield from (_line(Tag.SAME, i, j, old[i]) for i, j in pairs)
        else:
            yield from _draw_changed(old, new, block, budget)


def _draw_whole(old: list[str], new: list[str], block: _Block) -> Iterator[Line]:
    for i in range(block.old_start, block.old_end):
        yield _line(Tag.OLD, i, None, old[i])
    for j in range(block.new_start, block.new_end):
        yield _line(Tag.NEW, None, j, new[j])


def _draw_changed(old: list[str], new: list[str], block: _Block, budget: _Budget) -> Iterator[Line]:
    """Draw each pair of lines that belong together side by side, the others in between."""
    i, j = block.old_start, block.new_start
    for left, right in _pairs(old, new, block, budget):
        yield from _draw_whole(old, new, _Block(False, i, left, j, right))
        yield from _draw_pair(old, new, left, right, budget)
        i, j = left + 1, right + 1
    yield from _draw_whole(old, new, _Block(False, i, block.old_end, j, block.new_end))


def _draw_pair(old: list[str], new: list[str], i: int, j: int, budget: _Budget) -> Iterator[Line]:
    before, after = _line(Tag.OLD, i, None, old[i]), _line(Tag.NEW, None, j, new[j])
    a, b = _TOKEN.findall(before.text), _TOKEN.findall(after.text)
    changed = [block for block in _align(a, b, budget) if not block.same]
    yield before._replace(spans=_spans(a, ((c.old_start, c.old_end) for c in changed)))
    yield after._replace(spans=_spans(b, ((c.new_start, c.new_end) for c in changed)))


def _spans(
    tokens: Sequence[str], changed: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Turn ranges of tokens into ranges of characters; neighbours become one."""
    spans: list[tuple[int, int]] = []
    at = position = 0
    for first, last in changed:
        if first == last:
            continue
        position += sum(map(len, tokens[at:first]))
        end = position + sum(map(len, tokens[first:last]))
        if spans and spans[-1][1] == position:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((position, end))
        at, position = last, end
    return tuple(spans)


def _align(old: Sequence[str], new: Sequence[str], budget: _Budget) -> list[_Block]:
    """Align two sequences: equal blocks and changed blocks, covering both completely."""
    codes: dict[str, int] = {}
    a = [codes.setdefault(item, len(codes)) for item in old]
    b = [codes.setdefault(item, len(codes)) for item in new]
    whole = _Block(False, 0, len(a), 0, len(b))
    if len(a) * len(b) <= _SHORT:
        return _joined(_fine(a, b, whole, budget))
    blocks: list[_Block] = []
    for block in _anchored(a, b, whole):
        if block.same or block.old_start == block.old_end or block.new_start == block.new_end:
            blocks.append(block)
        else:
            blocks.extend(_fine(a, b, block, budget))
    return _joined(blocks)


def _anchored(a: list[int], b: list[int], whole: _Block) -> Iterator[_Block]:
    """Trim common ends and split at items that occur once on each side, again and again."""
    work = [whole]
    effort = _ANCHOR_ROUNDS * (len(a) + len(b))
    while work:
        block = work.pop()
        effort -= block.old_end - block.old_start + block.new_end - block.new_start
        if block.same or effort < 0:
            yield block
            continue
        parts = list(_parts(a, b, block))
        if parts == [block]:
            yield block
        else:
            work.extend(reversed(parts))


def _parts(a: list[int], b: list[int], block: _Block) -> Iterator[_Block]:
    head, middle, tail = _trimmed(a, b, block)
    for part in (head, *_between(middle, _anchors(a, b, middle)), tail):
        if part.old_start < part.old_end or part.new_start < part.new_end:
            yield part


def _trimmed(a: list[int], b: list[int], block: _Block) -> tuple[_Block, _Block, _Block]:
    _, i, i_end, j, j_end = block
    while i < i_end and j < j_end and a[i] == b[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and a[i_end - 1] == b[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    head = _Block(True, block.old_start, i, block.new_start, j)
    tail = _Block(True, i_end, block.old_end, j_end, block.new_end)
    return head, _Block(False, i, i_end, j, j_end), tail


def _anchors(a: list[int], b: list[int], block: _Block) -> list[tuple[int, int]]:
    """Pairs of positions of items that are unique on both sides, in order on both."""
    _, i, i_end, j, j_end = block
    if i == i_end or j == j_end:
        return []
    left, right = _unique(a, i, i_end), _unique(b, j, j_end)
    pairs = [(at, right[item]) for item, at in left.items() if item in right]
    return _longest_rising(pairs)


def _unique(items: list[int], start: int, end: int) -> dict[int, int]:
    counts = Counter(items[start:end])
    return {items[at]: at for at in range(start, end) if counts[items[at]] == 1}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rises in both positions (they rise in the first already)."""
    tops: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, position) in enumerate(pairs):
        place = bisect_left(tops, position)
        before.append(chosen[place - 1] if place else -1)
        tops[place : place + 1] = [position]
        chosen[place : place + 1] = [number]
    rising: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        rising.append(pairs[number])
        number = before[number]
    return rising[::-1]


def _between(block: _Block, anchors: list[tuple[int, int]]) -> Iterator[_Block]:
    _, i, i_end, j, j_end = block
    for left, right in anchors:
        yield _Block(False, i, left, j, right)
        yield _Block(True, left, left + 1, right, right + 1)
        i, j = left + 1, right + 1
    yield _Block(False, i, i_end, j, j_end)


def _fine(a: list[int], b: list[int], block: _Block, budget: _Budget) -> list[_Block]:
    """Align a block without anchors, or leave it whole where that costs too much."""
    left, right = a[block.old_start : block.old_end], b[block.new_start : block.new_end]
    if set(left).isdisjoint(right) or not budget.take(len(left), len(right)):
        return [block]
    from rapidfuzz.distance import Indel

    i, j = block.old_start, block.new_start
    return [
        _Block(
            code.tag == "equal",
            i + code.src_start,
            i + code.src_end,
            j + code.dest_start,
            j + code.dest_end,
        )
        for code in Indel.opcodes(left, right)
    ]


def _joined(blocks: list[_Block]) -> list[_Block]:
    """Make neighbours of one sort one block."""
    joined: list[_Block] = []
    for block in blocks:
        if joined and joined[-1].same == block.same:
            block = joined.pop()._replace(old_end=block.old_end, new_end=block.new_end)
        joined.append(block)
    return joined


def _pairs(
    old: list[str], new: list[str], block: _Block, budget: _Budget
) -> Iterator[tuple[int, int]]:
    """Find old and new lines that are one line changed; both positions rise."""
    rows, columns = block.old_end - block.old_start, block.new_end - block.new_start
    if not rows or not columns or budget.tries <= 0:
        return iter(())
    left = [_Bag(text) for text in old[block.old_start : block.old_end][: budget.tries]]
    right = [_Bag(text) for text in new[block.new_start : block.new_end][: budget.tries * 2]]
    if rows * columns <= min(_TABLE, budget.tries):
        budget.tries -= rows * columns
        pairs = _best_pairs(rows, columns, lambda i, j: left[i].likeness(right[j]))
    else:
        pairs = _near_pairs(left, right, budget)
    return ((i + block.old_start, j + block.new_start) for i, j in pairs)


class _Bag:
    """The words of one line, for comparing it with others."""

    def __init__(self, text: str) -> None:
        self.words = _words(text)
        self.distinct = frozenset(self.words)

    def likeness(self, other: _Bag) -> float:
        """How alike two lines are, 0 to 1; very long ones by their sets of words."""
        if self.distinct.isdisjoint(other.distinct):
            return 0.0
        if len(self.words) * len(other.words) > 1_000_000:
            return (
                2 * len(self.distinct & other.distinct) / (len(self.distinct) + len(other.distinct))
            )
        from rapidfuzz.distance import Indel

        return Indel.normalized_similarity(self.words, other.words)


def _best_pairs(
    rows: int, columns: int, likeness: Callable[[int, int], float]
) -> Iterator[tuple[int, int]]:
    """Pairs that rise in both and have the greatest likeness in all."""
    alike = [[likeness(i, j) for j in range(columns)] for i in range(rows)]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= PAIRED else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < rows and j < columns:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield i, j
            i, j = i + 1, j + 1


def _near_pairs(left: list[_Bag], right: list[_Bag], budget: _Budget) -> Iterator[tuple[int, int]]:
    """Pairs for a large block: each old line with the first new line close by that is like it."""
    at = 0
    for i, bag in enumerate(left):
        for j in range(at, min(at + 8, len(right))):
            budget.tries -= 1
            if budget.tries < 0:
                return
            if bag.likeness(right[j]) >= PAIRED:
                yield i, j
                at = j + 1
                break


def _words(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text.casefold()) if not token.isspace()]


def _best_window(tokens: list[str], wanted: list[str]) -> tuple[int, int]:
    """The window as long as `wanted` that shares most with it: how many, and where it begins.

    Of equal ones, that which begins with the same word is taken.
    """
    counts, inside = Counter(wanted), Counter[str]()
    size = len(wanted)
    shared, best = 0, (0, False, 0)
    for at, token in enumerate(tokens):
        inside[token] += 1
        shared += inside[token] <= counts[token]
        first = max(at - size + 1, 0)
        if at >= size:
            leaving = tokens[first - 1]
            shared -= inside[leaving] <= counts[leaving]
            inside[leaving] -= 1
        best = max(best, (shared, tokens[first] == wanted[0], -first))
    return best[0], -best[2]


def _closest_letters(needle: str, haystack: str) -> tuple[int, int] | None:
    if not 0 < len(needle) <= 64 or len(haystack) > 1 << 20:
        return None
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(needle, haystack, score_cutoff=60)
    return (found.dest_start, found.dest_end) if found else None
