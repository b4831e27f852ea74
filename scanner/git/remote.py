"""A remote's address fit to be stored and shown: without any credential.

When in doubt something is left out: the address names where a project came from, nobody connects with it.
"""

from __future__ import annotations

import re

_CAP = 2048
_HIDDEN = "***"

_CONTROL = re.compile(r"[\x00-\x20\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(/{2,})(.*)", re.DOTALL)
_HELPER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)::(.*)", re.DOTALL)
_LOCAL = re.compile(r"[/~]|\.{1,2}(?:/|$)|[A-Za-z]:[\\/]")
_PLAIN_SCP = re.compile(r"git@(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):")
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::[0-9]*)?")
_SSH = frozenset({"ssh", "git+ssh", "ssh+git"})
_COMMANDS = frozenset({"ext", "fd"})

_ASSIGNED = re.compile(
    r"(?i)((?:access[_-]?|auth[_-]?|private[_-]?|api[_-]?|job[_-]?)?"
    r"(?:token|key|secret|passw(?:or)?d|pwd|pat|sig(?:nature)?|credentials?|auth(?:orization)?|bearer))"
    r"(?:=|%3d|:)[^/;&]*"
)
# Shapes that are secret wherever they stand, even in a path.
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{10,}"
    r"|xox[a-z]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}|AT(?:ATT|BB|CTT)[A-Za-z0-9_=-]{16,}"
    r"|(?:sk|rk|pk)[_-](?:live|test|ant|proj)?[_-]?[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{20,}"
    r"|pypi-[A-Za-z0-9_-]{16,}|dckr_pat_[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|dop_v1_[a-f0-9]{32,}"
    r"|ya29\.[A-Za-z0-9_-]{16,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|hv[sb]\.[A-Za-z0-9_-]{20,}"
    r"|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[a-z2-7]{52}|x-(?:access|oauth)-(?:token|basic):[^/@]+"
)


def public_address(address: str) -> str:
    """``address`` without user names, passwords, tokens, query and fragment, control characters.

    ``git@`` before a host that is reached by ssh stays: it is everybody's user there and no secret. A
    transport helper keeps its name; a helper that runs a command (``ext::``) loses all else.
    """
    text = _CONTROL.sub("", address)[:_CAP]
    helper = _HELPER.match(text)
    if helper:
        name = helper[1].lower()
        return f"{name}::" if name in _COMMANDS else f"{name}::{public_address(helper[2])}"
    url = _URL.match(text)
    if url:
        scheme = url[1].lower()
        slashes = url[2] if scheme == "file" else "//"
        text = f"{scheme}:{slashes}{_without_userinfo(scheme, url[3])}"
    elif not _LOCAL.match(text):
        text = _scp_address(text)
    return _TOKENS.sub(_HIDDEN, _ASSIGNED.sub(rf"\1={_HIDDEN}", text))


def _without_userinfo(scheme: str, rest: str) -> str:
    """Host and path of what follows ``scheme://``."""
    authority, slash, path = rest.partition("/")
    if "@" not in authority and "@" in path and not _HOST.fullmatch(authority):
        # A password with an unescaped slash in it: the host comes after the last @.
        authority, slash, path = rest[rest.rindex("@") :].partition("/")
    user, _, host = authority.rpartition("@")
    host = re.split(r"[?#;\\]", host, maxsplit=1)[0]
    if not _HOST.fullmatch(host):
        host = host.partition(":")[0]
    kept = "git@" if scheme in _SSH and user == "git" else ""
    return kept + host + slash + re.split(r"[?#]", path, maxsplit=1)[0]


def _scp_address(text: str) -> str:
    """``host:path`` of an address without a scheme."""
    text = re.split(r"[?#]", text, maxsplit=1)[0]
    plain = _PLAIN_SCP.match(text)
    if plain:
        return text
    user, _, place = text.rpartition("@")
    return ("git@" if user == "git" else "") + place
