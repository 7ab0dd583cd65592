import time

import pytest

from workbench.programs.fences import Block, fenced_blocks


def test_blocks_come_in_order_with_their_tags() -> None:
    assert fenced_blocks("x\n```Python\na\n```\ny\n~~~\nb\n~~~\n") == [
        Block(tag="python", body="a\n", closed=True),
        Block(tag="", body="b\n", closed=True),
    ]


def test_closing_fence_must_be_at_least_as_long_and_of_the_same_kind() -> None:
    [block] = fenced_blocks("````\n(\n```\n~~~~\n`````\n")
    assert block == Block(tag="", body="(\n```\n~~~~\n", closed=True)


def test_closing_fence_has_no_words_after_it() -> None:
    [block] = fenced_blocks("```\n(\n``` x\n```\n")
    assert block.body == "(\n``` x\n"


def test_far_indented_fence_does_not_close() -> None:
    [block] = fenced_blocks("```\n(\n    ```\n```\n")
    assert block.body == "(\n    ```\n"


def test_unclosed_block_reaches_to_the_end() -> None:
    assert fenced_blocks("```py\na\nb") == [Block(tag="py", body="a\nb\n", closed=False)]


@pytest.mark.parametrize("text", ["", "plain", "``", "``x``", "`` `\n"])
def test_text_without_fences_has_no_blocks(text: str) -> None:
    assert fenced_blocks(text) == []


def test_several_nested_examples_stay_in_one_program() -> None:
    body = 'A = """\n```\n1\n```\n"""\nB = """\n```\n2\n```\n"""\nprint(A, B)\n'
    assert [block.body for block in fenced_blocks(f"```python\n{body}```\n")] == [body]


def test_a_long_body_is_not_put_together_for_every_pair_of_fences() -> None:
    text = "\n".join(["```python"] * 56 + ["x y"] * 480_000 + ["```"] * 8)
    started = time.process_time()
    assert fenced_blocks(text)
    # Measured at half a second, and at twenty where each of 400 bodies was.
    assert time.process_time() - started < 8
