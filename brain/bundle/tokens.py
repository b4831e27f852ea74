"""The one estimate of tokens by which bundles are filled.

    tokens = ceil(ASCII / 4 + others / 2)

Four ASCII characters are a token, or two others; one beyond 16 bits counts as two. Bytes / 3 came closer for
prose (2.9 to 4.9 bytes a token, by tokenizer and language), but says 2 for ``abcd`` and puts a CJK character
on a par with three letters; bytes / 4, which health shows of whole files, says half as much again of a
Chinese text. It is rounded up, so that the parts of a bundle never weigh less than the bundle: what is
packed by this measure stays within its budget by this measure, however it was divided.
"""

from __future__ import annotations


def tokens(text: str) -> int:
    """About how many tokens ``text`` takes; 0 only for nothing."""
    if text.isascii():
        return (len(text) + 3) // 4
    ascii_signs = len(text.encode("ascii", "ignore"))
    others = len(text.encode("utf-16-le", "surrogatepass")) // 2 - ascii_signs
    return (ascii_signs + 2 * others + 3) // 4


def affordable(text: str, room: int) -> int:
    """How many characters from the beginning of ``text`` take at most ``room`` tokens."""
    least, most = 0, min(len(text), 4 * max(room, 0))
    while least < most:
        middle = (least + most + 1) // 2
        if tokens(text[:middle]) <= room:
            least = middle
        else:
            most = middle - 1
    return least
