from workbench.evaluation import Verdict

# The order that the project's glossary fixes.
ORDER = (
    "unparsed < no_change < compile_error < runtime_error < time_limit < memory_limit "
    "< output_limit < denied < wrong_answer < accepted"
)


def test_verdicts_are_ordered_as_the_glossary_says() -> None:
    names = ORDER.split(" < ")
    assert [verdict.name.lower() for verdict in sorted(Verdict)] == names


def test_words_read_as_people_write_them() -> None:
    assert Verdict.WRONG_ANSWER.words == "wrong answer"
