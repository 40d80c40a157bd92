"""What is true of the five crawls of world.py, found without the project: a small reading of robots.txt, which is enough for the
generated files, and what follows from it at any time.

`Truth.current(origin, time)` is what an origin said at a time: the newest capture at or before it. `history` has what an origin
said from one capture to the next.
"""
import csv
import json
import pathlib
import re

AGENTS = pathlib.Path(__file__).resolve().parents[2] / "data" / "agents.tsv"
# A redirect ends at the newest capture of its target at or before the time; the world has no target that is captured later.
KNOWN = ("parsed", "unavailable")


def since():
    """Returns since when each agent of the table is known and by when it was, or empty texts."""
    lines = [line for line in AGENTS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    listed = lambda row: (re.findall(r"listed by (\d{4}-\d{2})", row["source"]) or [""])[0]
    return {row["token"]: (row["since"], row["since"] or listed(row)) for row in rows}


def groups(body):
    """Returns the rules of each agent that a robots.txt names, in lower case: pairs of allow or disallow and a path."""
    found, agents, in_rules = {}, [], False
    for line in body.splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        if name.lower() == "user-agent":
            agents = [] if in_rules else agents
            agents.append(value.lower())
            found.setdefault(value.lower(), [])
            in_rules = False
        elif name.lower() in ("allow", "disallow"):
            in_rules = True
            for agent in agents:
                found[agent] += [(name.lower(), value)] if value else []
    return found


def rules(body, agent):
    """Returns the rules for an agent, and whether it is named."""
    found = groups(body)
    is_named = agent.lower() in found
    return found.get(agent.lower(), found.get("*", [])), is_named


def may_fetch(body, agent, path):
    """The longest rule that matches decides; the files have no wildcards."""
    matching = [(len(rule), kind == "allow") for kind, rule in rules(body, agent)[0] if path.startswith(rule)]
    return max(matching)[1] if matching else True


def closes_all(body, agent):
    found = rules(body, agent)[0]
    return ("disallow", "/") in found and not any(kind == "allow" for kind, _ in found)


def says_no_to_training(body):
    return "ai-train=no" in body


class Truth:
    """The captures of the world."""

    def __init__(self, folder):
        self.captures = sorted(json.loads((folder / "captures.json").read_text()), key=lambda one: one["time"])
        self.pages = json.loads((folder / "pages.json").read_text())
        self.crawls = sorted({one["crawl"] for one in self.captures})

    def newest(self, origin, time, crawl=None):
        """Returns the newest capture of an origin at or before a time, of one crawl or of all."""
        found = [
            one
            for one in self.captures
            if one["origin"] == origin and one["time"] <= time and crawl in (None, one["crawl"])
        ]
        return found[-1] if found else None

    def current(self, origin, time, crawl=None):
        """Returns state, body and first time of what an origin said at a time."""
        found = self.newest(origin, time, crawl)
        if found is None:
            return "not_archived", None, None
        end = self.newest(found["target"], time, crawl) if "target" in found else found
        if end is None:
            return "redirect_unresolved", None, found["time"]
        state = {200: "parsed", 404: "unavailable", 503: "unreachable"}[end["status"]]
        return state, end.get("body"), found["time"]

    def sites(self, time, crawl=None):
        """Returns what each origin said that had been captured by then."""
        origins = sorted({one["origin"] for one in self.captures})
        return {origin: self.current(origin, time, crawl) for origin in origins if self.newest(origin, time, crawl)}

    def hosts(self, time, crawl=None):
        """Returns for each host what counts: https before http. The world has no other ports."""
        sites = self.sites(time, crawl)
        names = {origin.split("//")[1] for origin in sites}
        return {name: sites.get(f"https://{name}", sites.get(f"http://{name}")) for name in names}


def of_each_crawl(truth, crawl):
    """Returns the hosts as `sites --at each-crawl` has them: by all captures of the crawl, and by nothing else."""
    return truth.hosts("9999", crawl)


def of_run(truth, crawl):
    """Returns the hosts as `run` has them: what counted when an origin was captured last in the crawl, from any crawl."""
    origins = {}
    captured = [(one["origin"], one["time"]) for one in truth.captures if one["crawl"] == crawl]
    captured += [("/".join(page["url"].split("/")[:3]), page["time"]) for page in truth.pages if page["crawl"] == crawl]
    for origin, time in captured:
        origins[origin] = max(time, origins.get(origin, ""))
    sites = {origin: truth.current(origin, time) for origin, time in origins.items()}
    names = {origin.split("//")[1] for origin in sites}
    return {name: sites.get(f"https://{name}", sites.get(f"http://{name}")) for name in names}


def panel(truth, moments):
    """Returns the rows of change/panel.sql; moments are crawls with a time, and the crawl whose captures alone count or None."""
    known_since = since()
    spelled = {agent.lower(): agent for agent in known_since}
    hosts = {name: truth.hosts(time, crawl) for name, time, crawl in moments}
    known = {name: {host: site for host, site in found.items() if site[0] in KNOWN} for name, found in hosts.items()}
    names = sorted(known)
    named = {agent for found in known.values() for _, body, _ in found.values() if body for agent in groups(body)} - {"*"}
    rows = []
    for place, name in enumerate(names):
        now = set(known[name])
        before = set().union(*(known[earlier] for earlier in names[:place]))
        panels = {"all hosts": now, "balanced": set.intersection(*map(set, known.values())), "newcomers": now - before}
        month = max(site[2] for site in hosts[name].values())[:7]
        for panel_name, members in panels.items():
            if place == 0 and panel_name == "newcomers":
                continue
            for agent in sorted(spelled[one] for one in named):
                bodies = [known[name][host][1] or "" for host in members]
                closing = [body for body in bodies if closes_all(body, agent)]
                by_name = sum(rules(body, agent)[1] for body in closing)
                first, known_by = known_since[agent]
                is_known = bool(known_by) and known_by <= month
                why = "not known yet" if known_by else "no source says since when the agent is known"
                counts = (by_name, len(closing) - by_name) if is_known else (None, None)
                percents = tuple(None if it is None or not members else round(100 * it / len(members), 2) for it in counts)
                # The folder of `sites` does not say how archives were chosen; the same hosts are compared whatever it is.
                unlike = False if panel_name == "balanced" else None
                rows.append((name, month, panel_name, agent, first or None, known_by or None, None if is_known else why, len(members), *counts, *percents, unlike))
    return sorted(rows, key=lambda row: (row[3], row[2], row[0]))


def ways(hosts, agent):
    """Returns which hosts that answer close everything to an agent by name, and which through *."""
    closing = {host: body or "" for host, (state, body, _) in hosts.items() if state in KNOWN and closes_all(body or "", agent)}
    by_name = {host for host, body in closing.items() if rules(body, agent)[1]}
    return by_name, closing.keys() - by_name


def shares(hosts_of, crawls, agents):
    """Returns the rows of agents/closed.sql: crawl, agent, by name, through *, by errors, hosts that answer."""
    rows = []
    for crawl in crawls:
        hosts = hosts_of(crawl)
        answering = sum(state in KNOWN for state, *_ in hosts.values())
        errors = sum(state == "unreachable" for state, *_ in hosts.values())
        for agent in agents:
            by_name, by_star = ways(hosts, agent)
            rows.append((crawl, agent, len(by_name), len(by_star), errors, answering))
    return rows


def shares_of_any(hosts_of, crawls, agents):
    """Returns how many hosts close any of these agents by name, and how many only through *."""
    rows = []
    for crawl in crawls:
        found = [ways(hosts_of(crawl), agent) for agent in agents]
        by_name, by_star = (set().union(*way) for way in zip(*found))
        rows.append((crawl, len(by_name), len(by_star - by_name)))
    return rows


def summary(hosts_of, crawls, agents):
    """Returns the rows of change/summary.sql: what hosts that answer in both of two crawls closed and opened by name."""
    rows = []
    for crawl, following in zip(crawls, crawls[1:]):
        earlier, later = hosts_of(crawl), hosts_of(following)
        both = {host for host in earlier.keys() & later.keys() if earlier[host][0] in KNOWN and later[host][0] in KNOWN}
        for agent in agents:
            (was, star_was), (now, star_now) = ([way & both for way in ways(hosts, agent)] for hosts in (earlier, later))
            counts = len(both), len(was), len(now), len(now - was), len(was - now), len((was - now) & star_now), len(star_was), len(star_now)
            rows.append((crawl, following, agent, *counts, len((earlier.keys() & later.keys()) - both), len(earlier.keys() - later.keys()), len(later.keys() - earlier.keys())))
    return rows


def reason_at(truth, origin, path, time, is_noai):
    """Returns why the policy of check.py drops a document at a time; None: it is kept."""
    state, body, _ = truth.current(origin, time)
    if state == "not_archived":
        scheme, host = origin.split("://")
        twin, of_twin, _ = truth.current(f"{'http' if scheme == 'https' else 'https'}://{host}", time)
        if twin == "parsed":  # KNOW-8: its noes count.
            return "access_unknown" if may_fetch(of_twin, "CCBot", path) else "access_disallow"
        is_later = any(one["origin"] == origin for one in truth.captures)
        return "site_later" if is_later else "site_unknown"
    if state == "unreachable":
        return "access_disallow"
    body = body or ""
    if state in KNOWN:
        if not may_fetch(body, "CCBot", path):
            return "access_disallow"
        if not may_fetch(body, "GPTBot", path):
            return "GPTBot_disallow"
    else:
        return "access_unknown"
    return "train_ai_disallow" if is_noai or says_no_to_training(body) else None


NOES = ("access_disallow", "GPTBot_disallow", "train_ai_disallow")
"""The reasons that are noes, in their order."""


def twin_reason(truth, origin, path, time):
    """Returns the no of the other scheme, which counts at other times than the document's if its robots.txt is the newer one."""
    scheme, host = origin.split("//")
    twin = f"{'http:' if scheme == 'https:' else 'https:'}//{host}"
    state, _, fetched = truth.current(twin, time)
    own = truth.current(origin, time)[2]
    if state != "parsed" or own is None or fetched <= own:
        return None
    found = reason_at(truth, twin, path, time, False)
    return found if found in NOES else None


def with_twin(*reasons):
    """Returns the first no of both."""
    return min(filter(None, reasons), key=NOES.index, default=None)


def reason(truth, document, times):
    """Returns the first reason of all times, with the name of its time where there are several."""
    origin, _, path = document["url"].partition("example/")
    origin += "example"
    for name, time in times:
        when = time or document["date"]
        found = reason_at(truth, origin, f"/{path}", when, document.get("noai", False))
        if time and (not found or found in NOES):
            found = with_twin(found, twin_reason(truth, origin, f"/{path}", when))
        if found:
            return f"{found}@{name}" if len(times) > 1 else found
    return None


STATES = {"unavailable": "none", "unreachable": "full", "redirect_unresolved": "unknown"}


def changed(before, after):
    """Returns for which agents a run of equal answers changed something, `*` being all that are not named: how much is closed to
    them, or, between two files, whether they have a group of their own."""
    (state_before, body_before, _), (state, body, _) = before, after
    names = set(groups(body_before or "")) | set(groups(body or "")) | {"*"}
    found = []
    for agent in names:
        was, now = (STATES.get(one, "") or closed(text, agent) for one, text, _ in (before, after))
        was_named, is_named = (agent in groups(text or "") for text in (body_before, body))
        are_files = state_before == state == "parsed" and agent != "*"
        if was != now or (are_files and was_named != is_named):
            found.append((agent, was, now))
    return sorted(found)


def closed(body, agent):
    """Returns how much a robots.txt closes to an agent; the files have no Allow but for what is open anyway."""
    if closes_all(body, agent):
        return "full"
    return "partial" if any(kind == "disallow" for kind, _ in rules(body, agent)[0]) else "none"


def history(truth, origin):
    """Returns the runs of equal answers of an origin's robots.txt: first and last time, fetches, what the first of them
    says, and for which agents it changed what."""
    own = [one["time"] for one in truth.captures if one["origin"] == origin]
    targets = {one.get("target") for one in truth.captures if one["origin"] == origin}
    others = [one["time"] for one in truth.captures if one["origin"] in targets and one["time"] > own[0]]
    runs = []
    for time in sorted({*own, *others}):
        state, body, _ = truth.current(origin, time)
        answer = (state, body, truth.newest(origin, time).get("target"))
        if not runs or runs[-1][0] != answer:
            runs.append([answer, time, time, 0])
        if time in own:
            runs[-1][2:] = [time, runs[-1][3] + 1]
    found = []
    for number, ((state, body, _), first, last, fetches) in enumerate(runs):
        named = sorted(set(groups(body or "")) - {"*"}) if state == "parsed" else []
        agents = {name: closed(body, name) for name in named}
        everyone = closed(body, "*") if state == "parsed" else None
        is_no = state == "parsed" and says_no_to_training(body)
        changes = changed(runs[number - 1][0], runs[number][0]) if number else []
        found.append((origin, first, last, fetches, state, agents, everyone, "disallow" if is_no else "unknown", changes))
    return found
