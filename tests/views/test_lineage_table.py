import hand_made_run

from workbench.views import lineage_table
from workbench.views.lineage import LineageRow


def _rows() -> tuple[LineageRow, ...]:
    return lineage_table(hand_made_run.steps(), hand_made_run.outcomes()).rows


def test_every_step_has_a_row_with_its_fate() -> None:
    assert [(row.id, row.fate) for row in _rows()] == [
        (0, "kept"),
        (1, "kept, migrated to 1"),
        (2, "dropped"),
        (3, "not decided yet"),
        (4, "not decided yet"),
        (5, "not decided yet"),
    ]


def test_a_decided_round_leaves_nobody_undecided() -> None:
    last = hand_made_run.outcomes()[-1]
    round_2 = type(last)(
        round=2, kept=(), dropped=(4,), migrations=(), best=1, best_fitness=last.best_fitness
    )
    rows = lineage_table(hand_made_run.steps(), [*hand_made_run.outcomes(), round_2]).rows
    assert [row.fate for row in rows[3:]] == [
        "no candidate",
        "dropped, same text as 1",
        "no candidate",
    ]


def test_a_row_tells_descent_and_speed() -> None:
    row = _rows()[1]
    assert (row.parents, row.operator, row.island, row.round) == ((0,), "improve", 0, 1)
    assert row.comparison is not None
    assert row.comparison.speedup == 2.0


def test_the_table_shows_each_row_in_words() -> None:
    shown = lineage_table(hand_made_run.steps(), hand_made_run.outcomes())._repr_html_()
    assert "faster: 2x (1.8 to 2.2)" in shown
    assert "kept, migrated to 1" in shown
    assert shown.count("<tr>") == 7


def test_of_a_long_run_the_last_rows_are_shown_and_the_others_counted() -> None:
    first = hand_made_run.steps()[1]
    steps = [
        type(first)(
            request=hand_made_run.request(number, parent=0),
            completion=first.completion,
            edit=first.edit,
            child=first.child,
            evaluation=first.evaluation,
        )
        for number in range(1, 201)
    ]
    shown = lineage_table(steps, [])._repr_html_()
    assert shown.index("140 earlier rows") < shown.index("<table")
    assert "more rows" not in shown
    assert '<td style="text-align:left;vertical-align:top">200</td>' in shown
