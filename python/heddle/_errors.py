"""Exceptions of the package."""

from __future__ import annotations


class Error(Exception):
    """An error of the library.

    ``name`` is its name in heddle.h, such as "HEDDLE_ERR_LAUNCH"; ``code`` is its value.
    """

    def __init__(self, message: str, name: str, code: int) -> None:
        super().__init__(message)
        self.name = name
        self.code = code


class RunError(Exception):
    """A run has failed: Heddle could not do it, or the program has not ended with status 0.

    The message is what Heddle said. ``status`` is the exit status of ``heddle run`` (125: an
    error of Heddle; minus the number of a signal that ended it), ``stdout`` and ``stderr`` what
    was printed.
    """

    def __init__(self, message: str, status: int, stdout: str, stderr: str) -> None:
        super().__init__(message)
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
