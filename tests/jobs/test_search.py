"""``zecher memory search``, ``get``, ``index``, and ``mem recall --ranking fused``, on real processes."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path

import pytest

from tests.jobs.program import Program, folder_state
from tests.support import write

DATA_KEYS = ["query", "scope", "engine", "stale", "rebuilt", "results", "total"]
RESULT_KEYS = [
    *("project", "root", "file", "line", "line_end", "heading", "kind", "class", "date", "status", "id"),
    *("score", "coverage", "confidence", "snippet", "matched", "also"),
]


@pytest.fixture
def shop(zecher: Program) -> Program:
    """The program in a project with a memory of every kind."""
    here = zecher.cwd
    write(here / "DECISIONS.md", "# Decisions\n\n## 2026-01-02 — Use SQLite\n\nOne file; backups are easy.\n")
    write(here / "PROGRESS.md", "# Progress\n\n## State\n\nThe login page works, Löschfristen are open.\n")
    write(
        here / ".agents/memory/sessions/2026-11-28-disk.md",
        "# Session\n\nThe nightly run failed: disk full.\n",
    )
    write(here / "memory/2026-11-29.md", "Rate limits are per customer now.\n")
    write(here / "MEMORY.md", "# Facts\n\n- The customer wants invoices as PDF.\n")
    write(
        here / ".bmad/memory/journal.ndjson",
        '{"ts":"2026-11-20T10:00:00.000Z","agent":"forge","task":"carousel","outcome":"success",'
        '"signals":{},"id":"abc123"}\n',
    )
    return zecher


def _files(program: Program, *words: str) -> list[str]:
    done = program("memory", "search", *words, "--json")
    assert done.code == 0, done.err
    return [os.path.relpath(one["file"], program.cwd) for one in done.data["results"]]


# -- search -------------------------------------------------------------------------------------------------


def test_a_document_has_the_keys_of_the_contract(shop: Program) -> None:
    done = shop("memory", "search", "backup", "SQLite", "--json")
    document = done.document
    (result,) = document["data"]["results"]

    assert (document["schema"], document["ok"], document["problems"]) == ("zecher.memory.search", True, [])
    assert list(document["data"]) == DATA_KEYS
    assert list(result) == RESULT_KEYS
    assert (result["file"], result["line"], result["line_end"]) == (f"{shop.cwd}/DECISIONS.md", 3, 5)
    assert (result["project"], result["class"], result["date"]) == ("here", "decision", "2026-01-02")
    assert (result["coverage"], result["confidence"]) == (pytest.approx(0.9, abs=0.1), "high")
    assert {one["as"] for one in result["matched"]} <= {"exact", "stem", "compound", "typo"}
    assert 0 < result["score"] <= 1


def test_notes_that_the_published_recall_does_not_see_are_found(shop: Program) -> None:
    for word, file in (
        ("SQLite", "DECISIONS.md"),
        ("Löschfrist", "PROGRESS.md"),
        ("disk", ".agents/memory/sessions/2026-11-28-disk.md"),
        ("invoice", "MEMORY.md"),
        ("carousel", ".bmad/memory/journal.ndjson"),
    ):
        assert _files(shop, word) == [file]
    assert shop("mem", "recall", "SQLite", "--json").document["count"] == 0


def test_one_section_in_two_folders_is_one_result_that_names_both(shop: Program) -> None:
    for folder in (".agents", ".bmad"):
        write(shop.cwd / folder / "memory/lessons.md", "### Pin clocks\n\nPass now in.\n")
    (result,) = shop("memory", "search", "pin clocks", "--json").data["results"]

    assert result["file"].endswith("here/.agents/memory/lessons.md")
    assert [os.path.relpath(one, shop.cwd) for one in result["also"]] == [".bmad/memory/lessons.md:1"]


def test_a_search_of_one_project_has_no_hit_of_another_and_one_of_all_names_it(
    zecher: Program, indexed: Path
) -> None:
    write(indexed / "shop/DECISIONS.md", "## Checkout\n\nThe checkout is slow.\n")
    write(indexed / "old/DECISIONS.md", "## Login\n\nThe login uses tokens.\n")
    write(zecher.home / ".bmad-plus/brain/lessons.md", "### Login\n\nNever log a login token.\n")
    own = zecher("memory", "search", "login", "-d", indexed / "shop", "--json").data
    everywhere = zecher(
        "memory", "search", "login", "-d", indexed / "shop", "--scope", "portfolio", "--json"
    ).data
    brain = zecher("memory", "search", "login", "-d", indexed / "shop", "--scope", "brain", "--json").data

    assert own["results"] == []
    assert {one["project"] for one in everywhere["results"]} == {"old", None}
    assert [one["file"] for one in brain["results"]] == [f"{zecher.home}/.bmad-plus/brain/lessons.md"]


def test_class_since_limit_and_coverage_narrow_a_search(shop: Program) -> None:
    for number in range(5):
        write(
            shop.cwd / f"memory/2026-10-0{number + 1}.md",
            f"deployment number {number} went {'well ' * number}\n",
        )
    write(shop.cwd / "docs/adr/1.md", "# Deployment\n\nBlue and green.\n")

    assert len(_files(shop, "deployment")) == 6
    assert _files(shop, "deployment", "--class", "decision") == ["docs/adr/1.md"]
    assert sorted(_files(shop, "deployment", "--since", "2026-10-04")) == [
        *("memory/2026-10-04.md", "memory/2026-10-05.md"),
    ]
    assert len(_files(shop, "deployment", "--limit", "2")) == 2
    assert _files(shop, "deployment", "blue", "--min-coverage", "0.9") == ["docs/adr/1.md"]


def test_of_daily_notes_the_young_goes_first_whatever_the_old_ones_are_called(shop: Program) -> None:
    for number, name in enumerate(("2026-05-01", "2026-05-01-slug", "sub/2026-05-01", "2026-11-29-x")):
        write(shop.cwd / f"memory/{name}.md", f"Kafka was upgraded {number}\n")
    write(shop.cwd / "memory/kafka-cluster.md", "# Brokers\n\nKafka was set up then\n")
    results = shop("memory", "search", "Kafka upgraded", "--json").data["results"]
    scores = {os.path.basename(one["file"]): one["score"] for one in results}

    assert os.path.relpath(results[0]["file"], shop.cwd) == "memory/2026-11-29-x.md"
    assert len({one["score"] for one in results if "2026-05-01" in one["file"]}) == 1
    assert scores["kafka-cluster.md"] > scores["2026-05-01.md"]  # a topic does not age


def test_a_full_match_goes_before_one_of_half_the_words(shop: Program) -> None:
    write(shop.cwd / "memory/a.md", "# A\nThe router stands in the cellar.\n")
    write(shop.cwd / "memory/b.md", "# B\nThe router has a VLAN for guests.\n")

    assert _files(shop, "router VLAN")[:2] == ["memory/b.md", "memory/a.md"]
    assert _files(shop, "router Xylophonkonzertsaal")[:1] in (["memory/a.md"], ["memory/b.md"])


def test_copies_of_one_note_do_not_push_out_another(shop: Program) -> None:
    for name in ("a", "b", "c"):
        write(shop.cwd / f"memory/{name}.md", "# Gateway\nThe backup gateway is in Frankfurt.\n")
    write(shop.cwd / "memory/d.md", "# Other\nThe gateway was replaced last year by a newer model.\n")

    assert len(_files(shop, "gateway", "--limit", "2")) == 2
    assert "memory/d.md" in _files(shop, "gateway", "--limit", "2")


def test_of_a_text_that_stands_everywhere_twenty_further_places_are_named(shop: Program) -> None:
    write(shop.cwd / "memory/many.md", "## Todo\nFind the walrus.\n" * 50)
    (hit,) = shop("memory", "search", "walrus", "--json").data["results"]
    assert (hit["line"], len(hit["also"])) == (1, 20)


def test_german_words_are_found_in_their_other_forms(shop: Program) -> None:
    write(shop.cwd / "memory/x.md", "# Notiz\nAlle Entscheidungen zur Überwachung stehen hier.\n")

    assert _files(shop, "Entscheidung") == ["memory/x.md"]
    assert _files(shop, "uberwachung") == _files(shop, "Ueberwachung") == ["memory/x.md"]


def test_what_nobody_wrote_about_is_not_answered(shop: Program) -> None:
    done = shop("memory", "search", "who won the football world cup 1998", "--json")

    assert done.code == 0
    assert all(one["confidence"] == "low" for one in done.data["results"])


def test_no_hit_is_no_failure(shop: Program) -> None:
    done = shop("memory", "search", "zebrafish")

    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.err.endswith("nothing found\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("",), "empty-query"),
        (("  ",), "empty-query"),
        ((), "empty-query"),
        (("x", "--limit", "0"), "bad-value"),
        (("x", "--limit", "101"), "bad-value"),
        (("x", "--limit", "many"), "bad-value"),
        (("x", "--scope", "world"), "bad-value"),
        (("x", "--class", "memories"), "bad-value"),
        (("x", "--since", "yesterday"), "bad-value"),
        (("x", "--since", "2026-02-30"), "bad-value"),
        (("x", "--min-coverage", "2"), "bad-value"),
        (("x", "--min-coverage", "nan"), "bad-value"),
    ],
)
def test_a_mistake_is_one_of_usage(shop: Program, words: tuple[str, ...], code: str) -> None:
    done = shop("memory", "search", *words)

    assert (done.code, done.out) == (2, "")
    assert f"[{code}]" in done.err


HOSTILE = (
    *("e2e-test", "state-of-the-art", "hello -foo", "-- -hello", "foo:bar", "title:x", "C++", "node.js"),
    *("src/a.go", "what?", "it's", "a,b", "50%", "@x", "#tag", "[x]", "x=y", "hello)", '"hello', 'hello"'),
    *(
        "AND",
        "NOT x",
        "x AND",
        "*",
        "NEAR",
        "hel*",
        "^hello",
        "hello + foo",
        "{a b}: x",
        "💥",
        "検索",
        "Straße",
    ),
    *("NOT AND OR NEAR", "LIKE '%q%'", r'C:\Users\dev "Windows-Pfade"', "{ci: pass} Schlüsselbund"),
    *('"too many connections"', "'; DROP TABLE note; --", "\udcff", "a" * 5000, "\x1b[31m", "NEAR(a b, 2)"),
    *("a " * 3000, "\u202e", "()", "''", '""', "text:login", "%s%n"),
)


def test_no_question_makes_it_fail_or_says_more_than_one_document(shop: Program) -> None:
    for question in HOSTILE:
        words = question.split(" ", 1) if question.startswith("-- ") else [question]
        done = shop("memory", "search", "--json", *words)
        assert done.code == 0, (question, done.err)
        assert done.document["ok"] is True
        assert "\x1b" not in done.out
    assert _files(shop, "login") == ["PROGRESS.md"]


def test_hostile_text_is_shown_harmless(shop: Program) -> None:
    write(shop.cwd / "memory/evil.md", "# Evil \x1b[2J heading\n\nkraken \x1b]0;owned\x07 \u202e text\ttab\n")

    for done in (shop("memory", "search", "kraken"), shop.at_terminal("memory", "search", "kraken")):
        assert "kraken" in done.out
        bare = re.sub("\x1b\\[[01]m", "", done.out)
        assert "\x1b" not in bare
        assert "\u202e" not in bare
    row = shop("memory", "search", "kraken").out.splitlines()[1].split("\t")
    assert len(row) == 12


def test_at_a_terminal_file_and_line_come_first_and_the_words_found_are_marked(shop: Program) -> None:
    shown = shop.at_terminal("memory", "search", "backup", "--explain").out.splitlines()

    assert f"{shop.cwd}/DECISIONS.md:3" in shown
    assert any("\x1b[1mbackups\x1b[0m" in line for line in shown)
    assert any("backup = backups (the same stem)" in line for line in shown)
    assert all(len(re.sub("\x1b\\[[01]m", "", line)) <= 80 for line in shown if not line.startswith("/"))
    assert shown[-1] == "1 result"


def test_in_a_pipe_a_search_explains_itself_in_a_column(shop: Program) -> None:
    plain = shop("memory", "search", "Löschfrist", "--format", "tsv").out.splitlines()
    rows = shop("memory", "search", "Löschfrist", "--format", "tsv", "--explain").out.splitlines()
    assert [row.split("\t")[-1] for row in rows] == ["matched", "loschfrist=loschfristen (stem)"]
    assert [row.rpartition("\t")[0] for row in rows] == plain


def test_colour_is_left_out_where_nobody_wants_it(shop: Program) -> None:
    assert "\x1b" not in shop.at_terminal("memory", "search", "backup", "--color", "never").out
    assert "\x1b" not in shop("memory", "search", "backup", "--color", "always", "--format", "table").out


# -- the same, whatever happened ----------------------------------------------------------------------------


def _index(program: Program) -> Path:
    return program.home / ".cache/zecher/search.sqlite"


def test_without_its_index_and_under_any_hash_seed_the_answer_is_the_same_to_the_byte(shop: Program) -> None:
    shop("memory", "index")
    before = shop("memory", "search", "customer login limits", "--json").out
    for path in _index(shop).parent.iterdir():
        path.unlink()
    after = shop("memory", "search", "customer login limits", "--json")
    assert after.out == before
    assert "the search index was made: there was none" in after.err
    for seed in range(5):
        shop.extra["PYTHONHASHSEED"] = str(seed)
        assert shop("memory", "search", "customer login limits", "--json").out == before


def test_an_index_that_grew_answers_as_one_made_at_once(shop: Program) -> None:
    for number in range(6):
        write(shop.cwd / "memory/log.md", "".join(f"## {one}\nlogin {one} failed\n" for one in range(number)))
        shop("memory", "search", "login", "--json")
    grown = shop("memory", "search", "login failed", "--json").out
    shop("memory", "index", "--force")

    assert shop("memory", "search", "login failed", "--json").out == grown


def test_a_damaged_index_is_made_anew_and_that_is_said(shop: Program) -> None:
    shop("memory", "index")
    _index(shop).write_bytes(b"garbage" * 1000)
    done = shop("memory", "search", "login", "--json")

    assert (done.code, done.data["rebuilt"], done.data["stale"]) == (0, "damaged", 0)
    assert len(done.data["results"]) == 1
    assert "the search index was made: it was damaged" in done.err
    assert shop("memory", "search", "login", "--json").data["rebuilt"] is None


def test_damage_that_only_the_question_meets_is_mended_too(shop: Program) -> None:
    shop("memory", "index")
    with sqlite3.connect(_index(shop)) as connection:
        connection.execute("DROP TABLE vocabulary")
    done = shop("memory", "search", "login", "--json")

    assert (done.code, done.data["rebuilt"], len(done.data["results"])) == (0, "damaged", 1)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE meta SET value = 'x' WHERE name = 'notes'",
        "UPDATE meta SET value = 'x' WHERE name = 'words'",
        "UPDATE note SET length = NULL",
        "UPDATE note SET length = 'z'",
        "UPDATE note SET line = 'x'",
        "UPDATE note SET file = NULL",
        "DELETE FROM vocabulary",
    ],
)
def test_a_damaged_value_in_the_index_is_mended_and_said(shop: Program, damage: str) -> None:
    shop("memory", "index")
    sound = shop("memory", "search", "Löschfrist", "--json")
    with sqlite3.connect(_index(shop)) as connection:
        connection.execute(damage)
    done = shop("memory", "search", "Löschfrist", "--json")

    assert (done.code, done.data["rebuilt"]) == (0, "drift")
    assert done.data["results"] == sound.data["results"] != []
    assert shop("memory", "search", "Löschfrist", "--json").data["rebuilt"] is None


def test_the_thorough_check_misses_no_word(shop: Program) -> None:
    shop("memory", "index")
    with sqlite3.connect(_index(shop)) as connection:
        connection.execute("DELETE FROM vocabulary WHERE term = 'loschfristen'")
    assert shop("memory", "index", "--json").data["rebuilt"] == "drift"


def test_what_is_too_much_to_read_before_an_answer_is_said(shop: Program) -> None:
    shop("memory", "index")
    for number in range(310):
        write(shop.cwd / f"memory/many/{number}.md", f"octopus {number}\n")
    done = shop("memory", "search", "octopus", "--limit", "100", "--json")

    assert done.data["stale"] == 10
    assert "10 files changed and not searched as they are now: zecher memory index" in done.err
    assert shop("memory", "index").err.endswith("10 new, 0 changed, 0 gone\n")
    assert shop("memory", "search", "octopus", "--json").data["stale"] == 0


def test_where_no_cache_can_be_kept_the_answer_comes_all_the_same(shop: Program) -> None:
    shop.extra["ZECHER_CACHE"] = str(write(shop.home / "file"))
    done = shop("memory", "search", "login", "--json")
    built = shop("memory", "index")

    assert (done.code, len(done.data["results"])) == (0, 1)
    assert "no search index can be kept in" in done.err
    assert [one["code"] for one in done.document["problems"]] == ["search-index"]
    recalled = shop("recall", "login", "--json").document
    assert [one["code"] for one in recalled["problems"]] == ["search-index"]
    fused = shop("mem", "recall", "login", "--ranking", "fused", "--json")
    assert [one["code"] for one in fused.document["problems"]] == ["search-index"]
    assert "mem recall: no search index can be kept in" in fused.err
    assert (built.code, "[search-index]" in built.err) == (1, True)


def test_files_that_hold_no_text_are_counted_as_left_out_until_they_do(shop: Program) -> None:
    for name, data in (("nul", b"a \0 walrus\n"), ("random", bytes(range(256)) * 8)):
        (shop.cwd / f"memory/{name}.md").write_bytes(data)

    first = shop("memory", "index", "--json").data
    again = shop("memory", "status", "--json").data["index"]
    assert (first["left_out"], again["left_out"], again["stale"]) == (2, 2, 0)
    assert "2 left out (too large, too deep, or no text)" in shop("memory", "status").out
    assert _files(shop, "walrus") == []

    (shop.cwd / "memory/nul.md").write_text("a walrus\n")
    assert _files(shop, "walrus") == ["memory/nul.md"]
    assert shop("memory", "status", "--json").data["index"]["left_out"] == 1


def test_the_status_says_that_no_index_can_be_kept(shop: Program) -> None:
    cache = shop.home / "cache"
    (cache / "search.sqlite").mkdir(parents=True)
    shop.extra["ZECHER_CACHE"] = str(cache)

    done = shop("memory", "status", "--json")
    assert [one["code"] for one in done.document["problems"]] == ["search-index"]
    assert "index    cannot be kept: something stands there that is no file" in shop("memory", "status").out


def test_the_state_of_the_index_stands_in_the_status(shop: Program) -> None:
    missing = shop("memory", "status", "--json").data["index"]
    shop("memory", "index")
    fresh = shop("memory", "status", "--json").data["index"]
    write(shop.cwd / "memory/new.md", "later\n")
    dirty = shop("memory", "status", "--json").data["index"]

    assert (missing["integrity"], missing["files"], missing["dirty"]) == ("missing", 0, True)
    assert (fresh["integrity"], fresh["files"], fresh["notes"], fresh["dirty"]) == ("ok", 6, 6, False)
    assert (dirty["stale"], dirty["dirty"]) == (1, True)
    assert "index    6 notes of 6 files, 1 stale, sound\n" in shop("memory", "status").out


def test_the_status_mends_an_index_whose_parts_disagree(shop: Program) -> None:
    shop("memory", "index")
    with sqlite3.connect(_index(shop)) as connection:
        connection.execute("UPDATE text_content SET c1 = 'other words'")
    told = shop("memory", "status", "--json").data["index"]

    assert (told["rebuilt"], told["integrity"], told["stale"]) == ("drift", "ok", 0)


def test_the_night_builds_the_index_of_all_projects(zecher: Program, indexed: Path) -> None:
    write(indexed / "shop/DECISIONS.md", "## Checkout\n\nThe checkout is slow.\n")
    write(zecher.home / ".config/zecher/config.toml", f'[scan]\nroots = ["{indexed}"]\n')
    done = zecher("run", "nightly", "--force")

    assert done.code in (0, 3), done.err
    with sqlite3.connect(_index(zecher)) as connection:
        assert connection.execute("SELECT path FROM source").fetchall() == [(f"{indexed}/shop/DECISIONS.md",)]


def test_the_night_keeps_what_a_workspace_outside_of_the_index_holds(
    zecher: Program, indexed: Path, tmp_path: Path
) -> None:
    write(tmp_path / "claw/memory/2026-11-29.md", "The walrus sleeps.\n")
    write(
        zecher.home / ".config/zecher/config.toml",
        f'[scan]\nroots = ["{indexed}"]\n[dreaming]\nworkspaces = ["{tmp_path}/claw"]\n',
    )
    assert zecher("run", "nightly").code == 0
    done = zecher("memory", "index", "--json").data
    assert (done["files"], done["added"]) == (1, 0)


def test_an_index_that_cannot_be_built_fails_no_night(zecher: Program, indexed: Path) -> None:
    write(zecher.home / ".config/zecher/config.toml", f'[scan]\nroots = ["{indexed}"]\n')
    _index(zecher).mkdir(parents=True)
    done = zecher("run", "nightly", "--force", "--json")

    assert done.data["outcome"] in ("ok", "partial")
    assert "search-index" in [one["code"] for one in done.document["problems"]]


# -- get ----------------------------------------------------------------------------------------------------


@pytest.fixture
def long(shop: Program) -> Program:
    write(shop.cwd / "memory/long.md", "".join(f"line {number}\n" for number in range(1, 301)))
    return shop


def test_get_gives_120_lines_and_says_where_it_goes_on(long: Program) -> None:
    done = long("memory", "get", "memory/long.md", "--json")
    data = done.data

    assert done.document["schema"] == "zecher.memory.get"
    assert list(data) == ["file", "from", "lines", "total", "text", "truncated", "nextFrom", "notice"]
    assert (data["from"], data["lines"], data["total"]) == (1, 120, 300)
    assert (data["truncated"], data["nextFrom"]) == (True, 121)
    assert data["text"].splitlines()[-1] == "line 120"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "290", "--lines", "50"), (290, 11, False, None)),
        (("--from", "500"), (500, 0, False, None)),
        (("--from", "300"), (300, 1, False, None)),
        (("--from", "121", "--lines", "2"), (121, 2, True, 123)),
    ],
)
def test_get_gives_the_lines_asked_for(
    long: Program, words: tuple[str, ...], told: tuple[int, int, bool, int | None]
) -> None:
    data = long("memory", "get", "memory/long.md", *words, "--json").data

    assert (data["from"], data["lines"], data["truncated"], data["nextFrom"]) == told


def test_a_line_longer_than_the_limit_is_cut_and_nothing_follows(long: Program) -> None:
    write(long.cwd / "memory/wide.md", "x" * 20_000 + "\n")
    data = long("memory", "get", "memory/wide.md", "--json").data

    assert (len(data["text"]), data["truncated"], data["nextFrom"]) == (12_000, True, None)
    assert "was cut" in data["notice"]


def test_the_limit_of_characters_ends_at_a_line(long: Program) -> None:
    write(long.cwd / "memory/wide.md", ("y" * 999 + "\n") * 30)
    data = long("memory", "get", "memory/wide.md", "--json").data

    assert (data["lines"], len(data["text"]), data["nextFrom"]) == (12, 11_999, 13)


def test_a_place_as_a_search_shows_it_can_be_given(long: Program) -> None:
    done = long("memory", "get", "memory/long.md:299")
    cited = long("memory", "get", "memory/long.md#L3-L4")

    assert (done.code, done.out, done.err) == (0, "line 299\nline 300\n", "")
    assert cited.out == "line 3\nline 4\n"


def test_the_file_is_looked_for_in_project_and_brain(long: Program) -> None:
    write(long.home / ".bmad-plus/brain/lessons.md", "mine\n")
    elsewhere = Program(long.home, long.home)

    assert elsewhere("memory", "get", "memory/long.md", "-d", long.cwd, "--lines", "1").out == "line 1\n"
    assert elsewhere("memory", "get", "lessons.md", "-d", long.cwd).out == "mine\n"


def test_what_lies_outside_of_the_memory_is_not_shown(long: Program, tmp_path: Path) -> None:
    write(long.cwd / "secret.md", "secret\n")
    write(long.cwd / "memory/notes.txt", "secret\n")
    write(tmp_path / "x.md", "secret\n")
    (long.cwd / "memory/link.md").symlink_to(tmp_path / "x.md")
    (long.cwd / "memory/folder").symlink_to(tmp_path)
    (long.cwd / "DREAMS.md").symlink_to(tmp_path / "x.md")
    for name in (
        *("../x.md", "secret.md", "memory/notes.txt", "memory/link.md", "memory/folder/x.md", "/etc/passwd"),
        *("memory/../secret.md", "DREAMS.md", str(tmp_path / "x.md"), "memory", "."),
    ):
        done = long("memory", "get", name)
        assert (done.code, done.out) == (1, ""), name
        assert re.search(r"\[(get-outside|get-link)\]", done.err), done.err


def test_a_missing_file_is_an_error_and_no_empty_text(long: Program) -> None:
    for name in ("memory/none.md", "MEMORY.md.md", "nul\0byte.md".replace("\0", "\\0")):
        done = long("memory", "get", name, "--json")
        assert (done.code, done.document["problems"][0]["code"]) == (1, "memory-not-found")


def test_a_pipe_gets_the_text_and_a_terminal_what_is_harmless(long: Program) -> None:
    write(long.cwd / "memory/evil.md", "a \x1b[2J b\n")

    assert long("memory", "get", "memory/evil.md").out == "a \x1b[2J b\n"
    assert "\x1b" not in long.at_terminal("memory", "get", "memory/evil.md").out


# -- fused --------------------------------------------------------------------------------------------------


def test_a_fused_recall_has_the_published_document(shop: Program) -> None:
    write(shop.cwd / ".bmad/memory/decisions.md", "### Carousel\n\nThe carousel is gone.\n")
    lexical = shop("mem", "recall", "carousel", "--json").document
    fused = shop("mem", "recall", "carousel", "--ranking", "fused", "--json").document

    assert list(fused) == list(lexical)
    assert (fused["ranking"], fused["count"]) == ("fused", 2)
    keys = {one["kind"]: list(one) for one in lexical["results"]}
    assert {one["kind"]: list(one) for one in fused["results"]} == keys
    events = [[one["event"] for one in found["results"] if "event" in one] for found in (lexical, fused)]
    assert events[0] == events[1]


def test_a_fused_recall_explains_itself_by_what_it_found(shop: Program) -> None:
    text = shop("mem", "recall", "Löschfrist", "--ranking", "fused", "--explain").out
    assert "loschfrist=loschfristen (stem)" in text
    assert "1/sqrt" not in text
    (hit,) = shop("mem", "recall", "Löschfrist", "--ranking", "fused", "--explain", "--json").document[
        "results"
    ]
    assert list(hit["explain"]) == ["score", "coverage", "confidence", "matched", "file", "line"]
    assert hit["explain"]["matched"] == [{"word": "loschfrist", "term": "loschfristen", "why": "stem"}]


def test_no_command_that_finds_shows_a_secret(shop: Program) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    write(
        shop.cwd / ".agents/memory/notes/flamingo.md",
        f"---\nsummary: flamingo {token}\n---\n\nflamingo {token}\n",
    )
    event = {"ts": "2026-11-20T10:00:00.000Z", "agent": "x", "task": f"flamingo {token}", "id": "a1"}
    write(shop.cwd / ".bmad/memory/journal.ndjson", json.dumps(event) + "\n")
    for words in (
        ("memory", "search", "flamingo", "--json"),
        ("memory", "search", "flamingo"),
        ("memory", "list"),
        ("memory", "list", "--json"),
        ("mem", "recall", "flamingo", "--ranking", "fused", "--json"),
        ("recall", "flamingo"),
    ):
        said = shop(*words).out
        assert "[REDACTED:" in said
        assert token not in said


def test_a_fused_recall_keeps_the_contract_of_errors(shop: Program) -> None:
    empty = shop("mem", "recall", " ", "--ranking", "fused", "--json")

    assert (empty.code, list(json.loads(empty.out))) == (1, ["error"])
    assert shop("mem", "recall", "zebrafish", "--ranking", "fused").code == 0
    assert shop("mem", "recall", "x", "--ranking", "fused", "--limit", "0").code == 1


def test_a_search_writes_nothing_into_project_and_brain(shop: Program) -> None:
    write(shop.home / ".bmad-plus/brain/lessons.md", "mine\n")
    before = folder_state(shop.cwd) | folder_state(shop.home / ".bmad-plus")
    shop("memory", "search", "login", "--scope", "portfolio")
    shop("memory", "index", "--force")
    shop("memory", "get", "MEMORY.md")

    assert folder_state(shop.cwd) | folder_state(shop.home / ".bmad-plus") == before
