"""Models behind any OpenAI-compatible chat endpoint. Nothing is loaded and no server is started."""

import json
import queue
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from workbench.errors import ConfigError, ModelError, boundary
from workbench.models.chat import as_messages, check_request, encodable
from workbench.models.language_model import Completion, Conversation, Sampling
from workbench.models.reasoning import split_reasoning

# What the client library waits at most when a server says Retry-After.
_LONGEST_PAUSE_S = 120.0
# Servers differ in what they take for a seed; all take 31 bits.
_SEED_RANGE = 2**31

# Of an error under a status of success, as gateways send them: what may pass by itself.
_PASSING = re.compile(r"429|5\d\d|.*(?:rate_?limit|overloaded|timeout).*", re.IGNORECASE)
_FIRST_PAUSE_S, _LAST_PAUSE_S = 0.5, 8.0
_MOST_SAID = 500

_Outcome = tuple[int, Completion | ModelError]


class _ErrorBodyError(ValueError):
    """What the server answered is a report of an error, with a status of success."""

    def __init__(self, error: Any) -> None:
        fields = error if isinstance(error, dict) else {"message": error}
        said = [str(fields[key]) for key in ("code", "type", "message") if fields.get(key)]
        super().__init__(": ".join(said))
        self.passing = any(_PASSING.fullmatch(word[:_MOST_SAID]) for word in said[:2])


class EndpointModel:
    """One model on a server that speaks the chat completions format.

    Several requests are under way at once. Busy (429), failing (5xx), silent and unreachable
    servers are asked again with growing pauses, or after the pause that they ask for; so are
    those that say such a thing in the body alone. The key appears in no representation, message
    or exception.

    Args:
        model: the model's name on that server.
        base_url: up to and without "/chat/completions", usually ending in "/v1".
        api_key: what the server wants to see; None for servers that want none.
        concurrency: requests under way at once.
        retries: further tries a request.
        name: what the run records; the model's name if empty.

    Raises:
        ConfigError: a URL that is none, or a count out of range.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        concurrency: int = 4,
        retries: int = 4,
        name: str = "",
    ) -> None:
        place = _without_credentials(base_url)
        if concurrency < 1 or retries < 0:
            raise ConfigError(
                "concurrency must be at least 1 and retries at least 0, "
                f"got {concurrency} and {retries}"
            )
        key = (api_key or "").strip()
        if not key.isascii() or not key.isprintable():
            raise ConfigError("api_key holds characters that no HTTP header can carry")
        import openai

        self._model = model
        self._name = name or model
        self._key = key
        self._concurrency = concurrency
        self._retries = retries
        self._place = place
        # The library insists on a key; servers without one ignore it.
        self._client = openai.OpenAI(base_url=base_url, api_key=key or "none", max_retries=retries)

    @property
    def name(self) -> str:
        """What the user typed to get it."""
        return self._name

    def __repr__(self) -> str:
        """Model and server, never the key."""
        return f"EndpointModel({self._model!r}, base_url={self._place!r})"

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Complete concurrently, in the order of arrival.

        When a request fails for good no further one is sent, but those under way are waited for
        and given before the error is raised: they may have cost money.

        Raises:
            ModelError: the server cannot be reached, refuses, or answers something else; a
                request took longer than `sampling.timeout_s` in every try.
            ConfigError: seeds and conversations do not match.
        """
        check_request(conversations, seeds)
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for position in range(len(conversations)):
            waiting.put(position)
        outcomes: queue.SimpleQueue[_Outcome | None] = queue.SimpleQueue()
        stopped = threading.Event()

        def work() -> None:
            while not stopped.is_set():
                try:
                    position = waiting.get_nowait()
                except queue.Empty:
                    break
                try:
                    with boundary(ModelError, f"ask {self._place}"):
                        result = self._attempt(conversations[position], sampling, seeds[position])
                except ModelError as failure:
                    result = failure
                if isinstance(result, ModelError):
                    stopped.set()
                outcomes.put((position, result))
            outcomes.put(None)

        # Daemons, so that an interrupted session need not wait for a server that hangs.
        workers = [
            threading.Thread(target=work, name=f"endpoint-{number}", daemon=True)
            for number in range(min(self._concurrency, len(conversations)))
        ]
        for worker in workers:
            worker.start()
        try:
            yield from self._arrivals(outcomes, len(workers), sampling)
        finally:
            stopped.set()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def served(self, *, timeout_s: float = 3.0) -> list[str]:
        """Names of the models that the server offers.

        Raises:
            ModelError: it cannot be reached or refuses.
        """
        import openai

        try:
            listing = self._client.with_options(timeout=timeout_s, max_retries=0).models.list()
            names = [str(model.id) for model in listing.data]
        except (openai.OpenAIError, ValueError, AttributeError, TypeError) as failure:
            problem = self._explain(failure, timeout_s)
        else:
            return names
        raise problem

    def _arrivals(
        self, outcomes: "queue.SimpleQueue[_Outcome | None]", workers: int, sampling: Sampling
    ) -> Iterator[tuple[int, Completion]]:
        # Every request is decided within this time, unless its server trickles bytes for ever.
        patience_s = (self._retries + 1) * (sampling.timeout_s + _LONGEST_PAUSE_S)
        failure: ModelError | None = None
        while workers:
            try:
                outcome = outcomes.get(timeout=patience_s)
            except queue.Empty:
                raise self._late(sampling.timeout_s) from None
            if outcome is None:
                workers -= 1
                continue
            position, result = outcome
            if isinstance(result, ModelError):
                failure = failure or result
            else:
                yield position, result
        if failure is not None:
            raise failure

    def _attempt(
        self, conversation: Conversation, sampling: Sampling, seed: int
    ) -> Completion | ModelError:
        import openai

        # Returned instead of raised, so that no chained exception carries the request's headers.
        failure: Exception
        pause_s = _FIRST_PAUSE_S
        for retries in range(self._retries, -1, -1):
            try:
                return self._ask(conversation, sampling, seed, retries=retries)
            except _ErrorBodyError as reported:
                failure = reported
                if not reported.passing:
                    break
            except (openai.OpenAIError, ValueError, LookupError, TypeError) as broken:
                failure = broken
                break
            if retries:
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, _LAST_PAUSE_S)
        return self._explain(failure, sampling.timeout_s)

    def _ask(
        self, conversation: Conversation, sampling: Sampling, seed: int, *, retries: int
    ) -> Completion:
        started = time.perf_counter()
        client = self._client.with_options(max_retries=retries)
        response = client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=as_messages(conversation),  # type: ignore[arg-type]  # plain records
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=seed % _SEED_RANGE,
            timeout=sampling.timeout_s,
            **self._budget(sampling.max_tokens),
        )
        return _completion(json.loads(response.content), time.perf_counter() - started)

    def _budget(self, max_tokens: int) -> dict[str, Any]:
        # The company's own models refuse the field that every other server knows.
        own = urlsplit(self._place).hostname == "api.openai.com"
        return {"max_completion_tokens" if own else "max_tokens": max_tokens}

    def _late(self, timeout_s: float) -> ModelError:
        return ModelError(
            f"{self._place} did not finish a reply within {timeout_s:g} s in any of "
            f"{self._retries + 1} tries: raise sampling.timeout_s, lower sampling.max_tokens or "
            "the concurrency"
        )

    def _explain(self, failure: Exception, timeout_s: float) -> ModelError:
        """The failure as it should be read, with what to do and without the key."""
        import openai

        said = self._redacted(str(failure))
        if isinstance(failure, openai.APITimeoutError):
            return self._late(timeout_s)
        if isinstance(failure, openai.APIConnectionError):
            cause = self._redacted(str(failure.__cause__ or failure))
            return ModelError(
                f"cannot talk to {self._place} ({cause}): start the server or correct base_url "
                "(OPENAI_BASE_URL)"
            )
        if isinstance(failure, openai.AuthenticationError | openai.PermissionDeniedError):
            return ModelError(f"{self._place} refuses the key: set OPENAI_API_KEY ({said})")
        if isinstance(failure, openai.NotFoundError):
            return ModelError(
                f"{self._place} knows no model {self._model!r}, or base_url lacks its last part, "
                f"usually /v1 ({said})"
            )
        if isinstance(failure, openai.APIStatusError):
            return ModelError(
                f"{self._place} answered {failure.status_code} after {self._retries + 1} tries "
                f"at most ({said})"
            )
        if isinstance(failure, _ErrorBodyError):
            return ModelError(f"{self._place} answered with an error ({said[:_MOST_SAID]})")
        return ModelError(
            f"{self._place} answered something that is no chat completion ({said}): is base_url "
            "the address of an OpenAI-compatible server?"
        )

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _completion(body: Any, seconds: float) -> Completion:
    """Read a reply; LookupError, TypeError or ValueError say that it is none."""
    if not isinstance(body, dict):
        raise TypeError(f"expected an object, got {type(body).__name__}")
    if not body.get("choices") and body.get("error"):
        raise _ErrorBodyError(body["error"])
    if not body.get("choices"):
        raise ValueError("it holds no choices")
    choice = body["choices"][0]
    message = choice["message"]
    if not isinstance(message, dict):
        raise TypeError("expected an object as message")
    content = message.get("content") or ""
    thought = message.get("reasoning_content") or message.get("reasoning") or ""
    if not isinstance(content, str) or not isinstance(thought, str):
        raise TypeError("expected text as content")
    text, thought = encodable(content), encodable(thought)
    # A server that took the reasoning out left tags that belong to the text.
    if text and not thought:
        text, thought = split_reasoning(text)
    return Completion(
        text=text,
        reasoning=thought,
        finish_reason=str(choice.get("finish_reason") or "stop"),
        prompt_tokens=_count(body, "prompt_tokens"),
        completion_tokens=_count(body, "completion_tokens"),
        seconds=seconds,
    )


def _count(body: dict[str, Any], field: str) -> int:
    """Tokens that a server says it read or wrote; 0 where it does not say so."""
    usage = body.get("usage")
    count = usage.get(field) if isinstance(usage, dict) else None
    return count if type(count) is int and count >= 0 else 0


def _without_credentials(base_url: str) -> str:
    """An address as it may be shown.

    Raises:
        ConfigError: it is no address of a server.
    """
    import httpx

    fault = "it must start with http:// or https:// and name a server"
    try:
        parts = urlsplit(base_url)
        # The client library reads addresses in its own way; this one must suit both.
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            httpx.URL(base_url)
            return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    except httpx.InvalidURL as failure:
        fault = str(failure)
    except ValueError:  # its words may quote what stands before the @
        fault = "its host or port is malformed"
    # Unchained, for the same reason.
    raise ConfigError(f"base_url cannot be {base_url.rpartition('@')[2]!r}: {fault}")
