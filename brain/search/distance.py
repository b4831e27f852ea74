"""How many typing errors lie between two words."""

from __future__ import annotations


def within(one: str, other: str, most: int) -> int | None:
    """The letters missed, doubled, mistaken or swapped with their neighbour, if at most ``most`` (1 or 2)."""
    if abs(len(one) - len(other)) > most:
        return None
    # What both begin and end with needs no table; of most pairs nothing is left to do then.
    start = 0
    shortest = min(len(one), len(other))
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if most == 1 and max(len(one), len(other)) > 2:
        return None
    # Of two words that have little in common this is soon known; the table is thirty times slower.
    if len(set(one).difference(other)) > most or len(set(other).difference(one)) > most:
        return None
    distance = _distance(one, other)
    return distance if distance <= most else None


def _distance(one: str, other: str) -> int:
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        last, before, row = before, row, [at]
        for place, against in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != against))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == against:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
    return row[-1]
