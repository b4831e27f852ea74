from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from brain.remember.errors import RememberError
from brain.remember.places import project_places, user_places
from brain.remember.remember import remember
from brain.remember.values import Remembered
from tests.jobs.program import ROOT, folder_state
from tests.support import NOW, write

STAMP = " <!-- zecher: 2026-11-30 {} -->"
Keep = Callable[..., Remembered]


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    path = tmp_path / "brain"
    path.mkdir()
    return path


@pytest.fixture
def keep(brain: Path) -> Keep:
    """Remembers something about the user."""

    def keep(text: str, category: str = "general", **more: object) -> Remembered:
        return remember(user_places(str(brain)), text, category=category, now=NOW, **more)  # type: ignore[arg-type] # told below

    return keep


def body(path: str | Path) -> str:
    return Path(path).read_text().split("---\n", 2)[2].strip("\n")


def test_the_first_observation_makes_one_file_that_holds_it_alone(brain: Path, keep: Keep) -> None:
    done = keep("prefers dark mode", "preferences")

    assert (done.outcome, done.line) == ("created", 5)
    assert list(folder_state(brain)) == ["memory/preferences.md"]
    assert body(done.file) == "prefers dark mode" + STAMP.format(done.id)


def test_the_second_one_is_appended_after_one_blank_line(brain: Path, keep: Keep) -> None:
    first, second = keep("prefers dark mode", "preferences"), keep("uses vim keys", "preferences")

    assert (second.outcome, second.line) == ("appended", 7)
    assert list(folder_state(brain)) == ["memory/preferences.md"]
    assert body(second.file) == "\n\n".join(
        ["prefers dark mode" + STAMP.format(first.id), "uses vim keys" + STAMP.format(second.id)]
    )


def test_other_spellings_of_a_category_go_into_its_file_and_leave_its_title(brain: Path, keep: Keep) -> None:
    for number, category in enumerate(("Ongoing Work", "ongoing work", "ongoingWork")):
        done = keep(f"fact {number}", category)

    assert list(folder_state(brain)) == ["memory/ongoing-work.md"]
    assert done.category == "Ongoing Work"
    assert 'title: "Ongoing Work"' in Path(done.file).read_text()
    assert body(done.file).count("fact ") == 3


@pytest.mark.parametrize(
    "names", [("C", "C++", "C#"), ("Größe & Maß", "Grosse Mass"), ("🎉", "🎊"), ("a/b", "a b")]
)
def test_different_categories_never_share_a_file(brain: Path, keep: Keep, names: Sequence[str]) -> None:
    for name in (*names, *names):
        keep(f"about {name} {len(folder_state(brain))}", name)

    assert len(folder_state(brain)) == len(names)
    for name in names:
        again = keep("one more", name)
        assert again.category == name
        assert f"about {name} " in body(again.file)
        Path(again.file).write_text(Path(again.file).read_text().replace("one more", f"more of {name}"))


@pytest.mark.parametrize("name", ["a/b", "..secret", "C:\\x", "../../../x", "/etc/x"])
def test_a_category_is_never_a_path(brain: Path, keep: Keep, name: str) -> None:
    done = keep("a fact", name)

    assert Path(done.file).parent == brain / "memory"
    assert [path.name for path in brain.parent.iterdir()] == ["brain"]
    assert [path for path in (brain / "memory").iterdir() if path.is_dir()] == []


def test_300_signs_of_a_category_are_one_file_and_300_others_another(brain: Path, keep: Keep) -> None:
    keep("a", "字" * 300)
    keep("b", "字" * 300)
    keep("c", "字" * 299 + "見")

    assert sorted(data.count(b"zecher:") for data in folder_state(brain).values()) == [1, 2]


@pytest.mark.parametrize("category", ["x#y", "[x]", "a|b", "a\nb", "   "])
def test_a_name_that_is_none_writes_nothing(brain: Path, keep: Keep, category: str) -> None:
    with pytest.raises(RememberError):
        keep("a fact", category)
    assert list(brain.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("  \n ", "observation-blank"),
        ("a\x00b", "observation-refused"),
        ("a\x1b[31mb", "observation-refused"),
        ("a\ud800", "observation-refused"),
        ("a\u202eb", "observation-refused"),
        ("a\U000e0041\U000e0042", "observation-refused"),
        *(
            (f"a{sign}b", "observation-refused")
            for sign in "\u200b\u00ad\u2060\ufeff\u115f\u3164\u061c\u180e"
        ),
        ("# only a heading", "observation-refused"),
        ("```\nnever ends", "observation-refused"),
        ("a <!-- never ends", "observation-refused"),
        ("a <!-- zecher: 2026-01-01 aaaa -->", "observation-refused"),
        ("a\n\n## [ARCHIVED]\n\nb", "observation-refused"),
        ("x" * 20_000, "observation-refused"),
        ("the token is ghp_" + "a1B2" * 9, "observation-secret"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(
    brain: Path, keep: Keep, text: str, code: str
) -> None:
    with pytest.raises(RememberError) as caught:
        keep(text)
    assert caught.value.code == code
    assert list(brain.iterdir()) == []


def test_a_secret_is_named_by_its_kind_and_never_echoed(keep: Keep) -> None:
    secret = "ghp_" + "a1B2" * 9
    for arguments in (
        {"text": f"use {secret}"},
        {"text": "a", "summary": f"use {secret}"},
        {"text": "a", "category": secret},
    ):
        with pytest.raises(RememberError) as caught:
            keep(**arguments)
        assert "secret (" in str(caught.value)
        assert "a1B2" not in str(caught.value) + caught.value.fix


def test_flags_and_families_of_emoji_are_kept(keep: Keep) -> None:
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    text = f"lives in {scotland} with 👨\u200d👩\u200d👧"
    assert text in Path(keep(text).file).read_text()


def test_a_summary_is_kept_until_another_is_given(keep: Keep) -> None:
    first = keep("a", summary="UI prefs")
    second = keep("b")
    assert 'summary: "UI prefs"' in Path(second.file).read_text()
    third = keep("c", summary="fresh")

    assert [one.summary_updated for one in (first, second, third)] == [True, False, True]
    text = Path(third.file).read_text()
    assert 'summary: "fresh"' in text
    assert "UI prefs" not in text
    assert text.splitlines()[third.line - 1].startswith("c <!--")


@pytest.mark.parametrize("again", ["prefers dark mode", "Prefers  dark\nmode.", "- prefers dark mode"])
def test_the_same_fact_twice_is_skipped_and_the_file_stays_as_it_is(
    brain: Path, keep: Keep, again: str
) -> None:
    first = keep("prefers dark mode")
    before = folder_state(brain)
    second = keep(again)

    assert second.outcome == "skipped"
    assert (second.id, second.file, second.line) == (first.id, first.file, first.line)
    assert second.version == first.version
    assert folder_state(brain) == before


def test_a_fact_of_another_category_is_known_already(brain: Path, keep: Keep) -> None:
    first = keep("prefers dark mode", "preferences")
    again = keep("prefers dark mode", "looks")

    assert (again.outcome, again.file) == ("skipped", first.file)
    assert list(folder_state(brain)) == ["memory/preferences.md"]


def test_a_near_fact_is_kept_and_the_other_is_shown_with_its_place(keep: Keep) -> None:
    first = keep("prefers dark mode in every editor", "preferences")
    second = keep("prefer the dark mode in all editors", "looks")

    assert second.outcome == "created"
    assert [(one.file, one.line, one.id) for one in second.near] == [(first.file, first.line, first.id)]
    assert second.near[0].score >= 0.6
    assert keep("deploys on fridays only").near == ()


def test_the_lines_of_near_facts_are_those_after_the_write(keep: Keep) -> None:
    keep("prefers dark mode in every editor")
    done = keep("prefers dark mode in any editor", summary="new")

    text = Path(done.file).read_text().splitlines()
    assert text[done.near[0].line - 1].startswith("prefers dark mode in every editor")
    assert text[done.line - 1].startswith("prefers dark mode in any editor")


def test_the_words_of_another_analyser_can_be_used(brain: Path) -> None:
    places = user_places(str(brain))
    remember(places, "alpha", now=NOW)
    done = remember(places, "beta", now=NOW, tokens=lambda _: ["same"])
    # Nothing is compared that has no beginning of a word in common.
    assert done.near == ()
    assert remember(places, "alphabet", now=NOW, tokens=lambda _: ["same"]).near[0].text == "alpha"


def test_the_same_fact_about_two_projects_is_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        done = remember(project_places(str(tmp_path / name)), "uses make", now=NOW)
        assert (done.outcome, done.near) == ("created", ())
        assert list(folder_state(tmp_path / name)) == [".agents/memory/notes/general.md"]


def test_a_stale_version_token_writes_nothing(brain: Path, keep: Keep) -> None:
    first = keep("a")
    second = keep("b", token=first.version)
    before = folder_state(brain)
    for token in (first.version, "nonsense"):
        with pytest.raises(RememberError) as caught:
            keep("c", token=token)
        assert caught.value.code == "memory-changed"
    assert folder_state(brain) == before
    assert keep("c", token=second.version).outcome == "appended"


WRITER = """
import sys
from brain.remember.places import user_places
from brain.remember.remember import remember
brain, number = sys.argv[1:]
remember(user_places(brain), f"fact number {number}", category="new", now=1796008624.0, wait=60)
"""


def test_sixteen_writers_at_once_lose_nothing(brain: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(brain), str(number)], cwd=ROOT)
        for number in range(16)
    ]
    assert [writer.wait(120) for writer in writers] == [0] * 16

    assert list(folder_state(brain)) == ["memory/new.md"]
    lines = [line for line in body(brain / "memory/new.md").splitlines() if line]
    assert sorted(line.split(" <!--")[0] for line in lines) == sorted(f"fact number {n}" for n in range(16))
    assert len({line.split()[-2] for line in lines}) == 16


@pytest.mark.parametrize(
    "old",
    [
        "---\ntitle: Ongoing Work # mine\ntags:\n  - a\n  - 'b'\nmuted: false\n---\n\nold one\n",
        "---\r\ntitle: Ongoing Work\r\n---\r\n\r\nold one\r\n",
        "\ufeff---\ntitle: Ongoing Work\n---\nold one\n",
        "# Ongoing Work\n\nold one\n",
        "old one",
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(brain: Path, keep: Keep, old: str) -> None:
    path = brain / "memory" / "ongoing-work.md"
    path.parent.mkdir()
    path.write_bytes(old.encode())

    done = keep("new one", "ongoing work")

    new = path.read_bytes().decode()
    assert done.outcome == "appended"
    assert new.startswith(old.rstrip())
    end = "\r\n" if "\r\n" in old else "\n"
    assert new[len(old.rstrip()) :].rstrip() == f"{end}{end}new one" + STAMP.format(done.id)
    assert "\n" not in new.replace("\r\n", "") or end == "\n"


def test_a_summary_goes_into_the_front_matter_and_touches_nothing_else(brain: Path, keep: Keep) -> None:
    old = "---\ntitle: Looks # mine\ntags:\n  - a\nsummary: old # say it\nmuted: false\n---\n\nold one\n"
    path = write(brain / "memory" / "looks.md", old)

    keep("new one", "looks", summary="new: it")

    assert path.read_text().startswith(old.replace("summary: old", 'summary: "new: it"').rstrip("\n"))


def test_bytes_that_are_no_utf_8_stay_what_they_are(brain: Path, keep: Keep) -> None:
    path = write(brain / "memory" / "general.md")
    path.write_bytes(b"caf\xe9\n")
    keep("new one")
    assert path.read_bytes().startswith(b"caf\xe9\n\nnew one <!--")


def test_a_file_whose_end_is_hidden_is_not_extended(brain: Path, keep: Keep) -> None:
    write(brain / "memory" / "general.md", "```\nnever ends\n")
    before = folder_state(brain)
    with pytest.raises(RememberError, match="never ends"):
        keep("new one")
    assert folder_state(brain) == before


def test_notes_of_another_kind_are_no_categories(brain: Path, keep: Keep) -> None:
    for name in ("decisions.md", "context.md", "2026-11-30.md", "README.md"):
        write(brain / "memory" / name, "theirs\n")
    for name in ("decisions", "context", "2026-11-30", "readme"):
        keep(f"about {name}", name)
    assert [name for name, data in folder_state(brain).items() if data == b"theirs\n"] == [
        "memory/2026-11-30.md",
        "memory/README.md",
        "memory/context.md",
        "memory/decisions.md",
    ]


@pytest.mark.parametrize("where", ["memory", "memory/general.md"])
def test_nothing_is_written_through_a_link(brain: Path, keep: Keep, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    write(outside / "general.md", "theirs\n")
    link = brain / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside if where == "memory" else outside / "general.md")

    with pytest.raises(RememberError, match="symbolic link"):
        keep("a fact")

    assert link.is_symlink()
    assert folder_state(outside) == {"general.md": b"theirs\n"}


def test_a_full_category_is_not_extended(brain: Path, keep: Keep) -> None:
    write(brain / "memory" / "general.md", ("word " * 20 + "\n\n") * 10_280)
    before = folder_state(brain)
    with pytest.raises(RememberError) as caught:
        keep("one more " * 100)
    assert caught.value.code == "memory-full"
    assert folder_state(brain) == before


# -- a vault ------------------------------------------------------------------------------------------------

VAULT = (
    "---\ntitle: Preferences\ntype: agent-memory\ntags: [always-load]\n---\n"
    "prefers dark mode\n\nuses vim keys\n"
)


def test_a_category_of_a_vault_is_extended_in_the_vaults_own_form(brain: Path, keep: Keep) -> None:
    path = write(brain / ".notarium/memory/preferences.md", VAULT)

    done = keep("likes tabs", "preferences")

    assert path.read_text() == VAULT + "\nlikes tabs\n"
    assert (done.outcome, done.line) == ("appended", 10)
    assert done.id
    assert list(folder_state(brain)) == [".notarium/memory/preferences.md"]


def test_a_fact_that_a_vault_knows_is_skipped(brain: Path, keep: Keep) -> None:
    write(brain / ".notarium/memory/preferences.md", VAULT)
    done = keep("Uses vim keys.", "preferences")
    assert (done.outcome, done.line) == ("skipped", 8)


def test_a_new_category_goes_into_the_vault_an_old_one_of_ours_stays(brain: Path, keep: Keep) -> None:
    keep("ours", "old")
    write(brain / ".notarium/memory/preferences.md", VAULT)
    keep("new", "new")
    keep("ours too", "old")
    assert sorted(folder_state(brain)) == [
        ".notarium/memory/new.md",
        ".notarium/memory/preferences.md",
        "memory/old.md",
    ]


def test_the_folder_of_a_project_in_a_vault_is_found_where_there_is_one(tmp_path: Path) -> None:
    write(tmp_path / ".notarium/memory/prj_1/preferences.md", VAULT)
    write(tmp_path / ".notarium/memory/preferences.md", VAULT)
    done = remember(project_places(str(tmp_path)), "likes tabs", category="preferences", now=NOW)
    assert done.file == str(tmp_path / ".notarium/memory/prj_1/preferences.md")

    write(tmp_path / ".notarium/memory/prj_2/preferences.md", VAULT)
    done = remember(project_places(str(tmp_path)), "likes tabs", category="preferences", now=NOW)
    assert done.file == str(tmp_path / ".agents/memory/notes/preferences.md")
