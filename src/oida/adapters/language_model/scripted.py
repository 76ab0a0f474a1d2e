"""A language model that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable

from oida.model.dialogue import Prompt, Reply


class ScriptedModel:
    """Answers by a function of the prompt; counts how often it was asked."""

    def __init__(self, script: Callable[[Prompt], str]) -> None:
        self._script = script
        self.asked = 0

    @property
    def name(self) -> str:
        """Always "scripted"."""
        return "scripted"

    def ask(self, prompt: Prompt) -> Reply:
        """What the script says."""
        self.asked += 1
        text = self._script(prompt)
        return Reply(text, self.name, len(prompt.material) // 4, len(text) // 4)
