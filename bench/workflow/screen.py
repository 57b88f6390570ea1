"""Standard error while a workflow runs: sentences, and below them lines that change.

Snakemake's logger and the thread that follows the runs both write here. Where standard error is no terminal,
the lines are printed now and then, as one.
"""

import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

NEWS = 30.0  # seconds between two printed lines, without a terminal


class Screen:
    """The terminal, or the file, that standard error is."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rich: Console | None = None
        self._status: Any = None
        self._shown, self._at = "", time.monotonic()

    @property
    def _console(self) -> "Console":
        if self._rich is None:
            from rich.console import Console

            self._rich = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
        return self._rich

    def say(self, sentence: str) -> None:
        """Print a sentence, above the lines that change."""
        with self._lock:
            self._console.print(sentence, markup=False)

    def show(self, lines: list[str]) -> None:
        """Put lines in place of those before them."""
        with self._lock:
            text = "; ".join(lines)
            if self._console.is_terminal:
                self._update(lines)
            elif text != self._shown and time.monotonic() - self._at > NEWS:
                self._shown, self._at = text, time.monotonic()
                self.say(text)

    def _update(self, lines: list[str]) -> None:
        from rich.markup import escape
        from rich.status import Status

        width = self._console.width - 4
        text = escape("\n".join(line if len(line) <= width else f"{line[: width - 1]}…" for line in lines))
        if self._status is None:
            self._status = Status(text, console=self._console)
            self._status.start()
        else:
            self._status.update(text)

    def close(self) -> None:
        """Take the lines away."""
        with self._lock:
            if self._status is not None:
                self._status.stop()
                self._status = None


SCREEN = Screen()  # there is one standard error
