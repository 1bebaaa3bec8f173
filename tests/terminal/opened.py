"""Opens the console on a home of its own, for tests under a real terminal.

Usage: python opened.py FOLDER SPEC, where SPEC is a JSON file: `memory`, `user` (entries), `soul`,
`adds` (contents), `removes` (selectors), `batches` (contents of their additions), `records` (pairs
of payload and the rest of a record), `raw` (name to text), `fail` (raise in the interface).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from placet.console import charset
from placet.console.__main__ import scrub


def main() -> int:
    """Furnish the home and run the console."""
    scrub(os.environ)
    charset.uncoerce(os.environ)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from homes.build import HomeBuilder, add

    from placet.console import app
    from placet.store.decide import DemoApprover
    from placet.store.homes.find import Found

    folder, spec = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_bytes())
    approver = DemoApprover.own_home(folder / "home")
    home = HomeBuilder(folder / "home").config()
    home.limits(memory=spec.get("limit", 2200))
    home.memory(*spec.get("memory", ["alpha"]))
    home.user(*spec.get("user", ["someone"]))
    if "soul" in spec:
        home.soul(spec["soul"])
    for content in spec.get("adds", []):
        home.stage_add(content, summary=content)
    for old in spec.get("removes", []):
        home.stage_remove(old)
    for contents in spec.get("batches", []):
        home.stage_batch(*map(add, contents))
    for payload, more in spec.get("records", []):
        home.stage(payload, **more)
    for name, text in spec.get("raw", {}).items():
        home.stage_raw(name, text)
    if spec.get("fail"):
        _fail_soon(app)
    return app.run(Found((home.home,), ()), approver=lambda: approver)


def _fail_soon(app: object) -> None:
    from placet.console.app import PlacetApp

    def explode(self: PlacetApp) -> None:
        kept_in_locals = "secret-in-locals"
        raise RuntimeError(f"planted {len(kept_in_locals)}")

    PlacetApp.action_app_reload = explode  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())
