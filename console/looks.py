"""What each look means in a theme: ink, ground and text style, by the names of theme variables.

Looks are not component classes: the framework would work out every one of them for every view at
every change of style, which cost a quarter of the time to the first paint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rich.style import Style
from textual.color import Color

from placet.console.pages.cells import Look
from placet.console.pages.syntax import Token


class Paint(NamedTuple):
    """How a look is drawn.

    Attributes:
        ink: Theme variable of the text's colour.
        ground: Theme variable of the colour behind it; empty: that of the view.
        style: Text style in the words of Rich, such as "bold underline".
    """

    ink: str
    ground: str = ""
    style: str = ""


PAINTS: dict[Look, Paint] = {
    Look.PLAIN: Paint("foreground"),
    Look.CONTEXT: Paint("foreground"),
    Look.DIM: Paint("look-dim"),
    Look.GUTTER: Paint("look-dim"),
    Look.STRONG: Paint("foreground", style="bold"),
    Look.HEADING: Paint("look-heading", style="bold"),
    Look.DELIMITER: Paint("look-dim"),
    Look.OLD: Paint("diff-ink", "diff-removed"),
    Look.NEW: Paint("diff-ink", "diff-added"),
    Look.OLD_WORD: Paint("diff-ink", "diff-removed-word", "bold underline"),
    Look.NEW_WORD: Paint("diff-ink", "diff-added-word", "bold underline"),
    Look.LEFT_OUT: Paint("look-dim", style="strike"),
    Look.NOTE: Paint("look-note"),
    Look.WARNING: Paint("look-caution", style="bold"),
    Look.BLOCKER: Paint("look-alarm", style="bold"),
    Look.GOOD: Paint("look-good", style="bold"),
    Look.SUSPECT: Paint("look-suspect-ink", "look-suspect", "bold"),
    Look.HIT: Paint("look-suspect-ink", "look-hit", "bold underline"),
    Look.MATCH: Paint("look-match-ink", "look-match", "bold"),
    Look.CURSOR: Paint("look-cursor-ink", "look-cursor", "bold"),
}
"""Every look; `theming.VARIABLES` names the variables that a theme has to state."""


def style_of(
    look: Look, variables: Mapping[str, str], base: Style, token: Token | None = None
) -> Style:
    """The style of a look.

    Args:
        look: Its name.
        variables: Colours of the present theme by name.
        base: The view's own style, which gives what the look leaves open.
        token: What the text is in its language; its ink goes over the ground of the look, where
            the theme states one.
    """
    paint = PAINTS[look]
    own = variables.get(f"syntax-{token}", "") if token is not None else ""
    ink = Color.parse(own or variables[paint.ink]).rich_color
    ground = Color.parse(variables[paint.ground]).rich_color if paint.ground else None
    return base + Style.from_color(ink, ground) + Style.parse(paint.style)
