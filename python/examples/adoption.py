"""From archives to a figure: which crawlers are shut out, by name and through *. Needs duckdb and matplotlib.

python adoption.py ARCHIVES... FIGURE.png
"""

import sys
import tempfile

import matplotlib.pyplot as plt

import crawlprefs

*archives, figure = sys.argv[1:]
out = tempfile.mkdtemp()
crawlprefs.run(archives, out, tables=["sites"])
rows = crawlprefs.open(out).query("agents/closed").fetchall()
crawl = max(rows, key=lambda row: row[-1])[0]
_, agents, by_name, _, by_star, *more, answering = zip(*[row for row in rows if row[0] == crawl][14::-1])
plt.barh(agents, by_name, color="#c0392b", label="by name")
plt.barh(agents, by_star, left=by_name, color="#c8d4e3", label="through *")
plt.xlabel(f"hosts, of {answering[0]} that answer, {crawl}")
plt.legend()
plt.savefig(figure, bbox_inches="tight", dpi=150)
print(*zip(agents, by_name, by_star, strict=True))
