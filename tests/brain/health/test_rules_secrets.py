from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import secrets
from brain.health.plain import AllWords
from brain.health.secrets import RULES, announcing, secrets_in
from tests.brain.health.examined import Examined, project
from tests.brain.test_secrets import KEPT, KINDS, PLACES
from tests.timing import processor_seconds

# Assembled, so that no scanner of repositories takes it for a leak.
TOKEN = "ghp" + "_" + "a7Q" * 12
PROSE = (
    "### 2026-03-14 — Use the event bus for invoices\n"
    "- **Context**: two services wrote the same table and lost rows when the deploy ran.\n"
    "- **Decision**: one owner per table; see `src/invoices/owner.py` and https://example.com/a?b=1.\n"
    "- **Rationale**: locks were tried, 42 of 50 runs failed. The key point is ownership; tests pass.\n\n"
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_secret_is_found_in_every_place(kind: str) -> None:
    around, secret = KINDS[kind]
    for place in PLACES:
        text = place.format(around.format(secret))
        assert secrets_in(text) == secrets.find(text)
        assert secrets_in(PROSE + text + PROSE) == secrets.find(PROSE + text + PROSE)


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_is_none(text: str) -> None:
    assert secrets_in(text) == secrets.find(text)


@given(
    st.lists(
        st.sampled_from(
            [*KEPT, *(around.format(secret) for around, secret in KINDS.values()), PROSE, "\n", " "]
        )
    )
)
def test_any_mixture_has_the_secrets_that_the_slow_way_finds(parts: list[str]) -> None:
    text = "\n".join(parts)

    assert secrets_in(text) == secrets.find(text)


@pytest.mark.parametrize("kind", KINDS)
def test_the_words_of_a_memory_tell_that_it_may_hold_any_kind_of_secret(kind: str) -> None:
    around, secret = KINDS[kind]
    for place in PLACES:
        text = f"{PROSE}{place.format(around.format(secret))}\n{PROSE}"
        stems = announcing(AllWords([PROSE.encode(), text.encode()]))

        assert secrets_in(text, stems) == secrets.find(text)


def test_a_token_in_a_progress_file_is_an_error_with_its_line_and_kind(tmp_path: Path) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"# Handoff\n\n## Next\nUse {TOKEN}\n")
    (found,) = made.ask(RULES, "m-secret") or []

    assert (found.level, found.file, found.line) == ("error", "HANDOFF.md", 4)
    assert "github" in found.message


def test_a_finding_never_repeats_the_secret(tmp_path: Path) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"token: {TOKEN}\n")

    assert TOKEN not in repr(made.ask(RULES, "m-secret"))


def test_memory_that_speaks_of_tokens_holds_none(tmp_path: Path) -> None:
    made = project(tmp_path).has("MEMORY.md", "# Memory\n\n- The API token is kept in the vault, see docs.\n")

    assert made.ask(RULES, "m-secret") == []


@pytest.mark.parametrize(
    "text",
    [
        "aws configure set aws_access_key_id AKIA" + "IOSFODNN7EXAMPLE",
        "Use `https://user:password@proxy.example.com/`.",
        '"NextToken": "kIiwiZXhwaXJhdGlvbiI6eyJzZWNvbmRzIjoxNjYw"',
        "--tag-specifications 'Tags=[{Key=cost-center,Value=cc123}]'",
        "[pre-shared keys]: #pre-shared-keys-1",
        "[the credentials]: https://example.com/docs/setting-up-credentials2",
        "Addresses are as good as passwords: `zecher config show` shows their kind alone.",
    ],
)
def test_samples_and_tokens_that_open_nothing_are_information(tmp_path: Path, text: str) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"# Handoff\n\n{text}\n")

    assert "error" not in (made.levels(RULES, "m-secret") or [])


@pytest.mark.parametrize(
    "text",
    [
        "webhook: https://hooks.slack.com/services/" + "T0A1B2C3D/B0A1B2C3D/a7Qa7Qa7Qa7Qa7Qa7Qa7Qa7Q",
        "My password: hunter2hunter",
        "Your token is " + TOKEN,
    ],
)
def test_what_opens_something_is_an_error_however_it_is_announced(tmp_path: Path, text: str) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"# Handoff\n\n{text}\n")

    assert "error" in (made.levels(RULES, "m-secret") or [])


def test_a_secret_beside_a_sample_is_an_error_still(tmp_path: Path) -> None:
    made = project(tmp_path).has("HANDOFF.md", f"https://user:password@proxy.example.com/\n{TOKEN}\n")

    assert made.levels(RULES, "m-secret") == ["error", "info"]


def test_without_memory_nothing_is_asked(tmp_path: Path) -> None:
    assert Examined(tmp_path / "empty").ask(RULES, "m-secret") is None


def test_a_readme_is_no_memory(tmp_path: Path) -> None:
    made = project(tmp_path).has("README.md", f"token: {TOKEN}\n")

    assert made.ask(RULES, "m-secret") == []


def test_texts_without_secrets_cost_a_fraction_of_the_thorough_search() -> None:
    text = (PROSE * 20)[:5000]

    ours = thorough = float("inf")
    for _ in range(10):  # in turns: what the machine does meanwhile slows both
        ours = min(ours, processor_seconds(lambda: [secrets_in(text) for _ in range(20)]))
        thorough = min(thorough, processor_seconds(lambda: [secrets.find(text) for _ in range(20)]))

    assert ours < 0.6 * thorough  # a quarter, as a rule


def test_a_definition_in_words_is_information(tmp_path: Path) -> None:
    text = "- Why: password = something you know, and a repository knows too many people."

    assert "error" not in (project(tmp_path).has("HANDOFF.md", text).levels(RULES, "m-secret") or [])


@pytest.mark.parametrize("text", ["password = correcthorse", "password = correcthorse # of the old till"])
def test_a_password_of_letters_is_an_error_still(tmp_path: Path, text: str) -> None:
    assert "error" in (project(tmp_path).has("HANDOFF.md", text).levels(RULES, "m-secret") or [])
