"""The kinds of exception that reach people as a sentence, never as a traceback."""


class UserError(ValueError):
    """A wrong argument, config, file or environment, said in one sentence with what would be right."""


class Fault(Exception):
    """A fault of an algorithm, not of its user, in a sentence that names it and the file of the traceback."""
