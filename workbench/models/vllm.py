"""Local models through vLLM, in this process. Servers are reached through `openai.py` instead."""

import importlib.util
import time
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from workbench.errors import ConfigError, ModelError, boundary
from workbench.models.chat import Rendered, check_request, check_room, render
from workbench.models.language_model import Completion, Conversation, Sampling
from workbench.models.reasoning import split_reasoning

_LARGEST_RANK = 64


@dataclass(eq=False)
class VllmModel:
    """A model folder or hub id in a vLLM engine with prefix caching.

    Prompts of one search share long beginnings, which the engine then reads only once. Replies
    are given as they finish. Equal seeds give equal replies up to the rounding that batching
    brings.

    Attributes:
        path: folder with config, weights and tokenizer, or a hub id.
        name: what the run records; the path if empty.
        adapter: folder of a LoRA adapter on top of it, of rank 64 at most, or None.
        max_model_len: tokens of prompt and reply together; None is the model's own.
        gpu_memory_utilization: share of the GPU's memory that the engine takes, in (0, 1].
        enforce_eager: skip the compilation that makes the start long and the rest fast.
    """

    path: str
    _: KW_ONLY
    name: str = ""
    adapter: str | None = None
    max_model_len: int | None = None
    gpu_memory_utilization: float = 0.85
    enforce_eager: bool = False
    _llm: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse settings that cannot work.

        Raises:
            ConfigError: a share or a length out of range.
        """
        self.name = self.name or self.path
        if not 0 < self.gpu_memory_utilization <= 1:
            raise ConfigError(
                f"gpu_memory_utilization must be in (0, 1], got {self.gpu_memory_utilization}"
            )
        if self.max_model_len is not None and self.max_model_len < 1:
            raise ConfigError(f"max_model_len must be at least 1, got {self.max_model_len}")

    def load(self) -> None:
        """Start the engine; does nothing if it runs.

        Raises:
            ModelError: vLLM is not installed, or the engine does not start.
        """
        if self._llm is not None:
            return
        if importlib.util.find_spec("vllm") is None:
            raise ModelError(
                "vLLM is not installed: .venv/bin/pip install --editable '.[gpu]', or name the "
                f"model hf:{self.path} to run it through transformers"
            )
        with boundary(ModelError, f"start vLLM with {self.path!r}"):
            from vllm import LLM

            self._llm = LLM(
                model=self.path,
                enable_prefix_caching=True,
                enable_lora=self.adapter is not None,
                max_lora_rank=_LARGEST_RANK,
                max_model_len=self.max_model_len,
                gpu_memory_utilization=self.gpu_memory_utilization,
                enforce_eager=self.enforce_eager,
            )

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Complete all at once, in the order in which replies finish.

        What is unfinished `sampling.timeout_s` after a reply last finished is given up; the time
        that the caller spends between replies does not count.

        Raises:
            ModelError: the engine is missing or broke, a prompt leaves no room for the reply, or
                no reply finished in time.
            ConfigError: seeds and conversations do not match.
        """
        check_request(conversations, seeds)
        self.load()
        engine = self._llm.llm_engine
        tokenizer = self._llm.get_tokenizer()
        prompts = [render(tokenizer, conversation) for conversation in conversations]
        check_room(prompts, sampling.max_tokens, engine.model_config.max_model_len)
        names = {str(position): position for position in range(len(prompts))}
        started = time.perf_counter()
        try:
            with boundary(ModelError, "hand requests to vLLM"):
                self._submit(prompts, sampling, seeds)
            for output, now in _finished(engine, sampling.timeout_s):
                position = names.pop(output.request_id)
                yield position, _completion(output, prompts[position], now - started)
        finally:
            # An abandoned or interrupted call must not leave work for the next one.
            engine.abort_request(list(names))

    def close(self) -> None:
        """Shut the engine down; a later `generate` starts it again."""
        if self._llm is not None:
            self._llm.llm_engine.engine_core.shutdown()
            self._llm = None

    def _submit(
        self, prompts: Sequence[Rendered], sampling: Sampling, seeds: Sequence[int]
    ) -> None:
        from vllm import SamplingParams
        from vllm.inputs import TokensPrompt
        from vllm.lora.request import LoRARequest
        from vllm.sampling_params import RequestOutputKind

        adapter = LoRARequest("adapter", 1, self.adapter) if self.adapter is not None else None
        for position, (prompt, seed) in enumerate(zip(prompts, seeds, strict=True)):
            params = SamplingParams(
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                max_tokens=sampling.max_tokens,
                seed=seed % 2**63,
                output_kind=RequestOutputKind.FINAL_ONLY,
            )
            self._llm.llm_engine.add_request(
                str(position),
                TokensPrompt(prompt_token_ids=list(prompt.token_ids)),
                params,
                lora_request=adapter,
            )


def _finished(engine: Any, timeout_s: float) -> Iterator[tuple[Any, float]]:
    """Outputs of an engine as they finish, each with the time on the performance counter."""
    last = time.perf_counter()
    while engine.has_unfinished_requests():
        with boundary(ModelError, "generate with vLLM"):
            finished = [output for output in engine.step() if output.finished]
        now = time.perf_counter()
        for output in finished:
            yield output, now
        if finished:
            last = time.perf_counter()  # not `now`: the engine rests while the caller works
        elif now - last > timeout_s:
            raise ModelError(
                f"vLLM finished no reply within {timeout_s:g} s: raise sampling.timeout_s or "
                "lower sampling.max_tokens"
            )


def _completion(output: Any, prompt: Rendered, seconds: float) -> Completion:
    reply = output.outputs[0]
    text, reasoning = split_reasoning(reply.text, opened=prompt.thinking)
    return Completion(
        text=text,
        reasoning=reasoning,
        finish_reason=reply.finish_reason or "stop",
        prompt_tokens=len(prompt.token_ids),
        completion_tokens=len(reply.token_ids),
        seconds=seconds,
    )
