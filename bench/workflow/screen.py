"""What a workflow prints to the terminal (stderr): messages, and below them status lines updated in place.

Where standard error is no terminal, the lines are printed now and then, as one.
"""

import time

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from structbench.bench.drawing.terminal import visible

NEWS = 30.0  # seconds between two printed lines, without a terminal


class Screen:
    """The terminal, or the file, that standard error is. Any thread may write to it."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
        self._status = Status("", console=self._console)
        self._shown, self._at = "", time.monotonic()

    def say(self, sentence: str) -> None:
        """Print a sentence, above the lines that change."""
        self._console.print(visible(sentence, self._console.file), markup=False)

    def show(self, lines: list[str]) -> None:
        """Put lines in place of those before them."""
        text = "; ".join(lines)
        if self._console.is_terminal:
            width = self._console.width - 4
            fitting = (line if len(line) <= width else f"{line[: width - 1]}…" for line in lines)
            self._status.update(escape(visible("\n".join(fitting), self._console.file)))
            self._status.start()
        elif text != self._shown and time.monotonic() - self._at > NEWS:
            self._shown, self._at = text, time.monotonic()
            self.say(text)

    def close(self) -> None:
        """Take the lines away."""
        self._status.stop()


SCREEN = Screen()  # there is one standard error
