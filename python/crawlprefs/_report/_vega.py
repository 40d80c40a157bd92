"""The JavaScript that draws the plots, as one text for the page."""

from __future__ import annotations

import os
import tempfile
from importlib.metadata import version
from pathlib import Path

import vl_convert


def javascript() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed as one script that cannot end early.

    To bundle them takes two seconds of CPU time, so that it is done once for each version of `vl-convert-python` and kept in the
    user's cache. A cache that cannot be read or written changes nothing.
    """
    kept = _cache() / f"vega-{version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        # Closing a script early is the only way out of it.
        text = vl_convert.javascript_bundle().replace("</script", "<\\/script")  # type: ignore[call-arg]
        _keep(kept, text)
        return text


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crawlprefs"


def _keep(path: Path, text: str) -> None:
    """Writes a file whole, or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError:
        return
