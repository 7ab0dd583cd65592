import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.programs import EditKind, Program, parse_reply

PARENT = Program("def f(n):\n    total = 0\n    return total\n\n\nprint(f(3))\n")


def source_of(reply: str, parent: Program | None = PARENT) -> str:
    parsed = parse_reply(reply, parent)
    assert parsed.failure == ""
    assert parsed.program is not None
    return parsed.program.source


def failure_of(reply: str, parent: Program | None = PARENT) -> str:
    parsed = parse_reply(reply, parent)
    assert parsed.program is None
    assert parsed.kind is EditKind.NONE
    assert not parsed.changed
    return parsed.failure


def edit(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


class TestRewrites:
    def test_fenced_program_is_read_exactly(self) -> None:
        parsed = parse_reply("Faster:\n\n```python\nx = 1\nprint(x)\n```\nDone.", PARENT)
        assert parsed.program == Program("x = 1\nprint(x)\n")
        assert parsed.kind is EditKind.REWRITE
        assert parsed.changed

    def test_last_python_block_wins_over_later_blocks_of_other_kinds(self) -> None:
        reply = "```python\na = 1\n```\n```python\nb = 2\n```\nIt prints\n```text\n5\n```\n"
        assert source_of(reply) == "b = 2\n"

    @pytest.mark.parametrize("tag", ["py", "python3", "Python", "py3", "{.python}", "python x=1"])
    def test_every_spelling_of_the_tag_outranks_an_untagged_block(self, tag: str) -> None:
        assert source_of(f"```{tag}\na = 1\n```\n```\noutput\n```\n") == "a = 1\n"

    def test_without_a_python_block_the_last_of_any_kind_counts(self) -> None:
        assert source_of("```\na = 1\n```\n```\nb = 2\n```\n") == "b = 2\n"

    def test_carriage_returns_vanish(self) -> None:
        assert source_of("Here:\r\n```python\r\na = 1\r\nb = 2\r\n```\r\n") == "a = 1\nb = 2\n"

    def test_byte_order_marks_vanish(self) -> None:
        assert source_of("\ufeff```python\n\ufeffa = 1\n```") == "a = 1\n"

    def test_tabs_and_odd_line_separators_stay(self) -> None:
        body = "if 1:\n\tx = 'a\u2028b\x0cc'\n"
        assert source_of(f"```python\n{body}```") == body

    def test_indented_fence_in_a_list_is_outdented(self) -> None:
        reply = "1. Do this:\n\n   ```python\n   if x:\n       y = 1\n   ```\n"
        assert source_of(reply) == "if x:\n    y = 1\n"

    def test_nothing_after_a_longer_fence_is_cut(self) -> None:
        body = 'text = """\n```\ninner\n```\n"""\nprint(text)\n'
        assert source_of(f"````python\n{body}````\n") == body

    def test_tilde_fence(self) -> None:
        assert source_of("~~~python\na = 1\n~~~\n") == "a = 1\n"

    def test_backticks_in_a_docstring_do_not_end_the_program(self) -> None:
        body = '"""Solve.\n\n```\nf(1)\n```\n"""\n\n\ndef f(x):\n    return x\n'
        assert source_of(f"```python\n{body}```\nThat is all.\n") == body

    def test_python_fence_in_a_docstring_is_not_a_program(self) -> None:
        body = 'def f(x):\n    """\n    ```python\n    f(1)\n    ```\n    """\n    return x\n'
        assert source_of(f"```python\n{body}```\n") == body

    def test_broken_program_ends_at_its_first_closing_fence(self) -> None:
        reply = "```python\ndef f(:\n```\nExplanation\n```text\n1\n```\n"
        assert source_of(reply) == "def f(:\n"

    def test_fence_left_open_before_a_second_one_does_not_swallow_it(self) -> None:
        reply = "```python\na = 1\nI can do better:\n```python\nb = 2\n```\n"
        assert source_of(reply) == "b = 2\n"

    def test_markdown_wrapper_is_transparent(self) -> None:
        reply = "````markdown\nText\n```python\na = 1\n```\n````\n"
        assert source_of(reply) == "a = 1\n"

    def test_stray_closing_fence_is_ignored(self) -> None:
        assert source_of("```python\na = 1\n```\n```\n") == "a = 1\n"

    def test_inline_code_is_no_fence(self) -> None:
        assert source_of("Use ```x``` like\n```inline``` here\n```py\na = 1\n```") == "a = 1\n"

    def test_of_a_cut_reply_the_last_whole_block_counts(self) -> None:
        reply = "```python\na = 1\n```\nBetter:\n```python\nb = 2\nfor i in ran"
        parsed = parse_reply(reply, PARENT)
        assert parsed.program == Program("a = 1\n")

    def test_cut_reply_without_a_whole_block_is_called_truncated(self) -> None:
        assert "truncated" in failure_of("Here:\n```python\nb = 2\nfor i in ran")

    @pytest.mark.parametrize("reply", ["", " \n\t\n", "\ufeff"])
    def test_empty_reply(self, reply: str) -> None:
        assert "empty" in failure_of(reply)

    def test_empty_block(self) -> None:
        assert "empty" in failure_of("```python\n\n```")

    def test_null_byte(self) -> None:
        assert "null byte" in failure_of("```python\nx = '\0'\n```")

    def test_lone_surrogate(self) -> None:
        assert "surrogate" in failure_of("```python\nx = '\ud800'\n```")

    def test_overlong_program(self) -> None:
        assert "500,000" in failure_of("```python\n" + "x = 1\n" * 100_000 + "```")

    def test_failure_says_what_to_do(self) -> None:
        assert "```python" in failure_of("I would use a dictionary here.")


class TestBareCode:
    def test_text_that_is_all_python_counts(self) -> None:
        assert source_of("import sys\nprint(sys.stdin.read())\n") == (
            "import sys\nprint(sys.stdin.read())\n"
        )

    @pytest.mark.parametrize(
        "prose",
        [
            "Hello",
            "Yes",
            "Answer: yes",
            "Done; good",
            "speed",
            "x",
            "'I cannot help with that.'",
            "# A heading",
            "pass",
            "Sorry, I cannot",
            "n * log(n)",
            "def f(x): this is how one would begin",
        ],
    )
    def test_prose_is_refused_even_where_it_parses(self, prose: str) -> None:
        assert "no code block" in failure_of(prose)


class TestSearchReplace:
    def test_blocks_apply_in_order_to_what_earlier_ones_made(self) -> None:
        reply = (
            "Two edits.\n"
            + edit("    total = 0", "    total = 1")
            + edit("    total = 1\n    return total", "    return 1")
        )
        assert source_of(reply) == "def f(n):\n    return 1\n\n\nprint(f(3))\n"
        assert parse_reply(reply, PARENT).kind is EditKind.SEARCH_REPLACE

    def test_blocks_inside_a_fence_and_with_carriage_returns(self) -> None:
        reply = "```diff\n" + edit("print(f(3))", "print(f(4))") + "```"
        assert source_of(reply.replace("\n", "\r\n")).endswith("print(f(4))\n")

    def test_edit_indented_in_a_list(self) -> None:
        block = edit("total = 0", "total = 7").replace("\n", "\n   ")
        assert "\n    total = 7\n" in source_of(f"1. Change it:\n\n   {block}")

    def test_indented_line_of_equals_signs_does_not_split_where_another_does(self) -> None:
        parent = Program("x = '''\n  =======\na\n'''\n")
        assert "b" in source_of(edit("  =======\na", "  =======\nb"), parent)

    @pytest.mark.parametrize(
        ("opening", "closing"),
        [("<<<<<<<SEARCH", ">>>>>>>REPLACE"), ("<<<<<<<< SEARCH", ">>>>>> REPLACE:")],
    )
    def test_markers_that_are_nearly_right_are_read(self, opening: str, closing: str) -> None:
        block = edit("    total = 0", "    total = 7")
        block = block.replace("<<<<<<< SEARCH", opening).replace(">>>>>>> REPLACE", closing)
        expected = PARENT.source.replace("total = 0", "total = 7")
        assert source_of(f"```python\n{block}```") == expected

    def test_failed_edit_is_numbered(self) -> None:
        reply = edit("    total = 0", "    total = 1") + edit("nowhere", "x")
        assert failure_of(reply).startswith("edit 2: ")

    def test_without_a_parent(self) -> None:
        assert "none was given" in failure_of(edit("a", "b"), None)

    def test_without_an_end_marker(self) -> None:
        assert "truncated" in failure_of("<<<<<<< SEARCH\na\n=======\nb\n")

    def test_without_a_divider(self) -> None:
        assert "=======" in failure_of("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n")

    def test_empty_search(self) -> None:
        assert "SEARCH is empty" in failure_of("<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n")

    def test_empty_replacement_deletes_the_lines(self) -> None:
        reply = "<<<<<<< SEARCH\n    total = 0\n=======\n>>>>>>> REPLACE\n"
        assert source_of(reply) == "def f(n):\n    return total\n\n\nprint(f(3))\n"

    @pytest.mark.parametrize("banner", ["=======", "==========", "# ======="])
    def test_line_of_equals_signs_in_the_sought_text_does_not_split_it(self, banner: str) -> None:
        parent = Program(f'text = """\nTitle\n{banner}\nold\n"""\n')
        reply = edit(f"Title\n{banner}\nold", f"Title\n{banner}\nnew")
        assert source_of(reply, parent) == f'text = """\nTitle\n{banner}\nnew\n"""\n'

    def test_line_of_equals_signs_in_the_replacement_does_not_split_it(self) -> None:
        parent = Program('text = """\nTitle\n"""\n')
        assert source_of(edit("Title", "Title\n======="), parent) == (
            'text = """\nTitle\n=======\n"""\n'
        )

    def test_too_many_edits(self) -> None:
        assert "at most 200" in failure_of(edit("    total = 0", "    total = 0") * 201)

    def test_program_may_not_grow_beyond_what_is_taken_and_shrink_again(self) -> None:
        long = "a = 2\n" + "b\n" * 300_000
        assert failure_of(edit("a = 1", long) + edit("b", "c"), Program("a = 1\n")).startswith(
            "edit 1: the program has 600,00"
        )

    @pytest.mark.timeout(120)  # seconds; without a bound a quarter of an hour
    @pytest.mark.parametrize("dividers", [0, 19])
    def test_edits_of_a_long_program_are_not_searched_for_all_day(self, dividers: int) -> None:
        parent = Program("a = 2\n" + "b\n" * 200_000)
        searched = edit("  a = 2", "zz\n=======\n" * dividers + "  a = 2")
        assert "too many edits" in failure_of(searched * 200, parent)


class TestProtectedRegions:
    PARENT = Program(
        "import sys\n# EVOLVE-BLOCK-START\ndef f():\n    return 1\n# EVOLVE-BLOCK-END\nprint(f())\n"
    )

    def test_edit_inside_is_taken(self) -> None:
        assert "return 2" in source_of(edit("    return 1", "    return 2"), self.PARENT)

    def test_edit_outside_is_refused(self) -> None:
        assert "'print(f())' became 'print(7)'" in failure_of(
            edit("print(f())", "print(7)"), self.PARENT
        )

    def test_rewrite_that_keeps_the_rest_is_taken(self) -> None:
        body = self.PARENT.source.replace("return 1", "x = 1\n    return x")
        assert source_of(f"```python\n{body}```", self.PARENT) == body

    def test_rewrite_without_the_markers_is_refused(self) -> None:
        assert "EVOLVE-BLOCK-START" in failure_of("```python\ndef f(): return 2\n```", self.PARENT)

    def test_a_second_region_cannot_be_opened(self) -> None:
        reply = edit("# EVOLVE-BLOCK-END", "# EVOLVE-BLOCK-END\n# EVOLVE-BLOCK-START\nx = 1")
        assert "must stay" in failure_of(reply, self.PARENT)


class TestChanged:
    def test_comments_and_layout_do_not_count(self) -> None:
        body = PARENT.source.replace("total = 0", "total  =  0  # start")
        parsed = parse_reply(f"```python\n{body}```", PARENT)
        assert parsed.program != PARENT
        assert not parsed.changed

    def test_text_decides_where_a_program_does_not_parse(self) -> None:
        broken = Program("def f(:\n")
        assert not parse_reply("```python\ndef f(:\n```", broken).changed
        assert parse_reply("```python\ndef g(:\n```", broken).changed

    def test_without_a_parent_every_program_is_new(self) -> None:
        assert parse_reply("```python\nx = 1\n```", None).changed


MARKS = ["```", "```python\n", "~~~", "\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"]
PIECES = [*MARKS, "x = 1\n", "def f(:\n", '"""', "\r\n", "\0", "\ud800", "\ufeff", "    ", "é"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
@settings(deadline=None, max_examples=300)
def test_any_text_gives_either_a_program_or_a_failure(text: str) -> None:
    for parent in (PARENT, None):
        parsed = parse_reply(text, parent)
        assert (parsed.program is None) == bool(parsed.failure) == (parsed.kind is EditKind.NONE)


# A marker of edits is as special as a fence, so "<" is left out as well.
@given(st.text(st.characters(exclude_characters="`<\r\0\ufeff", exclude_categories=["Cs"])))
@settings(deadline=None, max_examples=200)
def test_fenced_text_without_backticks_is_recovered_exactly(body: str) -> None:
    parsed = parse_reply(f"Here it is.\n```python\n{body}\n```\n", None)
    assert (parsed.program.source if parsed.program else "") == (
        body + "\n" if body.strip() else ""
    )


@given(
    st.lists(st.sampled_from(["a = 1", "    b = 2", "c()", "", "\td", "# é"]), min_size=1),
    st.data(),
    st.lists(st.sampled_from(["new = 1", "", "    x"]), max_size=3),
)
@settings(deadline=None, max_examples=300)
def test_unique_lines_are_replaced_as_by_str_replace(
    lines: list[str], data: st.DataObject, new: list[str]
) -> None:
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    search, replace = "\n".join(lines[start:end]), "\n".join(new)
    windows = [lines[i : i + end - start] for i in range(len(lines))]
    if not search.strip() or windows.count(lines[start:end]) != 1:
        return
    body = "\n".join(lines) + "\nlast = 0\n"
    # The expected text comes from str.replace on line-delimited text.
    old = f"\n{search}\n"
    expected = f"\n{body}".replace(old, f"\n{replace}\n" if new else "\n", 1)[1:]
    block = edit(search, replace) if new else edit(search, "").replace("\n\n>", "\n>")
    assert source_of(block, Program(body)) == expected


@pytest.mark.parametrize(
    "unit",
    [
        "a line of prose\n",
        "```python\n",
        "```\n",
        "```text\n```\n",
        '```python\nx = """\n',
        "~~~\n```python\n",
        "<<<<<<< SEARCH\n",
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "=======\n",
        "`" * 50,
        "(",
        "\r\n",
    ],
)
def test_hostile_replies_of_two_million_characters_take_linear_time(unit: str) -> None:
    large = unit * (1_999_000 // len(unit))
    started = time.process_time()
    parse_reply(large, PARENT)
    parse_reply("<<<<<<< SEARCH\n" + large + "\n>>>>>>> REPLACE", PARENT)
    # Measured at no more than four seconds; a quadratic step would take hours.
    assert time.process_time() - started < 60


def test_longer_replies_are_not_read() -> None:
    assert "at most 2,000,000" in failure_of("```python\nx = 1\n```\n" * 500_000)
