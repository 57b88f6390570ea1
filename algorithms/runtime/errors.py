"""The kinds of exception that users see as a sentence, not as a traceback."""


class UserError(ValueError):
    """A wrong argument, config, file or environment. One sentence says what is wrong and what would be right."""


class Fault(Exception):
    """A fault of an algorithm, not of its user. The sentence names the algorithm and the file of the traceback."""
