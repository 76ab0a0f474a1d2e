"""Any server that speaks the OpenAI chat protocol: hosted providers, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2

from oida.model.dialogue import Prompt, Reply
from oida.model.errors import InputError, RateLimitedError, UnavailableError

MOST_ATTEMPTS = 4
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
LARGEST_REPLY_BYTES = 4_000_000
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class OpenAiCompatibleModel:
    """Structured replies of `model` at `url` (".../v1"); `key` is sent and shown nowhere.

    What may pass (time-outs, 429, 5xx) is tried again with growing waits, as the server asks; raises UnavailableError when it does not
    pass, InputError for what a person must put right. One thread may ask at a time per connection of the pool, so threads may share it.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        timeout_seconds: float = 60.0,
        sleep: Callable[[float], None],
        attempts: int = MOST_ATTEMPTS,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(f"expected the address of a language model as http(s)://…/v1, found {url!r}")
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._sleep = sleep
        self._attempts = attempts
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.Client(timeout=timeout_seconds, headers=headers, follow_redirects=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def ask(self, prompt: Prompt) -> Reply:
        """One reply; a refusal or an empty one is a reply with no text."""
        body = {
            "model": self._model,
            "temperature": 0,
            "messages": [{"role": "system", "content": prompt.instructions}, {"role": "user", "content": prompt.material}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(prompt.schema)}},
        }
        return self._reply(self._post(body))

    def _post(self, body: dict[str, Any]) -> Any:
        wait = FIRST_WAIT_SECONDS
        for attempt in range(1, self._attempts + 1):
            try:
                response = self._client.post(self._url, json=body)
            except (httpx2.HTTPError, OSError) as error:
                problem, asked = f"{type(error).__name__}", None
            else:
                if response.status_code == 200:
                    return _json(response)
                problem, asked = f"status {response.status_code}", response.headers.get("retry-after")
                if response.status_code not in _PASSING:
                    raise InputError(f"the language model refused the request with {problem}; check `oida config llm` and its key")
            if attempt == self._attempts:
                break
            self._sleep(min(LONGEST_WAIT_SECONDS, float(asked) if asked and asked.replace(".", "", 1).isdigit() else wait))
            wait *= 2
        kind = RateLimitedError if problem == "status 429" else UnavailableError
        raise kind(f"the language model did not answer in {self._attempts} attempts: {problem}")

    def _reply(self, body: Any) -> Reply:
        try:
            message = body["choices"][0]["message"]
            text = message.get("content") or ""
        except (KeyError, IndexError, TypeError, AttributeError):
            text = ""
        usage = body.get("usage") if isinstance(body, dict) else None
        counts = usage if isinstance(usage, dict) else {}
        return Reply(
            text if isinstance(text, str) else "", self._model, _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
        )


def _json(response: httpx2.Response) -> Any:
    if len(response.content) > LARGEST_REPLY_BYTES:
        return {}
    try:
        return response.json()
    except ValueError:
        return {}


def _count(usage: dict[str, Any], name: str) -> int:
    found = usage.get(name, 0)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else 0
