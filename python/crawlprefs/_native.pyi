from collections.abc import Callable, Sequence
from typing import Any, final

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

__version__: str
"""The version of the package, which is that of the command."""

@final
class RobotsTxt:
    """A robots.txt (RFC 9309), read as the command reads it: up to 500 KiB of it."""

    def __new__(cls, body: str | bytes, /) -> RobotsTxt:
        """Reads a robots.txt. Nothing is refused: lines that cannot be read have no effect."""

    def access(self, crawler: str, path: str, *, agent_unknown: bool = False) -> Access:
        """Returns whether the crawler with this product token may fetch a page.

        `path` is its URL, or its path with the query: `/a?b=c`. A whole User-Agent field is answered by the first of its words
        whose groups disallow.

        Raises `UsageError` for a list of names, and for one that is a letter or two away from a token of the agents table, unless the
        file names it, or with `agent_unknown`.
        """

    def groups(self) -> list[list[str]]:
        """Returns the names in the user-agent lines of each group, in the order of the file."""

    @property
    def is_cut(self) -> bool:
        """Whether the file is longer than 500 KiB, and only its lines within that were read."""

    @property
    def is_unreadable(self) -> bool:
        """Whether the body is no text that can be read, such as gzip or UTF-16: no answer of it is known."""

def check_agent(agent: str, named: Sequence[str]) -> None:
    """Refuses a list of crawlers, and a name that is a slip for one of the agents table; `named` are further known names."""

@final
class Access:
    """Whether a crawler may fetch a path, and the line that decided."""

    @property
    def verdict(self) -> str:
        """`allow`, `disallow`, or `unknown`: the file cannot be read, or has a line that was meant as a rule and cannot be read."""

    @property
    def reason(self) -> str:
        """`rule`, `no_rule`, `no_group`, `robots_txt_itself`, `unreadable` or `line_lost`."""

    @property
    def line(self) -> int | None:
        """The number of the line that decided, from 1; None where no line did."""

    @property
    def rule(self) -> str | None:
        """That line without comment and outer white space; foreign bytes are U+FFFD."""

    @property
    def is_allowed(self) -> bool:
        """Whether the path may be fetched."""

    @property
    def is_disallowed(self) -> bool:
        """Whether the path may not be fetched."""

def command(arguments: Sequence[str]) -> int: ...
def job(arguments: Sequence[str], on_event: Callable[[dict[str, Any]], object]) -> tuple[int, dict[str, Any]]: ...
def archives(arguments: Sequence[str]) -> list[tuple[str, str, str, str | None]]: ...
def explained(arguments: Sequence[str]) -> dict[str, Any]: ...
def history(arguments: Sequence[str]) -> list[dict[str, Any]]: ...
def answer(scenario: dict[str, Any]) -> dict[str, Any]: ...
def queries() -> dict[str, str]: ...
def verify_script() -> str: ...
def events() -> str: ...
def tables() -> list[tuple[str, str, str]]: ...
def sql(names: Sequence[str], engine: str, out: str) -> str: ...
def judge_files(arguments: Sequence[str]) -> tuple[int, dict[str, Any]]: ...
def judge_columns(arguments: Sequence[str], names: Sequence[str]) -> tuple[pa.Schema, list[str]]: ...

@final
class Judge:
    """The tables of a run, by which rows in memory are judged."""

    policy_columns: list[str]
    urls_are_newest: bool

    def __new__(cls, arguments: Sequence[str]) -> Judge: ...
    def judge(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Returns the verdicts of rows, in their order."""
    def judge_texts(
        self, urls: Sequence[str | None], dates: Sequence[str | None] | None, ids: Sequence[str | None] | None
    ) -> pa.RecordBatch:
        """Returns the verdicts of texts, in their order. Raises TypeError for other values."""
