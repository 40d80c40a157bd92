#!/usr/bin/env python3
"""Counts again, from the archives of a segment, what queries answer about ranks, lists of sites, and the tokens of a data set.

    questions.py SEGMENT OUT [duckdb|spark]

OUT is the folder of `crawlprefs run SEGMENT`; ranks, lists and a data set of its pages are put there (the data set by DuckDB: Spark is
asked after it). The counts use FastWARC, the plain reading of robots.txt of recount.py and data/agents.tsv, and none of the tables.
Ends with status 1 where one differs.
"""
import collections
import hashlib
import pathlib
import sys

from recount import AGENTS, Checker, Reference, agents_table, sites_of, wanted_reason, websites

TRAINING = ("GPTBot", "ClaudeBot", "anthropic-ai", "Google-Extended", "CCBot", "Applebot-Extended", "meta-externalagent", "FacebookBot", "Bytespider")
OPERATORS = {"OpenAI", "Anthropic", "Google", "Common Crawl", "Apple", "Meta", "Perplexity", "ByteDance"}
TOPS = (1000, 10000, 100000, 1000000)


def rank(domain):
    """A rank from 1 to 1,200,000 that depends on the name alone."""
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % 1_200_000 + 1 if len(domain) % 3 else len(domain) * 29


def language(tokens):
    """The language of a document of the data set."""
    return "fr" if tokens % 3 else "en"


def write_corpus(out, tokens):
    """The data set, as Parquet: an environment with Spark alone finds it written."""
    import duckdb

    (out / "corpus").mkdir(exist_ok=True)
    (out / "corpus.csv").write_text("id,language,token_count\n" + "".join(f"{name},{language(count)},{count}\n" for name, count in tokens.items()))
    duckdb.sql(f"FROM read_csv('{out}/corpus.csv', header = true)").write_parquet(f"{out}/corpus/part.parquet")


def bring(out, reference, sites, engine):
    """Puts ranks, lists and a data set into OUT; returns what of each is counted."""
    ranks = {domain: rank(domain) for domain in {host.removeprefix("www.") for host in sites}}
    (out / "ranks.csv").write_text("".join(f"{place},{domain}\n" for domain, place in sorted(ranks.items())))
    lists = {host: f"list-{rank(host) % 3}" for host in sites if host.count(".") == 1}
    (out / "lists.csv").write_text("list,domain\n" + "".join(f"{name},{domain}\n" for domain, name in sorted(lists.items())))
    pages = {page.id: page for page in reference.pages}
    tokens = {page["record_id"]: len(pages[page["record_id"]].body) % 997 for page in reference.expected}
    tokens["<urn:uuid:00000000-0000-4000-8000-00000000ffff>"] = 1000
    if engine == "duckdb":
        write_corpus(out, tokens)
    return ranks, lists, tokens


def ranked(sites, ranks):
    """The host that answers for each ranked domain, which is a website."""
    for domain, host in websites(sites).items():
        yield ranks[domain], sites[host]


def check_ranks(check, sites, ranks):
    tops = {top: [site for place, site in ranked(sites, ranks) if place <= top] for top in TOPS}
    found = collections.defaultdict(dict)
    for row in check.ask("outcomes/robots-status-by-rank"):
        found[row["top"]][row["status_class"]] = row["domains"]
    for top, of_top in tops.items():
        check.same("outcomes/robots-status-by-rank", f"top {top}", found[top], dict(collections.Counter(site.answer() for site in of_top)))

    for row in check.ask("agents/closed", key="rank"):
        if row["agent"] in AGENTS:
            of_top = tops[int(row["which"].removeprefix("top "))]
            known = [site for site in of_top if site.is_known()]
            wanted = {
                "by_name": sum(site.by_name(row["agent"]) for site in known),
                "by_star": sum(site.by_star(row["agent"]) for site in known),
                "by_error": sum(site.state == "unreachable" for site in of_top),
                "hosts_answering": len(known),
            }
            check.same("agents/closed", f"{row['agent']}, {row['which']}", {name: row[name] for name in wanted}, wanted)

    for row in check.ask("agents/named", key="rank"):
        if row["agent"] in AGENTS:
            readable = [site for site in tops[int(row["which"].removeprefix("top "))] if site.state == "parsed" and site.is_known()]
            wanted = sum(site.names(row["agent"]) for site in readable), len(readable)
            check.same("agents/named", f"{row['agent']}, {row['which']}", (row["hosts"], row["hosts_readable"]), wanted)

    strata = collections.defaultdict(list)
    for place, site in ranked(sites, ranks):
        if site.is_known():
            strata["top 5000" if place <= 5000 else "below"].append(site)
    for row in check.ask("agents/named-or-star-by-rank"):
        of_stratum = strata[row["stratum"]]
        named = [any(map(site.by_name, TRAINING)) for site in of_stratum]
        closed = [any(map(site.closes, TRAINING)) for site in of_stratum]
        wanted = len(of_stratum), sum(named), sum(closed) - sum(named)
        check.same("agents/named-or-star-by-rank", row["stratum"], (row["domains"], row["by_name"], row["only_by_star"]), wanted)


def check_lists(check, sites, lists):
    """The domain of a host is taken from the view hosts, as the list of public suffixes is not counted again here."""
    hosts = collections.defaultdict(list)
    for host, domain in check.values("SELECT url_host_name, coalesce(url_host_registered_domain, url_host_name) FROM hosts"):
        if domain in lists and sites[host].is_known():
            hosts[lists[domain], domain].append(sites[host])
    agents = collections.defaultdict(dict)
    for row in agents_table():
        if row["operator"] in OPERATORS and row["purpose"] in ("train", "dataset", "ai_search", "assistant"):
            agents[row["operator"]][row["token"]] = row["purpose"] in ("train", "dataset")
    wanted = {}
    for name in sorted(set(lists.values())):
        domains = [of_domain for (of_list, _), of_domain in hosts.items() if of_list == name]
        for operator, tokens in agents.items():
            by_name = [any(site.by_name(token) for site in of_domain for token in tokens) for of_domain in domains]
            closes = [any(site.closes(token) for site in of_domain for token in tokens) for of_domain in domains]
            training = [any(site.by_name(token) for site in of_domain for token in tokens if tokens[token]) for of_domain in domains]
            wanted[name, operator] = len(domains), sum(by_name), sum(closes) - sum(by_name), sum(training)
    found = {
        (row["list"], row["operator"]): (row["domains"], row["by_name"], row["only_by_star"], row["training_by_name"])
        for row in check.ask("agents/lists-by-operator")
    }
    check.same("agents/lists-by-operator", "domains", found, wanted)


def check_tokens(check, reference, tokens):
    pages = {page.id: page for page in reference.pages}
    for row in check.ask("filtering/corpus-tokens"):
        agent, counts, left = row["agent"], collections.Counter(), 0
        for page in reference.expected:
            verdict, count = page["crawl"].get(agent), tokens[page["record_id"]]
            if verdict is None:  # the parsers that were asked disagree
                left += count
            elif verdict == "unknown":
                counts["unknown"] += count
            elif verdict == "disallow" and page["robots_state"] == "unreachable":
                counts["by_error"] += count
            elif verdict == "disallow":
                counts["by_name" if reference.is_by_name(page, pages[page["record_id"]], agent) else "by_star"] += count
        for name in ("by_name", "by_star", "by_error", "unknown"):
            inside = counts[name] <= row[name] <= counts[name] + left
            check.same("filtering/corpus-tokens", f"{agent}, {name}: {row[name]}, and counted {counts[name]} to {counts[name] + left}", inside, True)
        check.same("filtering/corpus-tokens", f"{agent}, all", (row["tokens_all"], row["not_found"]), (sum(tokens.values()), 1000))


def check_loss(check, reference, tokens):
    """What each policy costs, per language."""
    for row in check.ask("filtering/loss-by-language"):
        lost = collections.Counter()
        for page in reference.expected:
            if language(tokens[page["record_id"]]) == row["language"]:
                reason = wanted_reason(page, row["policy"])
                lost["not said" if reason is False else bool(reason)] += tokens[page["record_id"]]
        found, least, most = row["dropped"], lost[True], lost[True] + lost["not said"]
        check.same("filtering/loss-by-language", f"{row['policy']}, {row['language']}: {found}, and counted {least} to {most}", least <= found <= most, True)
        whole = sum(count for count in tokens.values() if language(count) == row["language"])
        check.same("filtering/loss-by-language", "all", (row["tokens_all"], row["not_judged"]), (whole, 1000 if row["language"] == language(1000) else 0))


def main():
    segment, out = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    engine = sys.argv[3] if len(sys.argv) > 3 else "duckdb"
    reference = Reference(segment)
    sites = sites_of(reference)
    ranks, lists, tokens = bring(out, reference, sites, engine)
    check = Checker(engine, out)
    check_ranks(check, sites, ranks)
    check_lists(check, sites, lists)
    check_tokens(check, reference, tokens)
    check_loss(check, reference, tokens)
    check.end()


main()
