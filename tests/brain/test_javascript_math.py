"""Powers and logarithms have the last bit of BMAD+'s engine; what it gives was recorded with Node 20."""

from __future__ import annotations

import json
import math
import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from brain.javascript_math import half_to_the, logarithm, ten_to_the

COUNT = 100_000

Power = Callable[[float], float]


def exponents(width: float, start: float) -> list[float]:
    """Always the same ``COUNT`` numbers, spread over ``width`` from ``start`` on."""
    state = 20261130
    found = []
    for _ in range(COUNT):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        found.append((state >> 11) / 2**53 * width + start)
    return found


@pytest.mark.parametrize(
    ("power", "width", "start", "recorded"),
    [
        (half_to_the, 40, 0, "1954dea347ab02aa951d28dd6226c93a6869c798f0008ca6a09226ba5d7a93b6"),
        (half_to_the, 1100, 0, "8298e6af11c1ffc9a1ef2ac1fe1b4af982016664079048b7bbe49b966016045f"),
        (ten_to_the, 3, -1.5, "1bd416366a661fb0a1e90094c8aa6c441bb6ef0b42ca469ffc0ffb685cdbb4c7"),
        (ten_to_the, 640, -320, "e6cb8caf7bfba63b3a6f555ce2ff281841fbabd4a7ba3af4bb31d79aa2f5e6f4"),
    ],
)
def test_a_hundred_thousand_powers_are_those_that_were_recorded(
    power: Power, width: float, start: float, recorded: str
) -> None:
    powers = [power(exponent) for exponent in exponents(width, start)]
    assert sha256(struct.pack(f"<{COUNT}d", *powers)).hexdigest() == recorded


@pytest.mark.parametrize(("power", "base"), [(half_to_the, 0.5), (ten_to_the, 10.0)])
def test_the_c_library_would_end_in_other_digits(power: Power, base: float) -> None:
    some = exponents(3, 0)[:1000]
    others = sum(power(exponent) != base**exponent for exponent in some)
    assert 50 < others < 200


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize(
    ("power", "base", "least", "most"), [(half_to_the, 0.5, 0, 60), (ten_to_the, 10, -3, 3)]
)
def test_powers_of_any_exponents_are_those_of_node(
    tmp_path: Path, power: Power, base: float, least: float, most: float
) -> None:
    some = [random.uniform(least, most) for _ in range(COUNT)]  # noqa: S311 - no secret
    given = tmp_path / "exponents.json"
    given.write_text(json.dumps(some))
    script = (
        "const some = JSON.parse(require('fs').readFileSync(process.argv[1]));"
        f"process.stdout.write(JSON.stringify(some.map((x) => Math.pow({base}, x))))"
    )
    done = subprocess.run(["node", "-e", script, str(given)], check=True, capture_output=True, timeout=60)
    assert [power(exponent) for exponent in some] == json.loads(done.stdout)


@pytest.mark.parametrize(
    ("power", "exponent", "expected"),
    [
        (half_to_the, 0.0, 1.0),
        (half_to_the, 0.5, 0.7071067811865476),
        (half_to_the, 0.5000002384185791, 0.7071066643306803),
        (half_to_the, 1.0, 0.5),
        (half_to_the, 1074.9, 5e-324),
        (half_to_the, 1075.5, 0.0),
        (half_to_the, math.inf, 0.0),
        (ten_to_the, 0.0, 1.0),
        (ten_to_the, 0.5, 3.1622776601683795),
        (ten_to_the, 5e-324, 1.0),
        (ten_to_the, -323.3, 5e-324),
        (ten_to_the, -400.0, 0.0),
        (ten_to_the, 308.25471555991675, math.inf),
    ],
)
def test_the_borders_are_those_of_the_engine(power: Power, exponent: float, expected: float) -> None:
    assert power(exponent) == expected


def test_the_logarithm_of_a_number_that_was_not_measured_is_the_librarys() -> None:
    assert logarithm(1001) == math.log(1001)
    assert logarithm(3) != math.log(3)
