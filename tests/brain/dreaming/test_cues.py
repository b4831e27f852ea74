"""The table of cues, and what a user adds to it."""

from __future__ import annotations

import pytest

from brain.dreaming.cues import LANGUAGES, CuesError, cues_with, standard_cues, tokens
from brain.dreaming.extract import extract
from brain.dreaming.lines import sentences


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Der Zug ist voll", "de"),
        ("The train is full", "en"),
        ("Le train est plein", "fr"),
        ("Stemmeisen geschärft", "de"),
        ("Swept the workshop", "en"),
        ("Affûté les ciseaux", "fr"),
        ("Borealis 4711", ""),
    ],
)
def test_the_language_of_a_line_is_told_by_grammar_then_by_its_look(text: str, lang: str) -> None:
    assert standard_cues().language(text, tokens(text)) == lang


def test_every_kind_of_cue_speaks_all_three_languages() -> None:
    cues = standard_cues()
    for lang in LANGUAGES:
        names = {phrase.cue.name for phrases in cues._words[lang].values() for phrase in phrases}
        assert names >= {
            "persistence", "memory", "preference", "operator", "habit", "statement", "done", "past",
            "progress", "meeting", "task", "errand", "monitoring", "incident", "travel", "personal",
            "logistics", "build", "relative",
        }  # fmt: skip


def test_a_user_adds_words_of_his_own() -> None:
    note = b"- The frobnicator is mostly harmless.\n- Grault the widgets that we have.\n"
    own = b'[cue.persistence]\nen = ["mostly harmless"]\n[cue.task]\nen = ["^grault"]\n'
    assert [line.reading for line in extract(note, standard_cues()).lines] == [0.62, 0.62]
    (found,) = extract(note, cues_with(own)).lines
    assert found.reading == 0.92


def test_a_user_adds_a_label_and_a_section() -> None:
    own = '[explicit.firm]\nlabels = ["zapamiętaj"]\n[titles]\nblocked = ["zadania"]\n'.encode()
    (found,) = extract(
        "- Zapamiętaj: port 5433\n\n## Zadania\n\n- The port is 1.\n".encode(), cues_with(own)
    ).lines
    assert (found.is_explicit, found.line) == (True, 1)


def test_other_words_are_other_cues() -> None:
    own = b'[cue.task]\nen = ["^grault"]\n'
    assert cues_with(own).digest != standard_cues().digest
    assert cues_with(own).digest == cues_with(own).digest


@pytest.mark.parametrize(
    "own",
    [
        b"not toml at all",
        b"\xff\xfe",
        b"[cue.new]\nen = ['x']\n",
        b"cue = 3\n",
        b"[cue]\ntask = 3\n",
        b"[cue.task]\nweight = 'heavy'\n",
        b"[[shape]]\nwhat = 'x'\npattern = '('\n",
        b"[language]\nde = 3\n",
    ],
)
def test_a_table_that_is_none_is_told(own: bytes) -> None:
    with pytest.raises(CuesError):
        cues_with(own)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there.", ["One is here.", "Two is there."]),
        ("Use it, e.g. for Bob. Done!", ["Use it, e.g. for Bob.", "Done!"]),
        ("Das gilt z. B. für Anna. Ende.", ["Das gilt z. B. für Anna.", "Ende."]),
        ("Am 3. Mai ist Markt. Immer.", ["Am 3. Mai ist Markt.", "Immer."]),
        ("Voir p. ex. Lyon. Fin.", ["Voir p. ex. Lyon.", "Fin."]),
        ("This; and that. \u201eUnd so.\u201c Ja.", ["This; and that.", "\u201eUnd so.\u201c", "Ja."]),
        ("Version 3.2 is out", ["Version 3.2 is out"]),
        ("", []),
    ],
)
def test_a_paragraph_falls_into_sentences(text: str, expected: list[str]) -> None:
    assert [sentence for _, sentence in sentences(text)] == expected
