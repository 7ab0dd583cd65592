import xml.etree.ElementTree as ET
from dataclasses import replace

import hand_made_run

from workbench.views import FitnessHistory, fitness_history
from workbench.views.sketch import fitness_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_sketch_has_a_dot_for_each_correct_child_and_a_cross_for_each_failure() -> None:
    drawn = ET.fromstring(fitness_svg(fitness_history(hand_made_run.steps())))
    assert len(drawn.findall(f"{SVG}circle")) == 2
    crosses = [path for path in drawn.findall(f"{SVG}path") if path.get("stroke") == "#D55E00"]
    assert len(crosses) == 3


def test_best_line_starts_at_half_height_and_climbs_to_the_top() -> None:
    drawn = ET.fromstring(fitness_svg(fitness_history(hand_made_run.steps())))
    line = drawn.findall(f"{SVG}path")[-1].get("d")
    # 0.1 of 0.2 on a ground between y = 12 and y = 206; 5 replies between x = 52 and x = 628.
    assert line == "M52.0 109.0H167.2V12.0H628.0V12.0"


def test_a_picture_of_fewer_marks_than_replies_says_so() -> None:
    point = fitness_history(hand_made_run.steps()).points[0]
    points = tuple(replace(point, reply=number) for number in range(1, 10_001))
    drawn = ET.fromstring(fitness_svg(FitnessHistory(start=0.0, points=points)))
    said = [text.text or "" for text in drawn.iter(f"{SVG}text")]
    marks = len(drawn.findall(f"{SVG}circle"))
    assert 100 <= marks <= 300
    assert any(f"marks: {marks} of 10,000" in text for text in said)
    whole = fitness_svg(fitness_history(hand_made_run.steps()))
    assert "marks:" not in whole


def test_an_empty_run_can_be_sketched() -> None:
    drawn = ET.fromstring(fitness_svg(FitnessHistory(start=0.0, points=())))
    assert drawn.tag.endswith("svg")
