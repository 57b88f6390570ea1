"""The one kind of exception that is a user's to mend: it reaches them as a sentence, never as a traceback."""


class UserError(ValueError):
    """A wrong argument, config, file or environment, said in one sentence with what would be right."""
