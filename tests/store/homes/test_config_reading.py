"""config.yaml is taken exactly as Hermes takes it, and every trouble is a sentence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placet.store.homes import config
from placet.store.model import HomeConfig, Target, TargetKind


def test_conformance_config_and_gate(conformance: list[dict[str, Any]], tmp_path: Path) -> None:
    """K01, K07, category config: limits and gate as observed."""
    seen = 0
    for case in conformance:
        if case["category"] != "config":
            continue
        home = HomeBuilder(tmp_path / case["id"])
        if case.get("config_yaml") is not None:
            home.config(case["config_yaml"])
        found = config.read(home.home, {})
        for step in case["steps"]:
            _compare(found, step, case["id"])
            seen += 1
    assert seen >= 9


def _compare(found: HomeConfig, step: dict[str, Any], name: str) -> None:
    outcome = step["expect"]["outcome"]
    if step["call"] == "gate_enabled":
        gate = getattr(found.gate, step["args"].get("subsystem", "memory"))
        assert gate is outcome["enabled"], name
    else:
        assert found.memory_limit == outcome["memory_char_limit"], name
        assert found.user_limit == outcome["user_char_limit"], name


def test_conformance_staging_shows_the_gate(
    conformance: list[dict[str, Any]], tmp_path: Path
) -> None:
    """K01, category stage: Hermes staged where the gate reads on, and wrote where it reads off."""
    gates = {True: 0, False: 0}
    for case in conformance:
        staged = case["steps"][0]["expect"]
        if case["category"] != "stage" or staged["success"] is None:
            continue
        home = HomeBuilder(tmp_path / case["id"]).config(case["config_yaml"])
        expected = staged.get("pending_record") is not None
        assert config.read(home.home, {}).gate.memory is expected, case["id"]
        gates[expected] += 1
    assert min(gates.values()) >= 2


def test_no_file_means_the_defaults_and_no_words(tmp_path: Path) -> None:
    found = config.read(HomeBuilder(tmp_path / "home").home, {})
    assert found == HomeConfig(digest=found.digest) and found.digest


@pytest.mark.parametrize(
    ("value", "on", "worded"),
    [
        ("true", True, False),
        ("on", True, False),
        ("'on'", True, False),
        ("approve", True, False),
        ("ENABLED", True, False),
        ("'1'", True, False),
        ("false", False, False),
        ("'off'", False, False),
        ("1", False, True),
        ("1.0", False, True),
        ("maybe", False, True),
        ("[true]", False, True),
        ("null", False, True),
    ],
)
def test_what_counts_as_on(home: HomeBuilder, value: str, on: bool, worded: bool) -> None:
    """format.md §1.3: a number 1 is off; what is off by accident is said with the command."""
    found = config.read(home.config(f"memory:\n  write_approval: {value}\n").home, {})
    assert found.gate.memory is on
    assert any("hermes config set memory.write_approval true" in p for p in found.problems) is (
        worded
    )


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("memory_char_limit: null", (2200, 1375)),
        ("{memory_char_limit: null, user_char_limit: 9}", (2200, 1375)),
        ("{memory_char_limit: 9, user_char_limit: null}", (9, 1375)),
        ("{memory_char_limit: 9.7, user_char_limit: ' 12 '}", (9, 12)),
        ("{memory_char_limit: .inf, user_char_limit: 9}", (2200, 1375)),
        ("{memory_char_limit: [1], user_char_limit: 9}", (2200, 1375)),
        ("{memory_char_limit: 5000, user_char_limit: lots}", (5000, 1375)),
    ],
)
def test_one_try_over_both_limits(home: HomeBuilder, text: str, limits: tuple[int, int]) -> None:
    """format.md §1.3: a bad first limit drops both, a bad second one only itself."""
    lines = text if text.startswith("{") else f"{{{text}}}"
    found = config.read(home.config(f"memory: {lines}\n").home, {})
    assert (found.memory_limit, found.user_limit) == limits
    assert bool(found.problems) is (limits not in [(9, 12)])


def test_limits_are_read_again_when_the_file_changes(home: HomeBuilder) -> None:
    """K07."""
    home.limits(5000, 3000)
    before, first = config.stamp(home.home), config.read(home.home, {})
    home.limits(50, 30)
    os.utime(home.path / "config.yaml", ns=(1, 1))
    second = config.read(home.home, {})
    assert (first.memory_limit, first.user_limit) == (5000, 3000)
    assert (second.memory_limit, second.user_limit) == (50, 30)
    assert second.digest != first.digest and config.stamp(home.home) != before
    assert second.limit(Target(TargetKind.USER)) == 30


@pytest.mark.parametrize(
    "data",
    [
        b"memory: [",
        b"\xff\xfe",
        b"- a\n",
        b"memory: \x00",
        b"a: " + b"[" * 50_000,
        b"x" * 2_000_000,
    ],
)
def test_broken_files_are_defaults_with_what_hermes_will_do(home: HomeBuilder, data: bytes) -> None:
    """K07: broken YAML is shown, with what Hermes will do about it."""
    found = config.read(home.write("config.yaml", data).home, {})
    assert (found.memory_limit, found.user_limit, found.gate.memory) == (2200, 1375, False)
    assert "write approval is off" in found.problems[0]
    assert config.read(home.config().home, {}).gate.memory  # the positive


def test_directory_and_fifo_do_not_stop_it(home: HomeBuilder) -> None:
    place = home.path / "config.yaml"
    place.unlink()
    place.mkdir()
    assert config.read(home.home, {}).problems
    place.rmdir()
    os.mkfifo(place)
    assert "regular" in config.read(home.home, {}).problems[0]


def test_symlinked_config_is_followed(home: HomeBuilder, tmp_path: Path) -> None:
    (tmp_path / "dot.yaml").write_bytes((home.path / "config.yaml").read_bytes())
    (home.path / "config.yaml").unlink()
    (home.path / "config.yaml").symlink_to(tmp_path / "dot.yaml")
    assert config.read(home.home, {}).gate.memory


def test_variables_are_written_out(home: HomeBuilder) -> None:
    """format.md §1.3: `${VAR}` gives a string; an unset one stays as it stands."""
    home.config("memory:\n  write_approval: ${GATE}\n  memory_char_limit: ${CAP}\n")
    with_both = config.read(home.home, {"GATE": "true", "CAP": "77"})
    assert with_both.gate.memory and with_both.memory_limit == 77
    without = config.read(home.home, {})
    assert not without.gate.memory and without.memory_limit == 2200
    assert any("${GATE}" in words for words in without.problems)
    assert with_both.digest != without.digest


def test_targets_can_be_switched_off(home: HomeBuilder) -> None:
    """K11."""
    home.config("memory:\n  memory_enabled: false\n  user_profile_enabled: 'off'\n")
    found = config.read(home.home, {})
    assert not found.enabled(Target(TargetKind.MEMORY))
    assert not found.enabled(Target(TargetKind.USER))
    assert found.enabled(Target(TargetKind.SKILL, "x"))
    assert config.read(home.config().home, {}).enabled(Target(TargetKind.MEMORY))


def test_provider_and_external_folders(home: HomeBuilder) -> None:
    home.config(
        "memory:\n  provider: othermem\n"
        "skills:\n  external_dirs: [/srv/skills, shared, '${ROOT}/x', 7, '', '/srv/skills']\n"
    )
    found = config.read(home.home, {"ROOT": "/opt"})
    assert found.provider == "othermem"
    assert found.external_dirs == (
        Path("/srv/skills"),
        home.home.path / "shared",
        Path("/opt/x"),
    )
    assert len(found.problems) == 2


def test_folders_of_skills_are_expanded_as_hermes_does_it(
    home: HomeBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`$VAR` and `${VAR}` once, then `~`, then relative to the home, then links; never itself."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    env = {"ROOT": "/opt", "NESTED": "$ROOT"}
    home.config(
        "skills:\n  external_dirs: ['$ROOT/a', '${ROOT}/a', '~/b', '$NESTED/c', up/../d,"
        f" '{tmp_path}/linked', skills, '{home.path}/skills']\n"
    )
    found = config.read(home.home, env)
    assert found.external_dirs == (
        Path("/opt/a"),
        tmp_path / "b",
        home.home.path / "$ROOT" / "c",
        home.home.path / "d",
        tmp_path / "real",
    )
    assert found.problems == ()
    home.config("skills:\n  external_dirs: ['$NOWHERE/x', '~nobody-of-that-name/x']\n")
    found = config.read(home.home, env)
    assert found.external_dirs == (
        home.home.path / "$NOWHERE" / "x",
        home.home.path / "~nobody-of-that-name" / "x",
    )
    assert len(found.problems) == 1 and "$NOWHERE" in found.problems[0]


@pytest.mark.parametrize(
    ("value", "on"),
    [("true", True), ("false", False), ("'false'", True), ("1", True), ("0", False), ("", False)],
)
def test_commands_in_skills_run_where_hermes_takes_the_switch_for_on(
    home: HomeBuilder, value: str, on: bool
) -> None:
    """Any value but an empty one, none, no and zero; unknown where the file cannot be read."""
    assert (
        config.read(home.config(f"skills:\n  inline_shell: {value}\n").home, {}).inline_shell is on
    )
    assert config.read(home.config().home, {}).inline_shell is False
    assert config.read(home.config("skills: [\n").home, {}).inline_shell is None


def test_dotted_keys_are_named(home: HomeBuilder) -> None:
    """Case cfg-dotted-key: off, and the reason is said."""
    found = config.read(home.config("memory.write_approval: true\n").home, {})
    assert not found.gate.memory
    assert "memory.write_approval" in found.problems[0]


@pytest.mark.parametrize("text", ["memory: 5\n", "memory: [1]\nskills: x\n", "memory:\nskills:\n"])
def test_sections_that_are_none(home: HomeBuilder, text: str) -> None:
    found = config.read(home.config(text).home, {})
    assert (found.memory_limit, found.gate.memory, found.enabled(Target(TargetKind.USER))) == (
        2200,
        False,
        True,
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(data=st.one_of(st.binary(max_size=80), st.text(alphabet="memory:skils_ \n-[]{}&*1'\"")))
def test_reading_never_raises(home: HomeBuilder, data: bytes | str) -> None:
    home.write("config.yaml", data)
    assert config.read(home.home, {}).digest


def test_the_whole_homes_are_read_without_a_word(
    home_small: HomeBuilder, home_busy: HomeBuilder
) -> None:
    for home in (home_small, home_busy):
        found = config.read(home.home, {})
        assert found.problems == () and found.gate.memory and found.gate.skills


class TestBounds:
    """C1, E: whatever number or text stands there, it can be printed, and costs little."""

    @pytest.mark.parametrize("key", ["memory_char_limit", "user_char_limit"])
    @pytest.mark.parametrize(
        "value",
        ["0x" + "f" * 9000, "-0x" + "f" * 9000, "1.0e+300", "9" * 4000, "'" + "9" * 4000 + "'"],
    )
    def test_a_giant_number_is_bounded_and_said(
        self, home: HomeBuilder, key: str, value: str
    ) -> None:
        found = config.read(home.config(f"memory:\n  {key}: {value}\n").home, {})
        limits = {"memory_char_limit": found.memory_limit, "user_char_limit": found.user_limit}
        assert abs(limits[key]) == config.MAX_LIMIT
        assert key in found.problems[0] and len(found.problems[0]) < 300
        within = config.read(home.config(f"memory:\n  {key}: 5000000\n").home, {})
        assert 5_000_000 in (within.memory_limit, within.user_limit) and not within.problems

    @pytest.mark.parametrize(
        "line",
        [
            "memory:\n  write_approval: 0x{f}",
            "memory:\n  memory_enabled: 0x{f}",
            "memory:\n  memory_char_limit: {f}",
            "memory:\n  provider: {f}",
            "memory:\n  provider: 0x{f}",
            "skills:\n  external_dirs: 0x{f}",
            "skills:\n  external_dirs: [0x{f}, {f}, {f}]",
            "skills:\n  external_dirs: ['\\uD800', \"\\uD800\"]",
            "memory.{f}: 1",
            "? 0x{f}\n: 1",
        ],
    )
    def test_every_value_can_be_said(self, home: HomeBuilder, line: str) -> None:
        found = config.read(home.config(line.format(f="f" * 9000) + "\n").home, {})
        assert all(len(words) < 400 for words in found.problems)
        assert len(found.provider) <= 100
        for folder in found.external_dirs:
            os.fsencode(folder)

    def test_a_large_file_is_not_parsed(self, home: HomeBuilder) -> None:
        text = "memory:\n  write_approval: true\n"
        keys = "".join(f"key{n}: {n}\n" for n in range(100_000))
        assert config.read(home.config(text + keys[: keys.index("key9000:")]).home, {}).gate.memory
        found = config.read(home.config(text + keys).home, {})
        assert not found.gate.memory and "256 KiB" in found.problems[0]

    def test_problems_are_few(self, home: HomeBuilder) -> None:
        text = "".join(f"memory.{n}: 1\n" for n in range(5000))
        problems = config.read(home.config(text).home, {}).problems
        assert len(problems) == 21 and "4,980 more" in problems[-1]

    def test_expansion_stays_small(self, home: HomeBuilder) -> None:
        home.config("memory:\n  provider: '" + "${X}" * 40_000 + "'\n")
        assert len(config.read(home.home, {"X": "x" * 100_000}).provider) <= 100
