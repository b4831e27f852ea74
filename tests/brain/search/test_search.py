from __future__ import annotations

from collections.abc import Iterator

import pytest

from brain.search.reader import Reader
from brain.search.search import search
from brain.search.store import Store, open_store
from brain.search.values import Query, Section, Source
from tests.support import NOW

DAY = 86_400


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store(":memory:")
    yield opened
    opened.close()


def _files(store: Store, query: Query) -> list[str]:
    return [hit.file for hit in search(store, query).results]


def test_a_hit_says_where_it_stands_and_shows_it(store: Store) -> None:
    section = Section(
        "The cache key\ncontains the locale.",
        title="Decisions Cache",
        heading="## Cache",
        line=7,
        line_end=9,
        date="2026-11-02",
        event="e1",
    )
    store.write(
        [(Source("/p/d.md", project="shop", root="/p", kind="decisions", klass="decision"), [section])]
    )
    (hit,) = search(store, Query("locale")).results
    assert (hit.project, hit.root, hit.file, hit.line, hit.line_end) == ("shop", "/p", "/p/d.md", 7, 9)
    assert (hit.heading, hit.kind, hit.klass, hit.date) == ("## Cache", "decisions", "decision", "2026-11-02")
    assert (hit.event, hit.status, hit.also) == ("e1", "active", ())
    assert hit.snippet == "The cache key contains the locale."
    assert hit.body == "The cache key\ncontains the locale."
    assert 0 < hit.score < 1
    assert (hit.coverage, hit.confidence) == (1.0, "high")


def test_a_project_is_asked_alone_and_the_portfolio_as_a_whole(store: Store) -> None:
    for name in ("shop", "blog", ""):
        store.write([(Source(f"/{name}/a.md", project=name), [Section(f"The login of {name or 'all'}.")])])
    assert _files(store, Query("login", scope="project", project="shop")) == ["/shop/a.md"]
    assert _files(store, Query("login", scope="project", project="other")) == []
    assert _files(store, Query("login", scope="brain")) == ["//a.md"]
    assert sorted(_files(store, Query("login"))) == ["//a.md", "/blog/a.md", "/shop/a.md"]


def test_one_class_is_asked_alone(store: Store) -> None:
    store.write(
        (Source(f"/{klass}.md", klass=klass), [Section(f"login {klass}")]) for klass in ("decision", "doc")
    )
    assert _files(store, Query("login", klass="doc")) == ["/doc.md"]


def test_since_leaves_out_what_is_older_or_undated(store: Store) -> None:
    for date in ("2026-01-01", "2026-06-01", ""):
        store.write([(Source(f"/{date}.md"), [Section(f"login {date}", date=date)])])
    assert _files(store, Query("login", since="2026-03-01")) == ["/2026-06-01.md"]


def test_the_same_text_in_two_places_is_one_hit_that_names_both(store: Store) -> None:
    for folder in (".bmad/memory", ".agents/memory"):
        store.write([(Source(f"/p/{folder}/l.md"), [Section("Pin the pool size.", title="Pool", line=3)])])
    (hit,) = search(store, Query("pool size")).results
    assert (hit.file, hit.also) == ("/p/.agents/memory/l.md", ("/p/.bmad/memory/l.md:3",))


def test_many_copies_do_not_crowd_out_another_answer(store: Store) -> None:
    store.write((Source(f"/{at:03}.md"), [Section("login login login")]) for at in range(200))
    store.write([(Source("/other.md"), [Section("the login page of the shop")])])
    found = search(store, Query("login"))
    assert [hit.file for hit in found.results] == ["/000.md", "/other.md"]
    assert len(found.results[0].also) == 20


def test_events_fade_and_decisions_do_not(store: Store) -> None:
    for klass in ("event", "decision"):
        for date in ("2026-11-29", "2026-10-31", "2020-01-01"):
            store.write(
                [(Source(f"/{klass}-{date}", klass=klass), [Section(f"login {date[:7]} {klass}", date=date)])]
            )
    scores = {hit.file: hit.score for hit in search(store, Query("login", now=NOW)).results}
    fresh = search(store, Query("login")).results[0].score
    assert {scores[f"/decision-{date}"] for date in ("2026-11-29", "2026-10-31", "2020-01-01")} == {fresh}
    assert scores["/event-2026-11-29"] == pytest.approx(fresh * 0.5 ** ((NOW % DAY / DAY + 1) / 30), abs=1e-6)
    assert scores["/event-2026-10-31"] == pytest.approx(fresh / 2, abs=0.01)
    assert scores["/event-2020-01-01"] == pytest.approx(fresh * 0.2, abs=1e-6)


def test_a_date_that_is_none_does_not_age(store: Store) -> None:
    store.write([(Source("/e", klass="event"), [Section("login", date="2026-99-99")])])
    assert (
        search(store, Query("login", now=NOW)).results[0].score
        == search(store, Query("login")).results[0].score
    )


def test_what_is_set_aside_counts_half(store: Store) -> None:
    for status in ("active", "superseded"):
        store.write([(Source(f"/{status}"), [Section(f"login as it is {status}", status=status)])])
    first, second = search(store, Query("login")).results
    assert (first.file, second.file) == ("/active", "/superseded")
    assert second.score == pytest.approx(first.score / 2)


def test_of_equal_scores_the_younger_comes_first_then_project_file_and_line(store: Store) -> None:
    for project, name, line, date in (
        ("b", "/x", 1, ""),
        ("a", "/z", 1, ""),
        ("a", "/y", 9, ""),
        ("c", "/w", 1, "2026-01-01"),
    ):
        section = Section(f"login {project}{name[1]}", line=line, date=date)
        store.write([(Source(name, project=project), [section])])
    assert _files(store, Query("login")) == ["/w", "/y", "/z", "/x"]


def test_what_covers_too_little_is_left_out_and_little_is_low(store: Store) -> None:
    store.write([(Source("/a"), [Section("login")]), (Source("/b"), [Section("something else")])])
    text = "login quokka zebra"
    (hit,) = search(store, Query(text)).results
    assert (hit.confidence, hit.coverage < 0.3) == ("low", True)
    assert search(store, Query(text, min_coverage=0.3)).results == ()
    assert search(store, Query("login quokka zebra wombat dingo emu platypus koala")).results == ()


def test_the_limit_limits_the_results_and_not_the_total(store: Store) -> None:
    store.write((Source(f"/{at}"), [Section(f"login number{at}")]) for at in range(30))
    found = search(store, Query("login", limit=5))
    assert (len(found.results), found.total) == (5, 30)
    assert search(store, Query("login", limit=0)).results == ()


def test_of_near_repetitions_the_second_stands_behind_another_answer(store: Store) -> None:
    text = "login fails when the clock of the phone is wrong"
    store.write(
        [
            (Source("/a"), [Section(f"{text} today")]),
            (Source("/b"), [Section(f"{text} again")]),
            (Source("/c"), [Section("login needs a second factor since May, for the staff first")]),
        ]
    )
    assert _files(store, Query("login clock")) == ["/a", "/b", "/c"]
    store.write([(Source("/c"), [Section("login needs the clock of the server, not of a browser")])])
    assert _files(store, Query("login clock")) == ["/a", "/c", "/b"]


def test_an_empty_index_finds_nothing(store: Store) -> None:
    assert search(store, Query("login")).results == ()


def test_a_word_that_most_notes_hold_is_not_asked_for_beside_a_rare_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each note that holds it was looked at, for nothing: an identifier took five times as long as words."""
    store.write((Source(f"/{at:03}.md"), [Section(f"shop customer{at}")]) for at in range(200))
    asked: list[list[str]] = []
    as_it_was = Reader.candidates

    def candidates(reader: Reader, terms: list[str], query: Query, limit: int) -> list[int]:
        asked.append(list(terms))
        return as_it_was(reader, terms, query, limit)

    monkeypatch.setattr(Reader, "candidates", candidates)
    rare = search(store, Query("shop customer7"))
    everything = search(store, Query("shop customer7", min_coverage=0.0))
    alone = search(store, Query("shop"))
    assert ["shop" in terms for terms in asked] == [False, True, True]
    assert rare.results[0] == everything.results[0]
    assert rare.results[0].coverage == 1.0
    assert (len(everything.results), len(alone.results)) == (20, 20)
