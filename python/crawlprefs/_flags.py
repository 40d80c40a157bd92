"""Options of Python as flags of the command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any


def names(options: type) -> frozenset[str]:
    """Returns the names of all options, those of the parents included."""
    return frozenset(options.__required_keys__ | options.__optional_keys__)  # type: ignore[attr-defined]


def flags(call: str, known: type, options: Mapping[str, Any]) -> list[str]:
    """Returns options as the command's flags; None and False are not given."""
    given = []
    for name, value in options.items():
        if name not in names(known):
            raise TypeError(f"{call}() got an unexpected keyword argument {name!r}")
        flag = "--" + name.replace("_", "-")
        if value is True:
            given.append(flag)
        elif value is not None and value is not False:
            given += [f"{flag}={one}" for one in _texts(name, value)]
    return given


def _texts(name: str, value: Any) -> list[str]:
    if isinstance(value, timedelta):
        return [f"{int(value.total_seconds())}s"]
    if isinstance(value, (str, int, os.PathLike)):
        return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    texts = [os.fspath(one) for one in value]
    return [",".join(texts)] if name == "tables" else texts
