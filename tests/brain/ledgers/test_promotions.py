"""Reinforcement proposes a promotion once, when a pattern comes to the threshold, and never more."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from brain.files.errors import MemError
from brain.ledgers.promotions import Reinforced, reinforce
from tests.brain.ledgers.projects import make_memory, memory, names, records, start
from tests.support import DAY, NOW

GOLDEN = (
    '{"id":"%s","patternId":"rate limit","fromStatus":"candidate","toStatus":"validated",'
    '"reason":"mean 0.798 >= 0.7 after 3 updates","evidence":["e1","e2"],'
    '"score":{"elo":1245.8278203282016,"alpha":3.9404,"beta":1,"mean":0.7975872398996032,"updates":3,'
    '"lastTs":"2026-11-30T03:17:04.000Z"},"ts":"2026-11-30T03:17:04.000Z","status":"PROPOSED",'
    '"governedBy":"shield","approvedBy":null,"approvedAt":null}\n'
)


def pass_(project: Path, *, times: int = 1, now: float = NOW, ci: str = "pass") -> Reinforced:
    for _ in range(times):
        done = reinforce(str(project), "rate limit", {"ci": ci}, ["e1", "e2"], now=now)
    return done


def promotions(project: Path) -> list[dict[str, object]]:
    return records(memory(project) / "promotions.ndjson")


def decide(project: Path, status: str) -> None:
    """A person decides on the last proposal, in place."""
    file = memory(project) / "promotions.ndjson"
    lines = promotions(project)
    lines[-1]["status"] = status
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_two_rewards_propose_nothing(project: Path) -> None:
    """BMAD+ 0.22, thresholds of a promotion: three updates at least."""
    done = pass_(project, times=2)
    assert (done.reward, done.promotion) == (1.0, None)
    assert names(project) == {"pattern-scores.json"}


def test_the_third_reward_proposes_in_the_published_bytes(project: Path) -> None:
    done = pass_(project, times=3)
    key = b"rate limit\x002026-11-30T03:17:04.000Z\x00validated"
    text = (memory(project) / "promotions.ndjson").read_text()
    assert text == GOLDEN % hashlib.sha256(key).hexdigest()[:12]
    assert done.promotion == {**json.loads(text), "score": done.next}


def test_what_was_before_and_after_is_told(project: Path) -> None:
    first, second = pass_(project), pass_(project)
    assert (first.pattern_id, first.previous, second.previous) == ("rate limit", None, first.next)


def test_further_rewards_above_the_threshold_propose_nothing(project: Path) -> None:
    """BMAD+ 0.22 proposes again with every reward above the threshold."""
    pass_(project, times=3)
    assert pass_(project, times=3, now=NOW + 3600).promotion is None
    assert pass_(project, ci="fail").promotion is None
    assert len(promotions(project)) == 1


@pytest.mark.parametrize("status", ["PROPOSED", "APPROVED"])
def test_coming_back_to_the_threshold_proposes_nothing_while_one_is_open(project: Path, status: str) -> None:
    pass_(project, times=3)
    decide(project, status)
    pass_(project, times=2, ci="fail")
    pass_(project, times=6)
    assert len(promotions(project)) == 1


@pytest.mark.parametrize("status", ["REJECTED", "APPLIED"])
def test_coming_back_to_the_threshold_proposes_again_after_a_decision(project: Path, status: str) -> None:
    pass_(project, times=3)
    decide(project, status)
    assert pass_(project).promotion is None  # it stayed above
    pass_(project, times=2, ci="fail")
    pass_(project, times=6, now=NOW + 1)
    assert [line["status"] for line in promotions(project)] == [status, "PROPOSED"]


def test_a_proposal_for_another_pattern_is_none_for_this(project: Path) -> None:
    pass_(project, times=3)
    for _ in range(3):
        reinforce(str(project), "other", {"ci": "pass"}, now=NOW)
    assert [line["patternId"] for line in promotions(project)] == ["rate limit", "other"]


def test_a_damaged_line_among_the_proposals_is_left_and_skipped(project: Path) -> None:
    file = make_memory(project) / "promotions.ndjson"
    file.write_bytes(b"garbage\nnull\n{torn")
    pass_(project, times=3)
    assert file.read_bytes().startswith(b"garbage\nnull\n{torn\n{")


@pytest.mark.parametrize("pattern", ["", " \t"])
def test_a_reinforcement_without_a_pattern_is_refused(project: Path, pattern: str) -> None:
    with pytest.raises(MemError, match="--pattern"):
        reinforce(str(project), pattern, {"ci": "pass"}, now=NOW)
    assert list(project.iterdir()) == []


def test_a_reinforcement_without_a_signal_is_refused(project: Path) -> None:
    """BMAD+ 0.22 counts it as a full failure."""
    with pytest.raises(MemError, match="--eval, --accept or --ci"):
        reinforce(str(project), "a", {}, now=NOW)
    assert list(project.iterdir()) == []


def test_a_linked_ledger_of_proposals_is_refused_before_anything_is_written(project: Path) -> None:
    (project / "real").write_text("")
    (make_memory(project) / "promotions.ndjson").symlink_to(project / "real")
    with pytest.raises(MemError, match="symbolic link"):
        pass_(project)
    assert names(project) == {"promotions.ndjson"}


def test_a_proposal_that_cannot_be_stored_leaves_the_score(project: Path) -> None:
    pass_(project, times=2)
    (memory(project) / "promotions.ndjson").mkdir()
    before = (memory(project) / "pattern-scores.json").read_bytes()
    with pytest.raises(MemError):
        pass_(project)
    assert (memory(project) / "pattern-scores.json").read_bytes() == before


def test_a_pattern_that_rested_long_is_proposed_when_it_comes_back(project: Path) -> None:
    pass_(project, times=3)
    decide(project, "REJECTED")
    pass_(project, ci="fail", now=NOW + 400 * DAY)
    pass_(project, times=9, now=NOW + 401 * DAY)
    assert len(promotions(project)) == 2


def test_four_writers_at_once_count_every_reward_and_propose_once(project: Path, full: bool) -> None:
    count = 100 if full else 15
    running = [start("reinforce", project, "hot", str(count)) for _ in range(4)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    stored = json.loads((memory(project) / "pattern-scores.json").read_text())
    assert stored["hot"]["updates"] == 4 * count
    assert len(promotions(project)) == 1
    assert names(project) == {"pattern-scores.json", "promotions.ndjson"}
