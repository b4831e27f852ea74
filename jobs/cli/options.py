"""The options that every command takes, before or after its name."""

from __future__ import annotations

# (flags, what its value is called or None for a switch, help)
GLOBAL_OPTIONS: tuple[tuple[tuple[str, ...], str | None, str], ...] = (
    (("--config",), "FILE", "configuration (~/.config/zecher/config.toml)"),
    (("--brain",), "DIR", "the brain to use (~/.bmad-plus/brain)"),
    (("--color",), "WHEN", "auto, always or never (auto)"),
    (("-q", "--quiet"), None, "only results and errors"),
    (("-v", "--verbose"), None, "every problem, every reason"),
    (("--debug",), None, "show the traceback of an unexpected error"),
    (("--now",), "ISO", "fix the clock, for tests and reproducible reports"),
    (("--version",), None, "print the version"),
    (("-h", "--help"), None, "print this help"),
)
