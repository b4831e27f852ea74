"""Which folders are workspaces in OpenClaw's layout, and by which rules dreaming looks at them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress

from brain.dreaming.memory_file import NAME
from brain.dreaming.values import Gates
from brain.portfolio import read_portfolio
from jobs.config import load_configuration
from jobs.config_values import ConfiguredDreaming
from jobs.machine import local_day
from jobs.places import cache_folder, index_brain, state_folder
from jobs.skips import read_skips
from scanner.mounts import read_mounts
from scanner.places import Places
from scanner.value import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobs.config_values import Configuration
    from jobs.surroundings import Surroundings
    from jobs.typed import Typed

_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[-_].*)?\.md")
_DEPTH = 4
_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """All that dreaming needs to know; ``today`` is the day on the clock of the jobs."""

    configured: ConfiguredDreaming
    brain: str
    state: str
    cache: str
    home: str
    now: float
    today: str

    @property
    def gates(self) -> Gates:
        """The gates as configured."""
        said = self.configured
        return Gates(
            min_score=said.min_score,
            min_recalls=said.min_recalls,
            min_queries=said.min_queries,
            min_days=said.min_days,
            max_age_days=said.max_age_days,
            half_life_days=said.half_life_days,
            limit=said.limit,
        )


def dream_settings(typed: Typed, surroundings: Surroundings) -> DreamSettings:
    """For a command."""
    configuration = load_configuration(surroundings, typed.text("config"))
    return settings_by(
        configuration, surroundings, index_brain(typed, surroundings, configuration), surroundings.now
    )


def settings_by(
    configuration: Configuration, surroundings: Surroundings, brain: str, now: float
) -> DreamSettings:
    """For the job; ``now`` in epoch seconds."""
    return DreamSettings(
        configured=configuration.dreaming,
        brain=brain,
        state=state_folder(surroundings, configuration),
        cache=cache_folder(surroundings, configuration),
        home=surroundings.home,
        now=now,
        today=local_day(now, configuration.schedule.zone),
    )


def is_workspace(root: str) -> bool:
    """Whether the folder holds ``MEMORY.md`` in this very case, or a dated note below ``memory``."""
    with suppress(OSError):
        # By the list of names: where upper and lower case are one, memory.md would answer, too.
        if NAME in os.listdir(root) and stat.S_ISREG(os.lstat(os.path.join(root, NAME)).st_mode):
            return True
    memory = os.path.join(root, "memory")
    return not os.path.islink(memory) and _has_note(memory, _DEPTH, [_ENTRIES])


def workspaces(settings: DreamSettings) -> tuple[str, ...]:
    """The real paths of all workspaces: those configured, and those among the indexed projects.

    Configured ones are named whether they are there or not; whoever reads them hears why.
    """
    configured = [os.path.realpath(path) for path in settings.configured.workspaces]
    return tuple(dict.fromkeys([*configured, *_indexed(settings)]))


def _indexed(settings: DreamSettings) -> Iterable[str]:
    skipped = read_skips(settings.state).paths
    places = Places(read_mounts())
    for card in sorted(read_portfolio(settings.brain).cards, key=lambda card: card.path):
        if card.path in skipped or places.may_hang(card.path) or not os.path.isdir(card.path):
            continue
        root = os.path.realpath(card.path)
        if is_workspace(root):
            yield root


def _has_note(folder: str, depth: int, left: list[int]) -> bool:
    below = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                left[0] -= 1
                if left[0] < 0:
                    return False
                if entry.is_file(follow_symlinks=False) and _DATED.fullmatch(entry.name):
                    return True
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    below.append(entry.path)
    except OSError:
        return False
    return depth > 0 and any(_has_note(path, depth - 1, left) for path in sorted(below))
