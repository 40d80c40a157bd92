"""The exceptions, with the words of the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Error(Exception):
    """A call could not run, or not go on.

    `kind` is a word for programs, such as `input_missing` (the same as in the command's JSON log), and `retry` says
    whether the same call may succeed later.
    """

    def __init__(self, message: str, kind: str = "bug", retry: bool = False) -> None:
        super().__init__(message, kind, retry)
        self.message, self.kind, self.retry = message, kind, retry

    def __str__(self) -> str:
        return self.message


class UsageError(Error, ValueError):
    """An option or a value cannot be used; `kind` is `usage`, `bad_option` or `scenario`."""


class InputsFailed(Error):
    """The work is done, but more inputs failed or were cut than `max_failed` allows, or a batch could not be written.

    Everything else is in the output, as with the command's exit status 3. `report` is what the call would have
    returned; its `failed_inputs` say which inputs failed, and why.
    """

    def __init__(self, message: str, report: Mapping[str, Any], kind: str = "inputs_failed", retry: bool = False) -> None:
        super().__init__(message, kind, retry)
        self.args = (message, report, kind, retry)
        self.report = report


def error(kind: str, message: str, retry: bool) -> Error:
    """Returns the exception of a refused call."""
    is_usage = kind in ("usage", "bad_option", "scenario")
    return (UsageError if is_usage else Error)(message, kind, retry)
