"""``zecher loops`` from outside: what is open, when it is due, done, snoozed, open again.

Written from the reference and the help alone, without a look at the code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import Git

SECRET = "sk-" + "a1B2c3D4e5" * 4
MEMORY = f"""\
# M

- [ ] Pay the domain (due: 2026-11-25)
- [ ] Rechnung prüfen bis: 2026-12-02
- [ ] Payer le serveur @2026-12-20
- [x] done one (due: 2026-11-20)
- Open loop: ask Tom about the lease
- Waiting for: the permit of the city
- Warten auf: die Freigabe von Huber
- En attente : la réponse de Leduc
- Do not deploy the shop. expires: 2026-11-20; owner: Tom
- [ ] secret {SECRET} (due: 2026-12-01)
```
- [ ] in code (due: 2026-11-01)
```
"""


class Shop:
    """One project with open loops, and the program in it."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        self.project = tmp_path / "shop"
        self.project.mkdir()
        self.memory = self.project / "MEMORY.md"
        self.memory.write_text(MEMORY)
        self.note("2026-11-28", "- [ ] From a note (due: 2026-12-01)\n")
        self.run = Program(home, self.project)

    def note(self, day: str, text: str) -> None:
        path = self.project / f"memory/{day}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def loops(self, *args: str, now: str | None = None) -> list[dict[str, Any]]:
        run = Program(self.run.home, self.run.cwd, {"ZECHER_NOW": now} if now else {})
        done = run("loops", "list", "-d", self.project, *args, "--json")
        assert done.code == 0, done.out
        found = done.data["loops"]
        assert isinstance(found, list)
        return found

    def id_of(self, text: str) -> str:
        (found,) = [one["id"] for one in self.loops("--all") if one["text"] == text]
        return str(found)


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Shop:
    return Shop(home, tmp_path)


def test_what_is_open_stands_there_once_and_what_is_overdue_first(shop: Shop) -> None:
    found = [(one["state"], one["due"], one["text"]) for one in shop.loops()]
    assert found[:2] == [
        ("overdue", "2026-11-20", "Do not deploy the shop"),
        ("overdue", "2026-11-25", "Pay the domain"),
    ]
    texts = [text for _, _, text in found]
    assert len(texts) == len(set(texts)) == 10
    assert ("due", "2026-12-02", "Rechnung prüfen") in found
    assert ("open", "2026-12-20", "Payer le serveur") in found
    assert not {"done one", "in code"} & set(texts)
    assert SECRET not in str(found)


def test_labels_in_three_languages_make_loops(shop: Shop) -> None:
    kinds = {one["text"]: one["kind"] for one in shop.loops()}
    for text in ("the permit of the city", "die Freigabe von Huber", "la réponse de Leduc"):
        assert kinds[text] == "waiting"
    assert kinds["ask Tom about the lease"] == "open-loop"
    assert kinds["Do not deploy the shop"] == "restriction"


def test_only_what_is_due_within_a_week(shop: Shop) -> None:
    assert {one["state"] for one in shop.loops("--due")} == {"overdue", "due"}
    assert len(shop.loops("--due")) == 5


def test_done_stays_done_though_the_line_moves_and_no_file_is_touched(shop: Shop) -> None:
    before = folder_state(shop.project)
    identity = shop.id_of("Pay the domain")
    assert shop.run("loops", "done", identity[:5], "-d", shop.project).code == 0
    assert folder_state(shop.project) == before
    shop.memory.write_text("new line above\n\n" + shop.memory.read_text())
    assert "Pay the domain" not in [one["text"] for one in shop.loops()]
    assert ("done", identity) in [(one["state"], one["id"]) for one in shop.loops("--all")]
    assert shop.run("loops", "reopen", identity, "-d", shop.project).code == 0
    assert shop.loops()[1]["id"] == identity


def test_another_day_or_other_words_are_a_new_loop(shop: Shop) -> None:
    shop.run("loops", "done", shop.id_of("Pay the domain"), "-d", shop.project)
    shop.memory.write_text(shop.memory.read_text().replace("2026-11-25", "2026-12-24"))
    assert ("Pay the domain", "2026-12-24") in [(one["text"], one["due"]) for one in shop.loops()]


def test_what_is_snoozed_returns_on_its_day(shop: Shop) -> None:
    done = shop.run("loops", "snooze", shop.id_of("Pay the domain"), "--until", "2w", "-d", shop.project)
    assert (done.code, "2026-12-14" in done.out) == (0, True)
    for now, there in (("2026-12-13T12:00:00Z", False), ("2026-12-14T12:00:00Z", True)):
        assert ("Pay the domain" in [one["text"] for one in shop.loops(now=now)]) is there


def test_an_unknown_id_is_an_error_and_changes_nothing(shop: Shop) -> None:  # G53
    known = shop.id_of("Pay the domain")
    done = shop.run("loops", "done", known, "ffffffff", "-d", shop.project)
    assert (done.code, "why:" in done.err, "fix:" in done.err) == (1, True, True)
    assert known in [one["id"] for one in shop.loops()]


def test_wrong_words_are_usage(shop: Shop) -> None:
    for words in (("done",), ("snooze", "abc"), ("snooze", "abc", "--until", "2020-01-01")):
        done = shop.run("loops", *words)
        assert (done.code, done.out, "fix:" in done.err) == (2, "", True)


def test_the_weekly_report_and_where_were_we_show_them(shop: Shop) -> None:
    Git(shop.project)("init", "-q", ".")
    assert shop.run("scan", shop.project, "--yes").code == 0
    assert shop.run("run", "weekly").code == 0
    report = (shop.run.home / ".bmad-plus/reports/latest.md").read_text()
    section = report.split("## Open loops and due items", 1)[1].split("\n## ")[0]
    assert "- overdue 2026-11-25: shop, `MEMORY.md:3`: Pay the domain" in section
    assert SECRET not in report
    card = shop.run("resume", "shop").out
    assert "overdue 2026-11-25: Pay the domain" in card
    assert SECRET not in card


def test_help_has_examples(shop: Shop) -> None:
    assert "examples:\n  zecher loops" in shop.run("loops", "snooze", "--help").out
