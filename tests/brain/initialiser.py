"""A process that initialises a memory, for the tests that kill it or refuse its calls.

``python -m tests.brain.initialiser PROJECT HOME``; problems go to the standard error, one a line.
"""

from __future__ import annotations

import sys

from brain.files.errors import WriteError
from brain.initialise import apply_init, plan_init
from brain.locate import locate_brain
from tests.support import NOW


def main(project: str, home: str) -> int:
    brain = locate_brain(project, home=home, environ={})
    try:
        done = apply_init(plan_init(project, brain, now=NOW, user="Ana", language="English"))
    except WriteError as error:
        print(error, file=sys.stderr)
        return 1
    for problem in done.problems:
        print(f"{problem.level}: {problem.path}: {problem.message}", file=sys.stderr)
    return 3 if done.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
