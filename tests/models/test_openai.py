import json
import socket
import threading
import time
import traceback
from typing import Any

import pytest
from chat_server import KEY, MODEL, Answer, Script, chat, chat_server, echo, fail, say

from workbench.errors import ConfigError, ModelError
from workbench.models import Completion, Message, Role, Sampling
from workbench.models.openai import EndpointModel

ASK = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "hello"))


def numbered(count: int) -> list[tuple[Message, ...]]:
    return [(Message(Role.USER, str(number)),) for number in range(count)]


def ask(script: Script, *, timeout_s: float = 20.0, **settings: Any) -> Completion:
    with chat_server(script) as server:
        model = EndpointModel(MODEL, base_url=server.url, api_key=KEY, **settings)
        ((position, completion),) = model.generate([ASK], Sampling(timeout_s=timeout_s), seeds=[1])
        model.close()
    assert position == 0
    return completion


def refusal(script: Script, *, timeout_s: float = 20.0, retries: int = 0) -> str:
    """The error's message, once it is shown that no form of it holds the key."""
    with pytest.raises(ModelError) as caught:
        ask(script, timeout_s=timeout_s, retries=retries)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_request_says_what_was_asked() -> None:
    with chat_server() as server:
        model = EndpointModel(MODEL, base_url=server.url, api_key=KEY)
        sampling = Sampling(temperature=0.3, top_p=0.9, max_tokens=17)
        list(model.generate([ASK], sampling, seeds=[2**31 + 5]))
        (request,) = server.requests
        assert server.keys == [f"Bearer {KEY}"]
    assert request == {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hello"},
        ],
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 17,
        "seed": 5,
    }


def test_reply_brings_its_counts_and_its_time() -> None:
    completion = ask(lambda *_: say("hi", delay_s=0.1))
    assert completion.text == "hi"
    assert (completion.prompt_tokens, completion.completion_tokens) == (5, 7)
    assert completion.finish_reason == "stop"
    assert 0.1 <= completion.seconds < 10


def test_finish_reason_is_the_servers_own_word() -> None:
    message = {"role": "assistant", "content": None}
    completion = ask(lambda *_: chat(message, finish_reason="content_filter"))
    assert (completion.text, completion.finish_reason) == ("", "content_filter")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_field_is_kept_apart(field: str) -> None:
    message = {"role": "assistant", "content": "4", field: "two and two"}
    completion = ask(lambda *_: chat(message))
    assert (completion.text, completion.reasoning) == ("4", "two and two")


def test_reasoning_in_tags_is_taken_out_of_the_text() -> None:
    completion = ask(lambda *_: say("<think>two and two</think>\n4"))
    assert (completion.text, completion.reasoning) == ("4", "two and two")


def test_reply_with_a_lone_surrogate_can_be_stored() -> None:
    body = say("x").body.replace(b'"x"', b'"\\ud800"')
    assert ask(lambda *_: Answer(body=body)).text.encode() == b"\\ud800"


def test_replies_come_in_the_order_of_arrival_at_their_positions() -> None:
    def script(request: dict[str, Any], _: int) -> Answer:
        number = int(request["messages"][0]["content"])
        return say(f"reply {number}", delay_s=0.8 if number == 0 else 0.0)

    with chat_server(script) as server:
        model = EndpointModel(MODEL, base_url=server.url, concurrency=2)
        arrived = list(model.generate(numbered(4), Sampling(), seeds=range(4)))
    assert [position for position, _ in arrived] == [1, 2, 3, 0]
    assert all(completion.text == f"reply {position}" for position, completion in arrived)


def test_no_more_requests_at_once_than_asked_for() -> None:
    with chat_server(lambda *_: say("x", delay_s=0.05)) as server:
        model = EndpointModel(MODEL, base_url=server.url, concurrency=3)
        assert len(list(model.generate(numbered(12), Sampling(), seeds=range(12)))) == 12
        assert server.most_at_once == 3


def test_busy_server_is_asked_again_after_the_pause_it_names() -> None:
    def script(_: dict[str, Any], earlier: int) -> Answer:
        return say("ok") if earlier else fail(429, "busy", headers={"Retry-After": "1"})

    started = time.monotonic()
    assert ask(script).text == "ok"
    assert time.monotonic() - started >= 1.0


def test_failing_server_is_asked_again() -> None:
    assert ask(lambda _, earlier: say("ok") if earlier else fail(500)).text == "ok"


def test_half_a_reply_is_asked_for_again() -> None:
    assert ask(lambda _, earlier: say("a whole reply", cut=not earlier)).text == "a whole reply"


def test_server_that_keeps_failing_is_given_up() -> None:
    with chat_server(lambda *_: fail(500, "down")) as server:
        model = EndpointModel(MODEL, base_url=server.url, retries=1)
        with pytest.raises(ModelError, match=r"500.*2 tries.*down"):
            list(model.generate([ASK], Sampling(), seeds=[1]))
        assert len(server.requests) == 2


def test_server_that_hangs_is_given_up_in_time() -> None:
    started = time.monotonic()
    message = refusal(lambda *_: say("late", delay_s=3.0), timeout_s=0.3)
    assert "within 0.3 s" in message
    assert "sampling.timeout_s" in message
    assert time.monotonic() - started < 2.5


def test_half_replies_only_are_given_up() -> None:
    assert "cannot talk to" in refusal(lambda *_: say("never whole", cut=True))


def test_nobody_listening_is_said_with_the_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, never listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = EndpointModel(MODEL, base_url=url, api_key=KEY, retries=0)
        with pytest.raises(ModelError, match="start the server or correct base_url") as caught:
            list(model.generate([ASK], Sampling(), seeds=[1]))
    assert url in str(caught.value)


def test_wrong_key_is_said_without_the_key() -> None:
    message = refusal(lambda *_: fail(401, f"Incorrect API key provided: {KEY}"))
    assert "OPENAI_API_KEY" in message
    assert "***" in message


def test_unknown_model_is_named() -> None:
    assert repr(MODEL) in refusal(lambda *_: fail(404, "no such model"))


def test_refused_request_brings_the_servers_reason() -> None:
    assert "context length is 10" in refusal(lambda *_: fail(400, "context length is 10"))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(body=b'{"choices": ['), "no chat completion"),
        (Answer(body=b'{"choices": []}'), "no choices"),
        (Answer(body=b"{}"), "no choices"),
        (Answer(body=b"[]"), "expected an object"),
        (Answer(body=b'{"choices": [{}]}'), "message"),
        (Answer(body=b'{"choices": [7]}'), "no chat completion"),
        (Answer(body=b'{"choices": [{"message": {"content": 7}}]}'), "expected text"),
        (Answer(body=b'{"choices": [{"message": "x"}]}'), "no chat completion"),
        (Answer(body=b"<html>Welcome</html>", content_type="text/html"), "no chat completion"),
        (Answer(body=b"\xff\xfe\x00"), "no chat completion"),
    ],
)
def test_answer_that_is_no_completion_is_refused(answer: Answer, said: str) -> None:
    assert said in refusal(lambda *_: answer)


def error_body(error: Any) -> Answer:
    return Answer(body=json.dumps({"error": error, "choices": []}).encode())


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            {"message": "no such region", "code": 400},
            "answered with an error (400: no such region)",
        ),
        ("out of credit", "answered with an error (out of credit)"),
        ({"message": KEY}, "answered with an error (***)"),
        ({"message": "x" * 10_000}, "xxx)"),
        ({"message": "x" * 497 + KEY}, "xxx***)"),
        ([1], "answered with an error ([1])"),
    ],
)
def test_error_under_a_status_of_success_is_reported_at_once(error: Any, said: str) -> None:
    with chat_server(lambda *_: error_body(error)) as server:
        model = EndpointModel(MODEL, base_url=server.url, api_key=KEY, retries=3)
        with pytest.raises(ModelError) as caught:
            list(model.generate([ASK], Sampling(), seeds=[1]))
        assert said in str(caught.value)
        assert len(str(caught.value)) < 1000
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "error",
    [{"code": 429}, {"code": "503"}, {"type": "overloaded_error"}, {"code": "rate_limit_exceeded"}],
)
def test_passing_error_under_a_status_of_success_is_tried_again(error: dict[str, Any]) -> None:
    script: Script = lambda _, earlier: say("hi") if earlier else error_body(error)  # noqa: E731
    assert ask(script, retries=1).text == "hi"
    assert "answered with an error" in refusal(lambda *_: error_body(error), retries=0)


def test_passing_error_that_stays_is_tried_as_often_as_asked() -> None:
    with chat_server(lambda *_: error_body({"code": 429, "message": "busy"})) as server:
        model = EndpointModel(MODEL, base_url=server.url, retries=2)
        with pytest.raises(ModelError, match="429: busy"):
            list(model.generate([ASK], Sampling(), seeds=[1]))
        assert len(server.requests) == 3


def test_tags_stay_in_a_text_whose_reasoning_the_server_took_out() -> None:
    message = {"role": "assistant", "content": "print('</think>')", "reasoning_content": "so"}
    completion = ask(lambda *_: chat(message))
    assert (completion.text, completion.reasoning) == ("print('</think>')", "so")


@pytest.mark.parametrize("usage", [[1], "x", {"prompt_tokens": "x"}, {"prompt_tokens": -1}, None])
def test_reply_with_odd_counts_is_still_a_reply(usage: Any) -> None:
    body = {**json.loads(say("hi").body), "usage": usage}
    completion = ask(lambda *_: Answer(body=json.dumps(body).encode()))
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == ("hi", 0, 0)


def test_right_body_of_the_wrong_content_type_is_read() -> None:
    assert ask(lambda *_: say("fine", content_type="text/plain")).text == "fine"


def test_newline_behind_the_key_does_no_harm() -> None:
    with chat_server() as server:
        model = EndpointModel(MODEL, base_url=server.url, api_key=f"{KEY}\n")
        assert len(list(model.generate([ASK], Sampling(), seeds=[1]))) == 1
        assert server.keys == [f"Bearer {KEY}"]


def test_key_that_no_header_can_carry_is_refused_unseen() -> None:
    with pytest.raises(ConfigError) as caught:
        EndpointModel(MODEL, base_url="http://localhost/v1", api_key="sk-\nsplit")
    assert "split" not in str(caught.value)


def test_key_is_in_no_representation() -> None:
    model = EndpointModel(MODEL, base_url="http://me:hidden@localhost/v1", api_key=KEY)
    assert repr(model) == "EndpointModel('tiny', base_url='http://localhost/v1')"
    assert KEY not in str(model)


def test_replies_under_way_are_given_before_the_failure() -> None:
    def script(request: dict[str, Any], _: int) -> Answer:
        if request["messages"][0]["content"] == "0":
            return fail(400, "bad")
        return say("paid for", delay_s=0.4)

    with chat_server(script) as server:
        model = EndpointModel(MODEL, base_url=server.url, concurrency=2)
        arrived: list[int] = []
        replies = model.generate(numbered(6), Sampling(), seeds=range(6))
        with pytest.raises(ModelError, match="bad"):
            arrived.extend(position for position, _ in replies)
        assert arrived == [1]
        assert len(server.requests) == 2


def test_abandoned_call_sends_nothing_more() -> None:
    with chat_server(lambda *_: say("x", delay_s=0.1)) as server:
        model = EndpointModel(MODEL, base_url=server.url, concurrency=1)
        replies = model.generate(numbered(20), Sampling(), seeds=range(20))
        next(replies)
        replies.close()
        time.sleep(0.5)
        assert len(server.requests) <= 2


def test_calls_from_two_threads_do_not_mix() -> None:
    with chat_server(echo) as server:
        model = EndpointModel(MODEL, base_url=server.url)
        found: dict[int, list[str]] = {}

        def call(seed: int) -> None:
            replies = dict(model.generate(numbered(8), Sampling(), seeds=[seed] * 8))
            found[seed] = [replies[place].text for place in range(8)]

        threads = [threading.Thread(target=call, args=(seed,)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for seed in (1, 2):
        assert found[seed] == [f"seed {seed} heard {number}" for number in range(8)]


def test_served_models_are_listed() -> None:
    with chat_server() as server:
        assert EndpointModel("any", base_url=server.url).served() == [MODEL]


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:8000"},
        {"base_url": "http://"},
        {"base_url": "http://host:abc/v1"},
        {"base_url": "http://host:99999/v1"},
        {"base_url": "http://[bad/v1"},
        {"base_url": "http://host/\0v1"},
        {"base_url": "http://localhost/v1", "concurrency": 0},
        {"base_url": "http://localhost/v1", "retries": -1},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        EndpointModel(MODEL, **settings)


@pytest.mark.parametrize(
    "base_url",
    [
        "me:hidden@localhost/v1",
        "htp://me:hidden@localhost/v1",
        "http://me:hidden@localhost:abc/v1",
        "http://me:hidden@[localhost/v1",
        "http://me:hidden@localhost/\x01v1",
        "http://me:hid:den@:80/v1",
    ],
)
def test_password_in_a_refused_address_is_not_shown(base_url: str) -> None:
    with pytest.raises(ConfigError, match="base_url") as caught:
        EndpointModel(MODEL, base_url=base_url)
    assert "hid" not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.__context__ is None
