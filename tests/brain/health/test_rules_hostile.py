"""No file, however strange, makes a rule of the handover fail or contradict itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from brain.health import bank, bootstrap, decisions, entry_file, git_state, init_script, progress
from brain.health.parsed import ParsedMemory
from brain.health.roles import roles_of
from brain.health.today import Today
from brain.health.values import LEVELS, FileHistory, GitFacts, Memory, MemoryFile, RecordedCommit
from tests.brain.health.examined import DAY, DECISIONS, ENGLISH, PROGRESS, PROTOCOL

RULES = tuple(
    rule
    for family in (progress, decisions, entry_file, init_script, bootstrap, git_state, bank)
    for rule in family.RULES
)
PATHS = (
    "PROGRESS.md",
    "memory-bank/activeContext.md",
    "memory-bank/progress.md",
    "DECISIONS.md",
    ".agents/memory/decisions.md",
    "docs/adr/0001-a.md",
    "docs/adr/0002-b.md",
    "AGENTS.md",
    "CLAUDE.md",
    "TASKS.md",
    "feature_list.json",
    "scripts/init.sh",
    "Makefile",
    "package.json",
    "README.md",
)
PIECES = (
    PROGRESS,
    ENGLISH,
    DECISIONS,
    PROTOCOL,
    "## State\n",
    "## Nächster Schritt\n",
    "- [ ] ",
    "- [x] a\n",
    "HEAD: 4f2a9c1\n",
    "```\n",
    "~~~\n",
    "<!--",
    "-->",
    "---\n",
    "| a | Entscheidung |\n|---|---|\n| x | y |\n",
    "superseded by D-001\n",
    "- Status: superseded by [x](0002-b.md)\n",
    "## D-001 - x\n",
    "## D-002\n",
    "## 2026-13-45 - y\n",
    "# \n",
    "@AGENTS.md\n",
    "@CLAUDE.md\n",
    "@../../etc/passwd\n",
    "Read PROGRESS.md\n",
    "everything works\n",
    "1/0 tests\n",
    "99999999999 failed\n",
    "[x](y.md)\n",
    '{"scripts": ',
    '[{"passes": true}]',
    "mkdir a\n",
    "if",
    "fi\n",
    "cat <<END\n",
    "\x00",
    "\u202e",
    "\ufeff",
    "\r",
    "\r\n",
    "\x1b[31m",
    "\u2028",
    "a" * 3000,
    "*" * 200,
    "[" * 200,
    "`" * 7,
    "\u0131\u0307",
    "ﬁ",
    "ß",
    "🚀",
    "-",
    "\t",
    "    ",
)
CONTENT = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=14).map(
        lambda pieces: "".join(pieces).encode("utf-8", "replace")
    ),
    st.binary(max_size=300),
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1))
    files = tuple(MemoryFile(next(iter(roles_of(path)), "start"), path, draw(CONTENT)) for path in paths)
    names = frozenset(draw(st.lists(st.sampled_from([*PATHS, "main.c", "tests", "src", "uv.lock"]))))
    git = None
    if draw(st.booleans()):
        count = draw(st.sampled_from([0, 1, 10, 500]))
        earlier = tuple(draw(st.lists(CONTENT, max_size=3)))
        git = GitFacts(
            commits=((("0" * 40), 1e9, draw(st.text(max_size=30)), False),) * draw(st.integers(0, 20)),
            staged=count,
            recorded=(RecordedCommit("4f2a9c1", draw(st.sampled_from([None, True, False])), True, count),),
            histories=tuple(
                FileHistory(path, ((1e9, 1, 0, count),) * 10, count, 2e9, earlier) for path in paths
            ),
        )
    kind = draw(st.sampled_from(["project", "project", "brain"]))
    probes = draw(st.dictionaries(st.sampled_from(["y.md", "docs/adr/0002-b.md"]), st.booleans()))
    return Memory("/p", "p", kind, files=files, names=names, probes=probes, git=git)


@given(memory=memories())
@settings(max_examples=150, deadline=None)
def test_every_rule_answers_every_memory_and_twice_the_same(memory: Memory) -> None:
    answers = []
    for _ in range(2):
        parsed, today = ParsedMemory(memory), Today(DAY)
        answers.append(
            [None if (found := rule.check(parsed, today)) is None else list(found) for rule in RULES]
        )

    assert answers[0] == answers[1]
    for rule, found in zip(RULES, answers[0], strict=True):
        for one in found or ():
            assert (one.code, one.project, one.level in LEVELS) == (rule.code, "/p", True)
            assert one.message
            assert one.fix
            assert len(one.message) < 600
            assert one.line >= 0


@given(memory=memories())
@settings(max_examples=60, deadline=None)
def test_who_hands_nothing_over_is_never_warned(memory: Memory) -> None:
    parsed = ParsedMemory(memory)
    parsed.__dict__["opted_in"] = False
    nothing = [path for path in PATHS if path.startswith(("PROGRESS", "memory-bank"))]
    if any(file.path in nothing for file in memory.files):
        return

    levels = {one.level for rule in RULES for one in rule.check(parsed, Today(DAY)) or ()}

    assert levels <= {"info"}
