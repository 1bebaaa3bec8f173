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


def run_code(code: str):
    """Let the tool that runs an agent's Python run it: its answer."""
    from tools.code_execution_tool import execute_code

    return json.loads(execute_code(code))


def external_dirs():
    """The further skill folders that Hermes searches, in order."""
    from agent.skill_utils import get_external_skills_dirs

    return [str(path) for path in get_external_skills_dirs()]


def approve_skill(pending: str):
    """Approve a staged skill write inside Hermes; its answer to the record itself."""
    from tools.skill_manager_tool import apply_skill_pending
    from tools.write_approval import SKILLS, get_pending

    return json.loads(apply_skill_pending(get_pending(SKILLS, pending)["payload"]))


def set_pinned(name: str, pinned: bool):
    """Pin a skill, or take its pin off, as `hermes curator` does."""
    from tools.skill_usage import set_pinned as set_it

    set_it(name, pinned)


def provenance(name: str):
    """Where Hermes says that a skill comes from: hub, bundled, or agent for all others."""
    from tools.skill_usage import provenance as whose

    return whose(name)


def view_skill(name: str):
    """View a skill; what the agent gets, and what was passed on because of it."""
    from tools.credential_files import get_credential_file_mounts
    from tools.env_passthrough import get_all_passthrough
    from tools.skills_tool import skill_view

    return {
        "answer": json.loads(skill_view(name)),
        "variables": sorted(get_all_passthrough()),
        "files": [mount["host_path"] for mount in get_credential_file_mounts()],
    }


def sync_bundled():
    """Bring what Hermes bundles up to date, as `hermes update` does."""
    from tools.skills_sync import sync_skills

    return sync_skills(quiet=True)


def hub_install(name: str, text: str):
    """Install a skill as from the hub, or its new version over the old one."""
    from tools.skills_guard import ScanResult
    from tools.skills_hub import SkillBundle, install_from_quarantine, quarantine_bundle

    bundle = SkillBundle(name, {"SKILL.md": text}, "github", f"somebody/{name}", "community")
    scanned = ScanResult(name, "github", "community", "safe")
    install_from_quarantine(quarantine_bundle(bundle), name, "", bundle, scanned)


def hub_status(name: str, text: str):
    """What Hermes says of a hub skill whose newest version is this text."""
    from tools.skills_hub import SkillBundle, check_for_skill_updates

    class Source:
        def source_id(self):
            return "github"

        def fetch(self, identifier):
            return SkillBundle(name, {"SKILL.md": text}, "github", identifier, "community")

    return [one["status"] for one in check_for_skill_updates(name, sources=[Source()])]


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
        approve_skill,
        set_pinned,
        provenance,
        view_skill,
        sync_bundled,
        hub_install,
        hub_status,
        run_code,
    )
}

if __name__ == "__main__":
    main()
