"""A project that keeps all parts of the handover, in three languages: no rule has anything to say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brain.health import bank, bootstrap, decisions, entry_file, git_state, init_script, progress
from brain.health.values import FileHistory, GitFacts, RecordedCommit
from tests.brain.health.examined import DECISIONS, ENGLISH, PROGRESS, PROTOCOL, Examined, project
from tests.brain.health.test_rules_init_script import SEED

RULES = tuple(
    rule
    for family in (progress, decisions, entry_file, init_script, bootstrap, git_state, bank)
    for rule in family.RULES
)
LOG = """\
# Decisions

## 2026-03-14 - Search by tsvector
- Decision: tsvector with a GIN index
- Rationale: LIKE needs 1.8 s for 200k products
- Rejected: Elasticsearch, one more service to run
- Constraint: German and English only
"""
SHIFT = """\
# Rules

## Session start
1. Read PROGRESS.md and DECISIONS.md.
2. Run make check.

## Session end
1. Run make check, commit the green state.
2. Update PROGRESS.md: HEAD, tests, blockers, next step.
"""
AVANCEMENT = """\
# Avancement

## Objectif actuel
Recherche dans le catalogue

## État
- HEAD : 4f2a9c1
- `make check` : vert, 142/142 tests

## Blocages
aucun

## Prochaine étape
Pagination de GET /search, critère : le test de la page 2 est vert
"""
JOURNAL = """\
# Décisions

## 2026-03-14 - Recherche par tsvector
- Décision : tsvector avec un index GIN
- Raison : LIKE demande 1,8 s pour 200 000 produits
- Écarté : Elasticsearch, un service de plus
- Contrainte : allemand et anglais seulement
"""
EQUIPE = """\
# Règles

## Début de session
1. Lire PROGRESS.md et DECISIONS.md.
2. Lancer make check.

## Fin de session
1. Lancer make check, valider l'état vert.
2. Mettre à jour PROGRESS.md.
"""
GIT = GitFacts(
    head="4f2a9c1" + 33 * "0",
    commits=tuple((f"{n:040x}", 1e9 - n, f"search: page {n} keeps its filter", False) for n in range(20)),
    recorded=(RecordedCommit("4f2a9c1", known=True, ancestor=True, drift=0),),
    histories=(FileHistory("PROGRESS.md", ((1e9, 3, 3, 600),) * 10),),
    last_files=3,
    last_lines=40,
)
LANGUAGES = [(PROGRESS, DECISIONS, PROTOCOL), (ENGLISH, LOG, SHIFT), (AVANCEMENT, JOURNAL, EQUIPE)]


def model(root: Path, texts: tuple[str, str, str]) -> Examined:
    made = project(root, PROGRESS=texts[0], DECISIONS=texts[1], AGENTS=texts[2])
    made.has("Makefile", "setup:\n\tuv sync\ncheck:\n\tpytest\n").has("scripts/init.sh", SEED)
    made.has("tests/test_shop.py", "def test_page():\n    assert 1\n")
    made.has("TASKS.md", "# Tasks\n\n- [ ] paging, done when the test for page 2 is green\n")
    earlier = (texts[1].encode(),)
    made.git = replace(GIT, histories=(*GIT.histories, FileHistory("DECISIONS.md", earlier=earlier)))
    return made


@pytest.mark.parametrize("texts", LANGUAGES, ids=["German", "English", "French"])
def test_the_model_project_has_no_finding(tmp_path: Path, texts: tuple[str, str, str]) -> None:
    assert model(tmp_path, texts).codes(RULES) == []


@pytest.mark.parametrize("texts", LANGUAGES, ids=["German", "English", "French"])
def test_each_part_that_the_model_project_loses_is_found(tmp_path: Path, texts: tuple[str, str, str]) -> None:
    """Lines are taken out one by one; the rule that asks for them must speak, and no warning of another."""
    progress_text, log, shift = texts
    fields = [number for number, line in enumerate(progress_text.split("\n")) if line.startswith("## ")]
    told = []
    for number, field in enumerate(fields):
        lines = progress_text.split("\n")
        end = fields[number + 1] if number + 1 < len(fields) else len(lines)
        short = "\n".join(lines[:field] + lines[end:])
        made = model(tmp_path / f"field{number}", (short, log, shift))
        told.append(made.codes(RULES, "warning", "error"))

    assert told == [["p-goal"], ["p-head-missing", "p-state", "p-tests"], ["p-block"], ["p-next"]]

    rejected = next(
        line for line in log.split("\n") if line.startswith(("- Verworfen", "- Rejected", "- Écarté"))
    )
    without = log.replace(rejected, "").replace("  der Pflegeaufwand lohnt sich nicht.\n", "")
    made = model(tmp_path / "rejected", (progress_text, without, shift))
    made.git = GIT
    assert made.codes(RULES, "warning", "error") == ["d-rejected"]

    assert model(tmp_path / "shift", (progress_text, log, "# Rules\n\nUse tabs.\n")).codes(
        RULES, "warning"
    ) == ["s-protocol"]
