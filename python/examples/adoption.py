"""From archives to a figure: which crawlers robots.txt files name, and which they shut out. Needs duckdb and matplotlib.

python adoption.py ARCHIVES... FIGURE.png
"""

import sys
import tempfile

import matplotlib.pyplot as plt

import crawlprefs

*archives, figure = sys.argv[1:]
out = tempfile.mkdtemp()
crawlprefs.run(archives, out, tables=["robots", "robots_agents"])
rows = crawlprefs.open(out).duckdb().sql("""
    SELECT agent, count(DISTINCT url_host_name) AS named, count(DISTINCT url_host_name) FILTER (class = 'full') AS closed
    FROM robots JOIN robots_agents USING (body_digest) WHERE agent <> '*' GROUP BY agent ORDER BY named DESC, agent LIMIT 15
""").fetchall()
agents, named, closed = zip(*reversed(rows))
plt.barh(agents, named, color="#c8d4e3", label="named")
plt.barh(agents, closed, color="#c0392b", label="shut out of the whole site")
plt.xlabel("hosts")
plt.legend()
plt.savefig(figure, bbox_inches="tight", dpi=150)
