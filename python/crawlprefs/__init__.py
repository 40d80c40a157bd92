r"""Who may crawl a page, and what may be done with it: Common Crawl's and other web archives, as Parquet tables.

>>> import crawlprefs
>>> body = "User-agent: *\nDisallow: /private/"
>>> crawlprefs.RobotsTxt(body).access("CCBot", "/private/a.html").is_disallowed
True
>>> page = crawlprefs.decide("https://a.example/b", robots=body, headers={"X-Robots-Tag": "noai"})
>>> page.access, page.labels["train_ai"]
('allow', 'disallow')

`run`, `scan`, `resolve` and `sites` are the command's, with its options. `open` gives the tables for pyarrow and DuckDB,
`report` writes a page about them, `judge` and `Judge` give documents their verdicts, and `crawlprefs.spark` runs
everything in Spark. The engine is in Rust; it works without the GIL, and Ctrl-C stops it.
"""

from ._errors import Error, InputsFailed, UsageError
from ._explain import Decision, Explanation, decide, explain, explain_page
from ._history import History, SiteFileHistory, history
from ._intervals import Difference, Interval, clustered_difference, clustered_interval
from ._jobs import Archive, Event, Report, archives, resolve, run, scan, sites
from ._judge import Judge, judge
from ._native import Access, RobotsTxt, __version__
from ._options import HistoryOptions, JudgeFilesOptions, JudgeOptions, ResolveOptions, RunOptions, ScanOptions, SitesOptions
from ._report import report, report_history
from ._tables import Tables, latex, open

__all__ = [
    "Access",
    "Archive",
    "Decision",
    "Difference",
    "Error",
    "Event",
    "Explanation",
    "History",
    "HistoryOptions",
    "InputsFailed",
    "Interval",
    "Judge",
    "JudgeFilesOptions",
    "JudgeOptions",
    "Report",
    "ResolveOptions",
    "RobotsTxt",
    "RunOptions",
    "ScanOptions",
    "SiteFileHistory",
    "SitesOptions",
    "Tables",
    "UsageError",
    "__version__",
    "archives",
    "clustered_difference",
    "clustered_interval",
    "decide",
    "explain",
    "explain_page",
    "history",
    "judge",
    "latex",
    "open",
    "report",
    "report_history",
    "resolve",
    "run",
    "scan",
    "sites",
]
