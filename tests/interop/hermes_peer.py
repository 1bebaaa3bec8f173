"""Runs inside the environment of hermes-agent: JSON lines in, JSON lines out.

It only calls the public package; HERMES_HOME in its environment names the home.
"""

import json
import sys


def main() -> None:
    """Answer commands until standard input ends."""
    out = sys.stdout
    sys.stdout = sys.stderr  # the package prints; answers must stay clean
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {"ok": COMMANDS[command.pop("do")](**command)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def stage_memory(origin: str, **arguments):
    """Call the memory tool as an agent of this origin would."""
    from tools.memory_tool import load_on_disk_store, memory_tool

    with _Origin(origin):
        return json.loads(memory_tool(store=load_on_disk_store(), **arguments))


def stage_skill(origin: str, **arguments):
    """Call the skill tool as an agent of this origin would."""
    from tools.skill_manager_tool import skill_manage

    with _Origin(origin):
        return json.loads(skill_manage(**arguments))


def slash(subsystem: str, words: list[str]):
    """Run `/memory ...` or `/skills ...` as a person would inside Hermes."""
    from hermes_cli.write_approval_commands import handle_pending_subcommand
    from tools.memory_tool import load_on_disk_store

    return handle_pending_subcommand(subsystem, words, memory_store=load_on_disk_store())


def entries(target: str):
    """Entries as Hermes reads them, after loading from disk."""
    from tools.memory_tool import load_on_disk_store

    store = load_on_disk_store()
    store.load_from_disk()
    return store.user_entries if target == "user" else store.memory_entries


def add_many(target: str, prefix: str, count: int):
    """Add `count` entries through the store's own locked write; return how many it took."""
    from tools.memory_tool import load_on_disk_store

    store = load_on_disk_store()
    return sum(bool(store.add(target, f"{prefix}{n}").get("success")) for n in range(count))


def find_skill(name: str):
    """Folder of a skill as Hermes finds it, or null."""
    from tools.skill_manager_tool import _find_skill

    found = _find_skill(name)
    return str(found["path"]) if found else None


def restore_skill(name: str):
    """Bring an archived skill back as `hermes curator restore` does: whether it worked, words."""
    from tools.skill_usage import restore_skill

    return list(restore_skill(name))


def external_dirs():
    """The further skill folders that Hermes searches, in order."""
    from agent.skill_utils import get_external_skills_dirs

    return [str(path) for path in get_external_skills_dirs()]


class _Origin:
    """Binds the origin that staged records carry."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __enter__(self) -> None:
        from tools.skill_provenance import set_current_write_origin

        self._token = set_current_write_origin(self._origin)

    def __exit__(self, *_: object) -> None:
        from tools.skill_provenance import reset_current_write_origin

        reset_current_write_origin(self._token)


COMMANDS = {
    f.__name__: f
    for f in (
        stage_memory,
        stage_skill,
        slash,
        entries,
        add_many,
        find_skill,
        restore_skill,
        external_dirs,
    )
}

if __name__ == "__main__":
    main()
