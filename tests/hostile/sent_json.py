"""The strings of JSON that a stranger sends."""

import json
from collections.abc import Iterator


def pointers(value: object, at: str = "") -> Iterator[str]:
    """Gives the places of strings; of a list, those of its first element."""
    if isinstance(value, str):
        yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ():
        yield from pointers(inner, f"{at}\0{key}")


def with_string(content: bytes, pointer: str, text: str) -> bytes:
    """Returns JSON with another string at a place."""
    top = [json.loads(content)]
    inner, keys = top, ["0", *pointer.split("\0")[1:]]
    for key in keys[:-1]:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[int(keys[-1]) if isinstance(inner, list) else keys[-1]] = text
    return json.dumps(top[0]).encode()
