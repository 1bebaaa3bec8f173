"""The rules of the text gate: what to look for, and what to call it for a person.

Written by us from observed behaviour, one by one. Patterns run over lower-case text. None may take
more than linear time: repeats are possessive or bounded, and a rule over a distance is a chain of
steps (`Chain`) instead of one pattern with a wide gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

GAP = 2048
"""Characters that may lie between two steps of a chain."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Something to look for: steps in this order, at most `GAP` characters apart.

    Attributes:
        needs: Words of which one must occur, or the steps are not tried.
        steps: Patterns over lower-case text; mostly one.
        group: Which group of a single step is the find, 0 for all of it.
        cased: Whether the steps look at the text with its case.
        stop: What may not stand between two steps, or empty.
    """

    needs: tuple[str, ...]
    steps: tuple[re.Pattern[str], ...]
    group: int = 0
    cased: bool = False
    stop: str = "\n"


def _rule(needs: str, *steps: str, group: int = 0, stop: str = "\n") -> Chain:
    return Chain(tuple(needs.split("|")), tuple(map(re.compile, steps)), group, stop=stop)


def _shape(needs: str, pattern: str) -> Chain:
    """A credential that is told by its shape; its case counts."""
    return Chain(tuple(needs.split("|")), (re.compile(pattern),), 1, cased=True)


_UP_TO_8 = r"(?:\w++\s++){0,8}?"
_UP_TO_17 = r"(?:\w++\s++){0,17}?"
_EDIT = r"(?:update|modify|edit|write|change|append|add\s+to)\s+"
_CREDENTIAL = r"\$\{?\w*?(?:key|token|secret|password|credential|api)\w*+"

THREATS: dict[str, Chain] = {
    "prompt_injection": _rule(
        "instructions",
        rf"ignore\s++(?={_UP_TO_8}(?:previous|above|prior|all)\s){_UP_TO_17}instructions",
    ),
    "sys_prompt_override": _rule("prompt", r"system\s+prompt\s+override"),
    "disregard_rules": _rule(
        "disregard",
        rf"disregard\s++(?={_UP_TO_8}(?:your|any|all)\s){_UP_TO_17}(?:instructions|rules|guidelines)",
    ),
    "bypass_restrictions": _rule(
        "act as",
        rf"act\s+as\s+(?:if|though)\s++{_UP_TO_8}you\s+(?:have\s+no|don't\s+have)\s++{_UP_TO_8}"
        r"(?:restrictions|limits|rules)",
    ),
    "html_comment_injection": _rule(
        "<!--", r"<!--", r"ignore|override|system|secret|hidden", r"-->", stop=">"
    ),
    "hidden_div": _rule(
        "display",
        r"""<\s{0,9}div\s+style\s{0,9}=\s{0,9}["']""",
        r"display\s{0,9}:\s{0,9}none",
        stop="",
    ),
    "translate_execute": _rule(
        "translate", r"translate\s+", r"\s+into\s+", r"\s+and\s+(?:execute|run|eval)"
    ),
    "deception_hide": _rule(
        "do not|do\n", rf"do\s+not\s++(?={_UP_TO_8}tell\s){_UP_TO_17}the\s+user"
    ),
    "role_hijack": _rule("now", rf"you\s+are\s++{_UP_TO_8}now\s+(?:an?|the)\s"),
    "role_pretend": _rule("pretend", rf"pretend\s++{_UP_TO_8}(?:you\s+are|to\s+be)\s"),
    "identity_override": _rule("yourself", r"\bname\s+yourself\s+\w"),
    "leak_system_prompt": _rule("output", rf"output\s++{_UP_TO_8}(?:system|initial)\s+prompt"),
    "remove_filters": _rule(
        "without",
        rf"(?:respond|answer|reply)\s+without\s++{_UP_TO_8}(?:restrictions|limitations|filters|safety)",
    ),
    "fake_update": _rule(
        "been", rf"you\s+have\s+been\s++{_UP_TO_8}(?:updated|upgraded|patched)\s+to"
    ),
    "c2_node_registration": _rule("register", r"register\s+(?:as\s+)?(?:a\s+)?node"),
    "c2_heartbeat": _rule(
        "heartbeat|beacon|check",
        r"(?:heartbeat|beacon)\s+to\s|check-?in\s+(?:to|with)\s"
        r"|check\s+in\s+(?:to|with)\s+(?:the\s+)?(?:base|server|controller|operator|hq|c2|command)\b",
    ),
    "c2_task_pull": _rule("pull", r"pull\s+(?:down\s+)?(?:new\s+)?task(?:ing|s)?\b"),
    "c2_network_connect": _rule("network", r"connect\s+to\s+the\s+network\b"),
    "forced_action": _rule(
        "must", r"you\s+must\s++(?:\w++\s++){0,3}?(?:register|connect|report|beacon)\b"
    ),
    "anti_forensic_oneliner": _rule("only", r"only\s+use\s+one[ -]?liners?\b"),
    "anti_forensic_disk": _rule(
        "disk", r"never\s+write\s+(?:(?:a|any)\s+)?(?:file|script)\s+(?:on)?to\s+(?:the\s+)?disk"
    ),
    "env_var_unset_agent": _rule(
        "unset", r"unset\s+\w*?(?:claude|codex|hermes|agent|openai|anthropic)"
    ),
    "known_c2_framework": _rule(
        "strike|sliver|havoc|mythic|metasploit|brainworm",
        r"\b(?:cobalt\s*strike|sliver(?!\s+of\b)|havoc|mythic|metasploit|brainworm)\b",
    ),
    "c2_explicit": _rule("c2", r"\bc2\s+(?:server|channel|infrastructure|beacon)\b"),
    "c2_explicit_long": _rule("command", r"\bcommand\s+and\s+control\b"),
    "exfil_curl": _rule("curl", r"curl\s+", _CREDENTIAL),
    "exfil_wget": _rule("wget", r"wget\s+", _CREDENTIAL),
    "read_secrets": _rule("cat", r"cat\s+", r"\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc"),
    "send_to_url": _rule("http", r"(?:send|post|upload|transmit)\s", r"\s+(?:to|at)\s+https?://"),
    "context_exfil": _rule(
        "include|output|print|share",
        rf"(?:include|output|print|share)\s++{_UP_TO_8}"
        r"(?:conversation|chat\s+history|previous\s+messages|(?:full|entire)\s+context)",
    ),
    "ssh_backdoor": _rule("authorized_keys", r"authorized_keys"),
    "ssh_access": _rule("/.ssh", r"(?:\$home|~)/\.ssh"),
    "hermes_env": _rule("/.hermes", r"(?:\$home|~)/\.hermes/\.env"),
    "agent_config_mod": _rule(
        "agents.md|claude.md|.cursorrules|.clinerules",
        _EDIT,
        r"agents\.md|claude\.md|\.cursorrules|\.clinerules",
    ),
    "hermes_config_mod": _rule(".hermes/", _EDIT, r"\.hermes/(?:config\.yaml|soul\.md)"),
    "hardcoded_secret": _rule(
        "key|token|secret|password",
        r"""(?:api[_-]?key|token|secret|password)\s{0,99}[=:]\s{0,99}["'][\w+/=-]{20}""",
    ),
}
"""What Hermes Agent 0.19 refuses to store and masks when it loads it, under its ids."""

INVISIBLE = (
    "\u200b\u200c\u200d\u2060\u2062\u2063\u2064\ufeff"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""The characters that Hermes refuses anywhere, whatever they are for."""

PHRASES: dict[str, Chain] = {
    "claims_approval": _rule(
        "approved|authori|consented",
        r"\b(?:user|human|operator|owner|admin)\s+(?:has\s+|have\s+)?(?:already\s+)?(?:pre-?)?"
        r"(?:approved|authori[sz]ed|consented\s+to)\s+(?:all|every|any|this|these)\b",
    ),
    "skips_review": _rule(
        "review|approval|confirmation|permission",
        r"\b(?:without|skip|bypass|no\s+need\s+for|never\s+ask\s+for|not\s+ask\s+for)\s+"
        r"(?:any\s+|the\s+|user\s+|human\s+)?(?:review|approval|confirmation|permission)s?\b",
    ),
    "drops_instructions": _rule(
        "ignore|forget|override|disregard|drop",
        r"\b(?:ignore|forget|override|disregard|drop)\s++(?:\w++\s++){0,4}?"
        r"(?:instructions?|rules|guidelines|prompts?)\b",
    ),
    "hides_from_user": _rule(
        "user|human|owner",
        r"\b(?:don't|do\s+not|never)\s+(?:ever\s+)?(?:tell|inform|alert|notify|mention|show|reveal)\s++"
        r"(?:\w++\s++){0,4}?(?:user|human|owner)\b",
    ),
    "new_persona": _rule(
        "from now on|henceforth", r"\b(?:from\s+now\s+on|henceforth),?\s+you\s+(?:are|will|must)\b"
    ),
    "pipe_to_shell": _rule(
        "curl|wget", r"\b(?:curl|wget)\s", r"\|\s{0,9}(?:sudo\s+)?(?:ba|z|da|k)?sh\b"
    ),
    "uploads_file": _rule(
        "curl",
        r"\bcurl\s",
        r"(?<=\s)(?:(?:-d|-f|--data(?:-binary)?)[ =]?[^\s@]{0,80}@[~./\w]|--upload-file\s)",
    ),
    "ssh_key_path": _rule("/.ssh/", r"/\.ssh/(?:id_\w{1,40}|authorized)"),
    "chat_template": _rule(
        "<|[inst]|[/inst]",
        r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant)>",
    ),
    "hermes_may_refuse": _rule("check|sliver", r"\bcheck\s+in\s+(?:to|with)\s|\bsliver\s+of\b"),
    "image_beacon": _rule("](http", r"!\[[^\]\n]{0,200}\]\(https?://[^)\s]{0,300}?[?&][^)\s]"),
}
"""Further phrases that deserve a look; notes, never a reason to refuse."""

_NAMED = r"(?:password|passwd|passphrase|secret|token|api[_ -]?key|access[_ -]?key|credentials?)"
_HAS_DIGIT = r"(?=[^\s]{0,60}?[0-9])"

SECRETS: dict[str, Chain] = {
    "secret_aws": _shape("AKIA|ASIA", r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b"),
    "secret_github": _shape(
        "gh|github_pat_", r"\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})"
    ),
    "secret_gitlab": _shape("glpat-", r"(?<![\w-])(glpat-[\w-]{20,200})"),
    "secret_sk": _shape(
        "sk-|sk_|rk_",
        r"(?<![\w-])(sk-(?=[\w-]{0,40}?[0-9])[\w-]{20,200}|[sr]k_(?:live|test)_\w{16,200})",
    ),
    "secret_slack": _shape(
        "xox|hooks.slack",
        r"(\bxox[abeoprs]-[\w-]{10,200}|\bhooks\.slack\.com/services/[\w/]{20,80})",
    ),
    "secret_google": _shape("AIza|ya29", r"\b(AIza[\w-]{35}|ya29\.[\w-]{20,300})"),
    "secret_package_index": _shape("npm_|pypi-", r"\b(npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{40,300})"),
    "secret_huggingface": _shape("hf_", r"\b(hf_[A-Za-z0-9]{30,60})\b"),
    "secret_jwt": _shape(
        "eyJ", r"(?<![\w-])(eyJ[\w-]{10,500}+\.eyJ[\w-]{10,2000}+\.[\w-]{5,1000})"
    ),
    "secret_private_key": _shape(
        "PRIVATE KEY", r"(-----BEGIN (?:[A-Z0-9]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----)"
    ),
    "secret_bot_token": _shape(":AA", r"\b(\d{8,10}:AA[\w-]{33})"),
    "secret_in_url": _shape("://", r"://[^\s/:@\"']{0,64}:([^\s/@\"']{3,128})@"),
    "secret_assigned": _rule(
        "pass|secret|token|key|credential",
        rf"{_NAMED}[\"']?\s{{0,9}}[:=]\s{{0,9}}[\"'`]?{_HAS_DIGIT}([^\s\"'`,;]{{6,200}})",
        group=1,
    ),
    "secret_spoken": _rule(
        "pass|secret|token|key|pin|code",
        r"\b(?:password|passphrase|passcode|pin|secret|token|api key|access key|code)\s+"
        rf"(?:is|was)\s+(?:now\s+)?[\"'`]?{_HAS_DIGIT}([^\s\"'`,;]{{4,200}})",
        group=1,
    ),
}
"""Shapes of credentials; the find is the credential itself. Never judged by entropy."""

_TOOL = r"(?:cmake|make|pip3?|npm|npx|git|docker|apt(?:-get)?|curl|ls|rm|cp|python3?)"

RESIDUE: dict[str, Chain] = {
    "residue_score": _rule("=", r"\b(?:score|recalls|confidence|weight|similarity|rank)=-?\d"),
    "residue_transcript": _rule(
        ":",
        r"(?:^|\n)[-*> \t]{0,9}(?:user|assistant|human|system|ai|tool)"
        r"\s{0,3}(?:\([^)\n]{0,40}\))?:\s",
    ),
    "residue_heading": _rule(
        "#", r"(?:^|\n)#{1,6} [^\n]{0,200}(?=(?:\n\s{0,200})?\Z|\n\s{0,200}#)"
    ),
    "residue_command": _rule(
        "$ |sudo |&&| -",
        r"(?:^|\n)[-* \t]{0,9}(?:\$ \S|sudo \S)|\S && \S"
        rf"|(?:(?:^|\n)[-* \t]{{0,9}}|\brun ){_TOOL} (?:[^\s-]\S{{0,40}} ){{0,4}}?--?\w",
    ),
    "residue_fragment": _rule(
        ",| and| or| the| to| of| because|...|\u2026",
        r"(?:,|\b(?:and|or|the|to|of|because|with)|\.\.\.|\u2026)\s{0,99}\Z",
    ),
}
"""Marks of text that a machine left over."""

ENCODED = "encoded_text"
"""Id of the rule for readable text in base64."""

INVISIBLE_RULE = "invisible_unicode_U+"
"""What the id of the rule for an invisible character begins with; its code point follows."""

WORDS: dict[str, str] = {
    **{
        f"{INVISIBLE_RULE}{ord(char):04X}": f"Holds the invisible character U+{ord(char):04X}."
        for char in INVISIBLE
    },
    "prompt_injection": "Reads like an order to ignore earlier instructions.",
    "sys_prompt_override": "Speaks of overriding the system prompt.",
    "disregard_rules": "Reads like an order to disregard rules.",
    "bypass_restrictions": "Asks to act as if there were no restrictions.",
    "html_comment_injection": "Hides words in an HTML comment.",
    "hidden_div": "Hides an HTML element.",
    "translate_execute": "Asks to translate something and run it.",
    "deception_hide": "Asks not to tell the user.",
    "role_hijack": "Gives the agent another role.",
    "role_pretend": "Asks the agent to pretend.",
    "identity_override": "Gives the agent another name.",
    "leak_system_prompt": "Asks to output the system prompt.",
    "remove_filters": "Asks to answer without safety or limits.",
    "fake_update": "Claims that the agent has been updated.",
    "c2_node_registration": "Speaks of registering as a node.",
    "c2_heartbeat": "Speaks of a heartbeat, a beacon or a check-in with somebody.",
    "c2_task_pull": "Speaks of pulling tasks from somewhere.",
    "c2_network_connect": "Asks to connect to the network.",
    "forced_action": "Says that the agent must report, register, connect or beacon.",
    "anti_forensic_oneliner": "Asks to use only one-liners.",
    "anti_forensic_disk": "Asks never to write files to disk.",
    "env_var_unset_agent": "Unsets a variable of an agent.",
    "known_c2_framework": "Names a tool for remote control.",
    "c2_explicit": "Names a command-and-control server or channel.",
    "c2_explicit_long": "Says command and control.",
    "exfil_curl": "Sends a secret variable with curl.",
    "exfil_wget": "Sends a secret variable with wget.",
    "read_secrets": "Prints a file that holds secrets.",
    "send_to_url": "Asks to send something to a web address.",
    "context_exfil": "Asks to hand out the conversation or the context.",
    "ssh_backdoor": "Names the file of authorised SSH keys.",
    "ssh_access": "Names the SSH folder.",
    "hermes_env": "Names the file of Hermes' secrets.",
    "agent_config_mod": "Asks to change an agent's instruction file.",
    "hermes_config_mod": "Asks to change Hermes' configuration.",
    "hardcoded_secret": "Holds what looks like a quoted secret.",
    "claims_approval": "Claims that a person has approved something.",
    "skips_review": "Speaks of doing without review or approval.",
    "drops_instructions": "Speaks of dropping instructions or rules.",
    "hides_from_user": "Speaks of keeping something from the user.",
    "new_persona": "Tells the agent what it is from now on.",
    "pipe_to_shell": "Runs in a shell what it downloads.",
    "uploads_file": "Uploads data with curl.",
    "ssh_key_path": "Names an SSH key file.",
    "chat_template": "Holds marks that separate speakers for a model.",
    "image_beacon": "Holds an image whose address carries data.",
    "hermes_may_refuse": "An everyday phrase that Hermes takes for a threat and may mask.",
    ENCODED: "Holds a readable sentence in base64.",
    "secret_aws": "Looks like an AWS access key.",
    "secret_github": "Looks like a GitHub token.",
    "secret_gitlab": "Looks like a GitLab token.",
    "secret_sk": "Looks like a secret API key.",
    "secret_slack": "Looks like a Slack token or webhook.",
    "secret_google": "Looks like a Google key or token.",
    "secret_package_index": "Looks like a token of a package index.",
    "secret_huggingface": "Looks like a Hugging Face token.",
    "secret_jwt": "Looks like a signed web token.",
    "secret_private_key": "Holds a private key.",
    "secret_bot_token": "Looks like the token of a bot.",
    "secret_in_url": "Holds a password in a web address.",
    "secret_assigned": "Assigns what looks like a credential.",
    "secret_spoken": "Says what looks like a credential.",
    "residue_score": "Holds a score, as a pipeline writes it.",
    "residue_transcript": "Begins a line with a speaker, as a transcript does.",
    "residue_heading": "Holds a heading without text below it.",
    "residue_command": "Holds a command line.",
    "residue_fragment": "Ends in the middle of a sentence.",
}
"""What to say to a person when a rule hits; its keys are all ids."""
