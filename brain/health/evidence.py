"""What a text records of commits and of runs of tests: values, judged by nobody here."""

from __future__ import annotations

import re
from functools import cache

from brain.health.fields import listed, pattern
from brain.health.words import fold
from brain.value import dataclass

_REACH = 4096  # of a line; cells of tables were met with several thousand characters
_HASH = re.compile(
    r"(?:(?P<word>(?<![^\W_])(?:HEAD|head|Head|commits?|Commits?|COMMIT|sha|SHA|Sha|rev(?:ision)?|Rev(?:ision)?)(?![^\W_]))"
    r"|(?<![\w.-])@|(?<=\w)@(?=[0-9a-f]{7}))"
    r"(?P<gap>[^A-Za-z0-9\n]{0,8})(?P<hash>[0-9a-f]{7,40})(?![0-9A-Za-z]|\.[A-Za-z])"
)
_BARE_HASH = re.compile(r"(?<![0-9A-Za-z#/._-])([0-9a-f]{7,40})(?![0-9A-Za-z]|\.[A-Za-z])")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_RATIO = re.compile(r"(?<![\d/.,:])(\d{1,6}) ?(?:/|of|von|sur|out of) ?(\d{1,6})(?![\d/]|[.,:]\d)")
_DIGIT = re.compile(r"\d")
# ASCII but for digits and the end of a line; other scripts have digits of their own.
_NO_NUMBERS = bytes(byte for byte in range(128) if byte not in b"0123456789\n")
# Beside a ratio these say that something else was counted.
_COUNTED_ELSE = (
    r"(?:phase|step|schritt|stufe|etappe|etape|task|aufgabe|feature|session|sprint|milestone|part|teil|week|day"
    r"|tag|item|issue|prio|punkt|module|story|stories|version)\w{0,2}"
)
_ELSE_BEFORE = re.compile(_COUNTED_ELSE + r"\W{0,3}$")
_ELSE_AFTER = re.compile(r"\W{0,2}" + _COUNTED_ELSE + r"(?!\w)")
_NEAR = 30
# One of these stands in every line that tells of tests.
_TELLING = tuple(map(fold, (
    "test", "check", "build", "ci", "lint", "suite", "pipeline", "pruefung", "spec", "unit", "e2e",
    "integration", "cases", "assert", "pass", "fail", "bestanden", "gruen", "green", "succe", "erfolgreich",
    "reussi", "verts", "echec", "echou", "error", "rot", "ok", "gecti", "basarisiz",
    "\u30c6\u30b9\u30c8", "\ud14c\uc2a4\ud2b8",
)))  # fmt: skip


@dataclass(slots=True)
class Run:
    """What one line says of a run of tests: numbers, None where it gives none; a command; a word's colour."""

    passed: int | None = None
    total: int | None = None
    failed: int | None = None
    command: str = ""
    is_red: bool = False

    @property
    def weight(self) -> int:
        """The more it says, the more it counts."""
        return (
            4 * (self.total is not None)
            + 2 * (self.passed is not None or self.failed is not None)
            + bool(self.command)
        )


def commit_in(text: str) -> str:
    """The first hash of a commit that ``text`` names after head, commit, sha, revision or ``@``; or empty.

    7 to 40 hex digits with a letter and a digit; without one of them only after HEAD, or behind a colon or in
    a code span, where nothing else is meant.
    """
    for found in _HASH.finditer(text):
        name = found["hash"]
        if _is_mixed(name) or (found["word"] or "").lower() == "head":
            return name
        if found["word"] and not name.isdigit() and ("`" in found["gap"] or ":" in found["gap"]):
            return name
    return ""


def bare_hash_in(text: str) -> str:
    """The first hash in a text that is known to be about commits; or empty."""
    return next((found[1] for found in _BARE_HASH.finditer(text[:_REACH]) if _is_mixed(found[1])), "")


def _is_mixed(name: str) -> bool:
    return not name.isdigit() and not name.isalpha()


def has_command(text: str) -> bool:
    """Whether a code span of ``text`` holds a command."""
    return "`" in text and any(_is_command(found[1]) for found in _CODE.finditer(text))


def command_in(text: str) -> str:
    """The first command in ``text``, in a code span or not; or empty."""
    for found in _CODE.finditer(text) if "`" in text else ():
        if _is_command(found[1]):
            return found[1].strip()
    bare = _patterns().command.search(text[:_REACH])
    words = bare[0].split() if bare else []
    results = (word for word in words if _patterns().result.fullmatch(fold(word)) or word.isdigit())
    end = next(results, None)
    return " ".join(words[: words.index(end)] if end else words)


def _is_command(code: str) -> bool:
    return _patterns().command.match(code.strip().removeprefix("$ ")) is not None


@cache
def _subject_roots() -> tuple[str, ...]:
    """What is tested, without words that hold another of them."""
    names = listed("tests", "subjects")
    return tuple(one for one in names if not any(other != one and other in one for other in names))


def may_tell(folded: str) -> bool:
    """Whether a folded line can tell of tests at all: to look closer costs a hundred times as much."""
    return any(map(folded.__contains__, _TELLING))


def lines_that_may_tell(folded: str) -> list[int]:
    """The lines, from 0, of a folded text with a number or what is tested: no other tells of a run.

    All at once this takes a tenth of the time of asking each.
    """
    numbers = folded.encode("utf-8", "surrogatepass").translate(None, _NO_NUMBERS)
    found = {line for line, rest in enumerate(numbers.split(b"\n")) if rest}
    for word in _subject_roots():
        start = line = 0
        place = folded.find(word)
        while place >= 0:
            line += folded.count("\n", start, place)
            found.add(line)
            start = folded.find("\n", place)
            place = folded.find(word, start) if start >= 0 else -1
    return sorted(found)


def run_in(text: str, *, about_tests: bool = False) -> Run | None:
    """What ``text``, a line, says of a run of tests; None for nothing.

    ``about_tests`` tells that the heading or the label above speaks of tests, so that ``142/142`` is enough.
    """
    if len(text) > _REACH:
        text = text[:_REACH]
    folded = fold(text)
    if not about_tests and not may_tell(folded):
        return None
    counted = _counted(folded, about_tests=about_tests)
    colour = None if counted and counted.total is not None else _colour(folded)
    if counted is None and colour is None:
        return None
    run = counted or Run()
    run.command = command_in(text)
    if run.failed or (run.total is not None and run.passed is not None and run.passed < run.total):
        run.is_red = True
    if colour == "red" and run.failed != 0:
        run.is_red = True
    return run


def _counted(folded: str, *, about_tests: bool) -> Run | None:
    patterns = _patterns()
    if not _DIGIT.search(folded):
        return None
    passed = patterns.passed.search(folded)
    failed = patterns.failed.search(folded)
    ratio = _ratio(folded, about_tests=about_tests or passed is not None)
    run = Run()
    if ratio:
        run.passed, run.total = ratio
    elif passed:
        run.passed = int(passed["number"])
    if failed:
        run.failed = int(failed["number"])
        if run.total is None and run.passed is not None:
            run.total = run.passed + run.failed
    if run.passed is None and run.failed is None:
        return _plain_count(folded)
    return run


def _plain_count(folded: str) -> Run | None:
    """``Tests: 533 ✅``, ``533 tests, all green``: a number with its word, with a colour beside it."""
    found = _patterns().number.search(folded)
    colour = _colour(folded) if found else None
    if found is None or colour is None:
        return None
    number = int(found["before"] or found["after"])
    return Run(passed=number) if colour == "green" else Run()


def _ratio(folded: str, *, about_tests: bool) -> tuple[int, int] | None:
    for found in _RATIO.finditer(folded):
        passed, total = int(found[1]), int(found[2])
        near = folded[max(0, found.start() - _NEAR) : found.end() + _NEAR]
        if not total or passed > total or _ELSE_AFTER.match(folded, found.end()):
            continue
        if _ELSE_BEFORE.search(folded[max(0, found.start() - 16) : found.start()]):
            continue
        if about_tests or _patterns().words.search(near):
            return passed, total
    return None


def _colour(folded: str) -> str | None:
    """``green`` or ``red`` for what is tested; a condition or a wish has no colour."""
    patterns = _patterns()
    if not any(map(folded.__contains__, listed("tests", "subjects"))):
        return None
    for found in patterns.subjects.finditer(folded):
        start = max(0, found.start() - _NEAR)
        near = folded[start : found.end() + _NEAR]
        for colour, words in (("red", patterns.red), ("green", patterns.green)):
            for word in words.finditer(near):
                if not _is_taken_back(near, min(word.start(), found.start() - start), word.end()):
                    return colour
    return None


def _is_taken_back(near: str, first: int, end: int) -> bool:
    return _patterns().negation.search(near, max(0, first - 16), end) is not None


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns made from ``[tests]`` of the table."""

    words: re.Pattern[str]
    passed: re.Pattern[str]
    failed: re.Pattern[str]
    number: re.Pattern[str]
    subjects: re.Pattern[str]
    green: re.Pattern[str]
    red: re.Pattern[str]
    negation: re.Pattern[str]
    command: re.Pattern[str]
    result: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words = pattern("tests", "words")
    commands = pattern("tests", "commands")
    between = r"[ ]?(?:[\w-]+[ ]){0,2}?"
    return _Patterns(
        words=re.compile(words),
        passed=re.compile(rf"(?<![\d.,:/])(?P<number>\d{{1,6}}){between}(?:{pattern('tests', 'passed')})"),
        failed=re.compile(rf"(?<![\d.,:/])(?P<number>\d{{1,6}}){between}(?:{pattern('tests', 'failed')})"),
        number=re.compile(
            rf"(?<![\d.,/])(?P<before>\d{{1,6}}) (?:\w+ )?(?:{words})"
            rf"|(?:{words})\W{{1,6}}(?P<after>\d{{1,6}})(?![\d.,/])"
        ),
        subjects=re.compile(pattern("tests", "subjects")),
        green=re.compile(pattern("tests", "green")),
        red=re.compile(pattern("tests", "red")),
        negation=re.compile(pattern("tests", "negation")),
        command=re.compile(rf"(?<![\w./-])(?:{commands})(?: [\w./=@-]+(?::[\w-]+)*){{0,4}}"),
        result=re.compile(f"{pattern('tests', 'green')}|{pattern('tests', 'red')}"),
    )
