from __future__ import annotations

from datetime import date

from brain.health.silence import Ack, expired, silence
from brain.health.values import WARNING, Finding

DAY = date(2026, 11, 30)


def finding(code: str = "m-size", project: str = "/p/shop") -> Finding:
    return Finding(code, WARNING, project, "MEMORY.md", 3, "Too long.", "Shorten it.")


def test_a_silenced_finding_is_not_shown_but_kept_to_be_counted() -> None:
    heard = silence([finding(), finding("m-index")], [Ack("m-size")], DAY)

    assert heard.open == (finding("m-index"),)
    assert heard.silenced == (finding(),)


def test_a_silence_for_one_project_leaves_the_others_alone() -> None:
    found = [finding(), finding(project="/p/blog")]

    assert silence(found, [Ack("m-size", "/p/shop")], DAY).open == (finding(project="/p/blog"),)


def test_a_star_means_every_project() -> None:
    assert silence([finding()], [Ack("m-size", "*")], DAY).open == ()


def test_a_silence_holds_on_its_last_day() -> None:
    assert silence([finding()], [Ack("m-size", until=DAY)], DAY).silenced == (finding(),)


def test_an_expired_silence_returns() -> None:
    heard = silence([finding()], [Ack("m-size", until=date(2026, 11, 29))], DAY)

    assert heard.open == heard.returned == (finding(),)


def test_what_was_never_silenced_does_not_return() -> None:
    assert silence([finding()], [Ack("m-size", "/p/blog", date(2026, 11, 1))], DAY).returned == ()


def test_one_silence_in_force_is_enough_beside_an_expired_one() -> None:
    acks = [Ack("m-size", until=date(2026, 1, 1)), Ack("m-size", "/p/shop")]

    assert silence([finding()], acks, DAY).open == ()


def test_expired_silences_can_be_named() -> None:
    over, running = Ack("m-size", until=date(2026, 11, 29)), Ack("m-index")

    assert expired([over, running], DAY) == (over,)
