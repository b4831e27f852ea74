"""Only the lines around what can hide are followed, and every line gets the kind that following all gives."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from brain.entries.lines import BLANK, COMMENT, LIVE, _Scan, classify, split

PIECES = (
    *("# Title", "## Part ##", "text", "  wrapped", "", " ", "- item", "  - inner", "1. one", "#no heading"),
    *("```", "````", "~~~ sh", "    ```", "  ```", "> ```", "\t```", "a ``` b", "- ```"),
    *("<!-- open", "closed -->", "<!-- whole -->", "- <!--", "<pre>", "</pre>", "<SCRIPT", "</script>"),
    *("> quote", "---", "===", "-", "* * *"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
@example(["- item", "  # Title", "```"])
@example(["- item", "", "  ```", "  text", "# Title", "```"])
def test_each_line_has_the_kind_that_following_every_block_gives(pieces: list[str]) -> None:
    data = "\n".join(pieces).encode()
    lines, reference, scan = split(data), split(data), _Scan()

    still_open = classify(lines)

    assert [line.kind for line in lines] == [scan.kind_of(line) for line in reference]
    assert still_open == scan.open


def test_without_anything_that_hides_a_line_is_live_or_blank() -> None:
    lines = split(b"# Title\n\n- item\n    deep\n \t\nlast")

    assert classify(lines) is None
    assert [line.kind for line in lines] == [LIVE, BLANK, LIVE, LIVE, BLANK, LIVE]


def test_a_comment_that_never_ends_hides_all_below() -> None:
    lines = split(b"# Title\ntext\n<!-- open\n\n## Part\n")

    still_open = classify(lines)

    assert [line.kind for line in lines][2:] == [COMMENT, COMMENT, COMMENT]
    assert still_open is not None
    assert still_open.number == 3
