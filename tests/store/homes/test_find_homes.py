"""Homes are found once, labelled so that no two are confused, and never made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from homes.build import HomeBuilder

from placet.store.homes import find
from placet.store.model import Home


def labels(found: find.Found) -> list[tuple[str, Path]]:
    return [(home.label, home.path) for home in found.homes]


def test_given_homes_win_then_the_variable_then_the_usual_place(tmp_path: Path) -> None:
    """Design §3, in that order; each with its profiles."""
    user = tmp_path / "user"
    usual = HomeBuilder(user / ".hermes")
    usual.profile("lab")
    named, given = HomeBuilder(tmp_path / "named"), HomeBuilder(tmp_path / "given")
    env = {"HERMES_HOME": f"  {named.path}  "}

    assert labels(find.find([given.path], env, user)) == [("default", given.path)]
    assert labels(find.find([], env, user)) == [("default", named.path)]
    assert labels(find.find([], {"HERMES_HOME": " "}, user)) == [
        ("default", usual.path),
        ("lab", usual.path / "profiles/lab"),
    ]
    assert find.find([], {}, user).problems == ()


def test_placets_own_home_where_there_is_no_other(tmp_path: Path) -> None:
    """Design §3: none found gives `~/.placet`, with words where that is missing too (Q18)."""
    found = find.find([], {}, tmp_path)
    assert labels(found) == [("default", tmp_path / ".placet")]
    assert "placet -H PATH" in found.problems[0] and "mkdir" in found.problems[0]

    (tmp_path / ".placet").mkdir()
    assert find.find([], {}, tmp_path) == find.Found(found.homes, ())


def test_nothing_is_ever_made(tmp_path: Path) -> None:
    """Q18: read verbs leave no new file anywhere."""
    missing = tmp_path / "nowhere"
    found = find.find([missing], {"HERMES_HOME": str(tmp_path / "other")}, tmp_path)
    for home in found.homes:
        assert find.owner(home) is None
        assert "does not exist yet" in find.read_only_reason(home)
    assert list(tmp_path.iterdir()) == []


def test_missing_home_is_kept_so_that_it_can_appear(tmp_path: Path) -> None:
    """Q18: clear words with the exact command, and the queue appears when the directory does."""
    found = find.find([tmp_path / "later"], {}, tmp_path)
    assert labels(found) == [("default", tmp_path / "later")]
    assert f"HERMES_HOME={tmp_path / 'later'} hermes" in found.problems[0]
    HomeBuilder(tmp_path / "later")
    assert find.read_only_reason(found.homes[0]) == ""


def test_unusable_homes_are_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    good = HomeBuilder(tmp_path / "good")
    found = find.find([tmp_path / "file", tmp_path / "loop", Path("a\0b"), good.path], {}, tmp_path)
    assert labels(found) == [("default", good.path)]
    assert len(found.problems) == 3


def test_same_home_by_two_paths_is_one(tmp_path: Path) -> None:
    """Design §3: deduplicated by real path; the first stays."""
    home = HomeBuilder(tmp_path / "home")
    lab = home.profile("lab")
    (tmp_path / "link").symlink_to(home.path)
    found = find.find([tmp_path / "link", home.path, lab.path], {}, tmp_path)
    assert labels(found) == [("default", home.path), ("lab", lab.path)]


def test_labels_that_clash_become_paths(tmp_path: Path) -> None:
    """Field report 56: two homes with the same pending id are told apart on every row."""
    one, two = HomeBuilder(tmp_path / "one"), HomeBuilder(tmp_path / "two")
    lab = one.profile("lab")
    found = find.find([one.path, two.path], {}, tmp_path)
    assert labels(found) == [
        (str(one.path), one.path),
        ("lab", lab.path),
        (str(two.path), two.path),
    ]
    assert len({home.label for home in found.homes}) == 3


def test_only_profiles_as_hermes_lists_them(tmp_path: Path) -> None:
    """format.md §1.1: names that match, no `default`, directories only."""
    home = HomeBuilder(tmp_path / "home")
    for name in ("lab", "default", "Upper", ".hidden", "a b", "-x", "ok_1"):
        home.profile(name)
    home.write("profiles/file", b"")
    found = find.find([home.path], {}, tmp_path)
    assert [home.label for home in found.homes] == ["default", "lab", "ok_1"]


def test_a_profile_given_directly_keeps_its_name(tmp_path: Path) -> None:
    lab = HomeBuilder(tmp_path / "root").profile("lab")
    assert labels(find.find([], {"HERMES_HOME": str(lab.path)}, tmp_path)) == [("lab", lab.path)]


def test_homes_are_fixed_at_start(tmp_path: Path) -> None:
    """Field report 57: a variable changed later changes no path of what was found."""
    one, two = HomeBuilder(tmp_path / "one"), HomeBuilder(tmp_path / "two")
    env = {"HERMES_HOME": str(one.path)}
    found = find.find([], env, tmp_path)
    env["HERMES_HOME"] = str(two.path)
    assert found.homes[0].memories == one.path / "memories"
    assert find.find([], env, tmp_path).homes[0].path == two.path  # the positive


def test_home_of_another_user_is_read_only(
    home: HomeBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design §3, field report 41: with the exact command to run."""
    assert find.read_only_reason(home.home) == ""
    assert find.owner(home.home) == os.geteuid()
    monkeypatch.setattr(find.os, "geteuid", lambda: os.getuid() + 1)
    words = find.read_only_reason(home.home)
    assert "sudo -u" in words and f"placet -H {home.path}" in words


def test_memory_folder_of_another_user_is_read_only(
    home: HomeBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 41: the folder that is written counts, not only the home."""
    home.memory("a")
    real = find._owner
    monkeypatch.setattr(
        find, "_owner", lambda place: 54321 if place.name == "memories" else real(place)
    )
    assert "'#54321'" in find.read_only_reason(home.home)


def test_home_without_write_permission_is_read_only(
    home: HomeBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find.read_only_reason(home.home) == ""
    monkeypatch.setattr(find.os, "access", lambda place, mode: False)
    assert "cannot be written" in find.read_only_reason(home.home)


def test_profiles_that_cannot_be_listed_are_a_problem(home: HomeBuilder, tmp_path: Path) -> None:
    home.write("profiles", b"no folder")
    found = find.find([home.path], {}, tmp_path)
    assert [home.label for home in found.homes] == ["default"]
    assert "could not be listed" in found.problems[0]


def test_tilde_means_the_users_home(tmp_path: Path) -> None:
    inner = HomeBuilder(tmp_path / "agents")
    assert find.find([Path("~/agents")], {}, tmp_path).homes[0] == Home(inner.path.resolve())


def test_records_below_an_odd_profile_name_are_named(tmp_path: Path) -> None:
    """D10: what Hermes would not take for a profile is left out, and said where records wait."""
    home = HomeBuilder(tmp_path / "home")
    home.profile("lab").stage_add("a")
    home.profile("Odd Name").stage_add("b")
    home.profile("empty one").pending()
    (home.path / "profiles" / ".hidden").write_bytes(b"")
    (home.path / "profiles" / "turn.json").symlink_to("turn.json")
    found = find.find([home.path], {}, tmp_path)
    assert [home.label for home in found.homes] == ["default", "lab"]
    (words,) = found.problems
    assert str(home.path / "profiles" / "Odd Name") in words and "1 staged record," in words


def test_a_folder_that_cannot_be_listed_has_words(tmp_path: Path) -> None:
    """D5: no `None`, no `[Errno 0]`."""
    home = HomeBuilder(tmp_path / "home")
    (home.path / "profiles").write_bytes(b"")
    (words,) = find.find([home.path], {}, tmp_path).problems
    assert "Not a directory" in words and "None" not in words and "Errno" not in words
