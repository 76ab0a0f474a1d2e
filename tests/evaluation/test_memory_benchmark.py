"""The shapes and metrics of other people's memory benchmarks, on tiny files of our own."""

from __future__ import annotations

import json

import pytest

from oida.evaluation.memory_benchmark import Format, MemoryQuestion, listed_f1, metrics_of, normalised, read_cases, recalled, token_f1
from oida.model.errors import InputError


def question(*answers: str, kind: str = "4", is_unanswerable: bool = False) -> MemoryQuestion:
    return MemoryQuestion("q", "?", answers, kind, 1, is_unanswerable=is_unanswerable)


def test_answers_are_compared_without_case_articles_and_points() -> None:
    assert "cat dog" == normalised("The cat, and a DOG.")
    assert pytest.approx(2 * 2 / 5) == token_f1("a red bicycle", "the red blue bicycle".replace("blue ", "big "))
    assert 0.0 == token_f1("tea", "coffee")
    assert pytest.approx(0.5) == listed_f1("tea", "tea, coffee")


def test_the_best_accepted_answer_counts() -> None:
    found = metrics_of("It is nine metres long", question("9 m", "nine metres"), Format.MEMORYAGENTBENCH)

    assert (1.0, 0.0) == (found["substring"], found["exact"])
    assert pytest.approx(2 * 2 / 7) == found["f1"]
    assert 1.0 == metrics_of("Nine metres.", question("nine metres"), Format.MEMORYAGENTBENCH)["exact"]


def test_locomo_takes_the_first_part_of_an_open_answer_and_lists_of_many() -> None:
    assert 1.0 == metrics_of("yes", question("yes; because she said so", kind="3"), Format.LOCOMO)["f1"]
    assert 1.0 == metrics_of("tea, coffee", question("coffee, tea", kind="1"), Format.LOCOMO)["f1"]


def test_declining_is_right_only_where_nothing_is_known() -> None:
    unknown = question("Polly", is_unanswerable=True)

    assert 1.0 == metrics_of("No information available.", unknown, Format.LOCOMO)["f1"]
    assert 0.0 == metrics_of("Polly", unknown, Format.LOCOMO)["f1"]
    assert 0.0 == metrics_of("Not mentioned", question("tea"), Format.LOCOMO)["f1"]


def test_recall_counts_evidence_of_which_something_was_shown() -> None:
    assert 0.5 == recalled(("D1:1", "D2:4"), ["D1:1", "D7:7"])
    assert recalled((), ["D1:1"]) is None


def test_sessions_come_in_the_order_of_their_times_and_lines_of_json_are_read() -> None:
    raw = {
        "question_id": "x_abs", "question_type": "t", "question": "?", "answer": "none",
        "haystack_dates": ["2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"], "haystack_sessions": [[], []],
        "haystack_session_ids": ["late", "early"],
    }  # fmt: skip
    [case] = read_cases(json.dumps(raw) + "\n", Format.LONGMEMEVAL)

    assert ["early", "late"] == [session.session_id for session in case.sessions]
    assert case.questions[0].is_unanswerable


def test_a_long_context_is_told_in_chunks() -> None:
    context = "\n".join(f"{number}. {'fact ' * 20}" for number in range(400))
    [case] = read_cases(json.dumps({"context": context, "questions": ["?"], "answers": ["a"]}), Format.MEMORYAGENTBENCH)

    assert 400 == sum(len(session.turns) for session in case.sessions)
    assert len(case.sessions) > 2


@pytest.mark.parametrize("kind", list(Format))
@pytest.mark.parametrize("text", ["{}", "nonsense", "[1]"])
def test_another_shape_is_refused(kind: Format, text: str) -> None:
    with pytest.raises(InputError):
        read_cases(text, kind)
