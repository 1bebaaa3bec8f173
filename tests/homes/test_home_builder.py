"""The builder itself: what it writes is what Hermes writes."""

from __future__ import annotations

import json

from homes.build import HomeBuilder, add, remove, staged_result


def test_builds_a_whole_home(home: HomeBuilder) -> None:
    home.memory("alpha", "beta").user("metric").soul("# Soul\n")
    folder = home.skill("tidy", category="ops", files={"scripts/a.py": "print(1)\n"})
    first = home.stage_add("gamma")
    second = home.stage_batch(add("x"), remove("alpha"))
    third = home.stage_skill("patch", "tidy", old_string="a", new_string="b")
    home.state_db([{"session": "s1", "role": "tool", "content": staged_result(first)}])

    assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()
    assert (folder / "scripts/a.py").read_bytes() == b"print(1)\n"
    assert json.loads(home.record_path(first).read_bytes())["payload"]["content"] == "gamma"
    assert home.record_path(second).exists()
    assert list(json.loads(home.record_path(third, "skills").read_bytes())["payload"]) == [
        "action",
        "name",
        "old_string",
        "new_string",
        "replace_all",
    ]


def test_tree_tells_whether_anything_moved(home: HomeBuilder) -> None:
    home.memory("alpha")
    before = home.tree()
    assert home.tree() == before
    home.memory("alpha!")
    assert home.tree() != before


def test_unpacks_the_whole_homes(home_small: HomeBuilder, home_busy: HomeBuilder) -> None:
    assert len(list(home_small.pending("memory").glob("*.json"))) == 6
    assert len(list(home_busy.pending("skills").glob("*.json"))) == 164
    assert (home_busy.path / "profiles/lab/config.yaml").exists()
