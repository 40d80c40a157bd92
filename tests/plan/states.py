"""The states of folders, by command: how each is made, and the calls that are asked about it."""
import json
import os
import shutil

from world import ARCHIVES, AUGUST, JULY, NAME, WRITTEN, damaged, manifest, members, parts, record, whole, write

LISTED = ["-q", "--paths-from", "list", "--base", "in", "-o", "out"]
SCAN = ["scan", *LISTED]
RUN = ["run", *LISTED]
RESOLVE = ["resolve", "-q", "out"]
LATER = WRITTEN + 4_000_000_000


def archive(folder):
    return folder / "in" / NAME


def change(path, change_bytes):
    """Changes the bytes of a file; its time stays."""
    found = os.stat(path)
    content = change_bytes(path.read_bytes())
    path.unlink()
    path.write_bytes(content)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def longer(content):
    return content + b"x"


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def of_part(number, how):
    """A part of the evidence of an archive is gone (None) or changed."""
    return lambda folder: parts(folder)[number].unlink() if how is None else change(parts(folder)[number], how)


def of_table(how):
    def changed(folder):
        of_batch = parts(folder, below="_resolved")
        of_batch[0].unlink() if how is None else change(of_batch[0], how)

    return changed


def of_manifest(how, below="_manifest"):
    return lambda folder: manifest(folder, below=below).unlink() if how is None else change(manifest(folder, below=below), how)


def put(content, written=WRITTEN):
    """Another file is there under the archive's name."""
    return lambda folder: write(archive(folder), content, written)


def no_archive(folder):
    archive(folder).unlink()


def being_replaced(folder):
    """As a kill leaves it after the manifest has said that the evidence is being replaced."""
    found = json.loads(manifest(folder).read_text())
    found.update(fingerprint=None, parts=[], captures={}, outcome="unreadable")
    found["detail"] = "its evidence was being replaced when a process ended: scan it again"
    change(manifest(folder), lambda _: json.dumps(found, indent=2).encode())


def without_manifest_and_part(folder):
    """As a kill leaves it after the first part of a first scan."""
    parts(folder)[1].unlink()
    manifest(folder).unlink()


def of_json(file, **values):
    """Changes values of a file of JSON; `options.x` is one of its options."""

    def changed(folder):
        found = json.loads((folder / file).read_text())
        for name, value in values.items():
            found.get("options", found)[name] = value
        change(folder / file, lambda _: json.dumps(found, indent=2).encode())

    return changed


def foreign(folder_name):
    return lambda folder: write(folder / folder_name / "notes.txt", "not ours")


OTHER = b"".join(members("july"))
SAME_LENGTH = whole("august").replace(b"2026-08-10", b"2026-08-09")
OTHER_HEAD = record("response", "https://other.example/", "2026-08-10T00:00:00Z", 999, b"HTTP/1.1 200 OK\r\n\r\n")
as_long = (OTHER_HEAD + whole("august"))[: len(whole("august"))]
TRUNCATED = whole("august")[:-60]

SCANNED = {
    "nothing was scanned": [],
    "all was scanned": [SCAN],
    "captures are missing": [SCAN, of_part(0, None)],
    "captures are longer": [SCAN, of_part(0, longer)],
    "captures are cut": [SCAN, of_part(0, cut)],
    "captures have another byte": [SCAN, of_part(0, flipped)],
    "site files are missing": [SCAN, of_part(1, None)],
    "site files have another byte": [SCAN, of_part(1, flipped)],
    "the manifest is missing": [SCAN, of_manifest(None)],
    "the manifest is cut": [SCAN, of_manifest(cut)],
    "the manifest is empty": [SCAN, of_manifest(lambda content: b"")],
    "killed after a part": [SCAN, without_manifest_and_part],
    "killed while it was replaced": [SCAN, being_replaced],
    "killed while it was replaced, archive gone": [SCAN, being_replaced, no_archive],
    "the archive is gone": [SCAN, no_archive],
    "captures are missing, archive gone": [SCAN, of_part(0, None), no_archive],
    "the archive is cut now": [SCAN, put(TRUNCATED)],
    "the archive is longer now": [SCAN, put(whole("august") + members("august", 3)[4])],
    "another file of its length": [SCAN, put(as_long)],
    "another file of another length": [SCAN, put(OTHER_HEAD)],
    "another file, captures missing": [SCAN, of_part(0, None), put(OTHER_HEAD)],
    "another file was refused before": [SCAN, put(OTHER_HEAD), SCAN],
    "another file was refused, and is back": [SCAN, put(OTHER_HEAD), SCAN, put(whole("august"))],
    "no archive any more": [SCAN, put(b"not an archive")],
    "was cut": [put(TRUNCATED), SCAN],
    "was cut, is whole": [put(TRUNCATED), SCAN, put(whole("august"))],
    "was damaged": [put(damaged("august")), SCAN],
    "was damaged, is repaired": [put(damaged("august")), SCAN, put(whole("august"), LATER)],
    "was damaged, repaired file is older": [put(damaged("august")), SCAN, put(whole("august"))],
    "was damaged, is cut": [put(damaged("august")), SCAN, put(damaged("august")[:-60])],
    "was no archive": [put(b"not an archive"), SCAN],
    "was no archive, is one": [put(b"not an archive"), SCAN, put(whole("august"))],
    "heads were scanned": [[*SCAN, "--depth", "heads"]],
    "metas were left out": [[*SCAN, "--depth", "no-meta"]],
    "an archive has come": [no_archive, SCAN, put(whole("august"))],
    "of another format": [SCAN, of_json("out/_crawlprefs.json", evidence_format="0")],
    "of a newer format": [SCAN, of_json("out/_crawlprefs.json", evidence_format="99")],
    "a folder of others": [foreign("out")],
}
SCANS = [
    [],
    ["--again", "changed"],
    ["--again", NAME],
    ["--again", "damaged"],
    ["--verify"],
    ["--depth", "heads"],
]

def without_crawl(folder):
    """The evidence of a crawl is gone, with its manifest."""
    for part in parts(folder, JULY):
        part.unlink()
    manifest(folder, JULY).unlink()


def without_archive(folder):
    for part in parts(folder):
        part.unlink()
    manifest(folder).unlink()


RESOLVED = {
    "no evidence": [],
    "no tables": [SCAN],
    "all was resolved": [RUN],
    "a part is missing": [RUN, of_table(None)],
    "a part is longer": [RUN, of_table(longer)],
    "a part has another byte": [RUN, of_table(flipped)],
    "a manifest of tables is missing": [RUN, of_manifest(None, "_resolved")],
    "a manifest of tables is cut": [RUN, of_manifest(cut, "_resolved")],
    "killed before the tables of a crawl": [RUN, of_table(None), of_manifest(None, "_resolved")],
    "the identity is missing": [RUN, lambda folder: (folder / "out/_resolved.json").unlink()],
    "the identity is cut": [RUN, lambda folder: change(folder / "out/_resolved.json", cut)],
    "of another version": [RUN, of_json("out/_resolved.json", rules_version="0")],
    "of a newer version": [RUN, of_json("out/_resolved.json", rules_version="99999")],
    "for another crawler": [RUN, [*RESOLVE, "--overwrite", "--agent", "GPTBot"]],
    "some tables": [SCAN, [*RESOLVE, "--tables", "sites"]],
    "an archive came later": [no_archive, RUN, put(whole("august")), SCAN],
    "an archive was read again": [put(TRUNCATED), RUN, put(whole("august")), SCAN],
    "an archive has no evidence now": [RUN, without_archive],
    "a crawl has no evidence now": [RUN, without_crawl],
    "a crawl has no evidence now, of another version": [RUN, without_crawl, of_json("out/_resolved.json", rules_version="0")],
    "evidence is missing": [RUN, of_part(0, None)],
    "evidence is longer": [RUN, of_part(0, longer)],
    "evidence has another byte": [RUN, of_part(0, flipped)],
    "evidence has another byte, no tables": [SCAN, of_part(0, flipped)],
    "a manifest of evidence is cut": [RUN, of_manifest(cut)],
    "evidence was being replaced": [RUN, being_replaced],
    "an archive could not be read": [put(b"not an archive"), RUN],
}
RESOLVES = [
    [],
    ["--drop-missing"],
    ["--overwrite"],
    ["--overwrite", "--drop-missing"],
    ["--verify"],
    ["--agent", "GPTBot"],
    ["--segment", f"{AUGUST}/1786000000000.1"],
]

RUNS = [[], ["--again", "damaged"], ["--verify"], ["--require", "list"]]


RAN = {
    "nothing was scanned": [],
    "all was resolved": [RUN],
    "all was scanned": [SCAN],
    "an archive is cut": [put(TRUNCATED)],
    "captures are missing": [RUN, of_part(0, None)],
    "a part is missing": [RUN, of_table(None)],
    "an archive came later": [no_archive, RUN, put(whole("august"))],
    "for another crawler": [RUN, [*RESOLVE, "--overwrite", "--agent", "GPTBot"]],
}

INDEX = ["index", "-q", "out", "-o", "ix"]


def index_part(folder):
    return folder / "ix" / json.loads((folder / "ix/_index.json").read_text())["fetches"][0]["file"]


def claimed(**values):
    """An index that another call is writing."""
    claimant = {"machine": "another", "process": 1, "begun": "1", "number": 0, "since_unix_ms": 0, "has_ended": False, **values}

    def write_claim(folder):
        (folder / "ix").mkdir(exist_ok=True)
        (folder / "ix/_index_unfinished").write_text(json.dumps(claimant))

    return write_claim


def silent(folder):
    claimed()(folder)
    os.utime(folder / "ix/_index_unfinished", (WRITTEN, WRITTEN))


INDEXED = {
    "no index": [SCAN],
    "no evidence": [],
    "an index of these archives": [SCAN, INDEX],
    "an index of other archives": [no_archive, SCAN, INDEX, put(whole("august")), SCAN],
    "a part is missing": [SCAN, INDEX, lambda folder: index_part(folder).unlink()],
    "a part has another byte": [SCAN, INDEX, lambda folder: change(index_part(folder), flipped)],
    "the index is cut": [SCAN, INDEX, lambda folder: change(folder / "ix/_index.json", cut)],
    "of another format": [SCAN, INDEX, of_json("ix/_index.json", format="0")],
    "killed before the index was switched": [SCAN, INDEX, claimed(has_ended=True), lambda folder: (folder / "ix/_index.json").unlink()],
    "another call has ended without an index": [SCAN, claimed(has_ended=True)],
    "another call is at work": [SCAN, claimed()],
    "another call is at work on an index": [SCAN, INDEX, claimed()],
    "another call has been silent": [SCAN, silent],
    "a folder of others": [SCAN, foreign("ix")],
    "an archive was cut": [put(TRUNCATED), SCAN],
    "an archive was cut, and there is an index": [SCAN, INDEX, put(TRUNCATED), [*SCAN, "--again", "changed"]],
    "evidence is missing": [SCAN, of_part(0, None)],
    "evidence has another byte": [SCAN, of_part(1, flipped)],
}
INDEXES = [[], ["--overwrite"], ["--overwrite", "--keep-old"], ["--allow-incomplete"]]

SITES = ["sites", "-q", "ix", "--at", "2026-08-01,2026-09-01", "-o", "at"]


def site_manifest(folder):
    return manifest(folder, "2026-09-01", "_resolved", "at")


def site_part(folder):
    return parts(folder, "2026-09-01", "_resolved", "at")[0]


AT = {
    "no table": [SCAN, INDEX],
    "the same times": [SCAN, INDEX, SITES],
    "another time": [SCAN, INDEX, [*SITES[:4], "2026-08-01", *SITES[5:]]],
    "of another index": [no_archive, SCAN, INDEX, SITES, put(whole("august")), SCAN, [*INDEX, "--overwrite"]],
    "a part is missing": [SCAN, INDEX, SITES, lambda folder: site_part(folder).unlink()],
    "a part is longer": [SCAN, INDEX, SITES, lambda folder: change(site_part(folder), longer)],
    "a part has another byte": [SCAN, INDEX, SITES, lambda folder: change(site_part(folder), flipped)],
    "a manifest is missing": [SCAN, INDEX, SITES, lambda folder: site_manifest(folder).unlink()],
    "a manifest is cut": [SCAN, INDEX, SITES, lambda folder: change(site_manifest(folder), cut)],
    "beside evidence": [SCAN, INDEX, [*SCAN[:-1], "at"]],
    "no index": [SCAN],
    "a folder of others": [SCAN, INDEX, foreign("at")],
}
AT_CALLS = [[], ["--overwrite"], ["--verify"]]

JUDGE = ["judge", "-q", "docs", "--tables", "out", "-o", "kept", "--policy", "robots"]
DOCUMENT = '{"url": "https://august0.example/a.html", "date": "2026-08-10T00:00:00Z", "text": "a"}\n'


CLOSED = DOCUMENT.replace("a.html", "august/a.html")


def documents(folder):
    write(folder / "docs/a.jsonl", DOCUMENT + CLOSED)
    write(folder / "docs/b.jsonl", DOCUMENT.replace("august0", "july1").replace("08-10", "07-10") * 2)


BEGUN = [RUN, documents]
JUDGED = {
    "nothing was judged": BEGUN,
    "all was judged": [*BEGUN, JUDGE],
    "an output is missing": [*BEGUN, JUDGE, lambda folder: (folder / "kept/a.jsonl").unlink()],
    "an output is longer": [*BEGUN, JUDGE, lambda folder: change(folder / "kept/a.jsonl", longer)],
    "a record is missing": [*BEGUN, JUDGE, lambda folder: (folder / "_kept.judge/files/a.jsonl.json").unlink()],
    "a record is cut": [*BEGUN, JUDGE, lambda folder: change(folder / "_kept.judge/files/a.jsonl.json", cut)],
    "the identity is missing": [*BEGUN, JUDGE, lambda folder: (folder / "_kept.judge/_judge.json").unlink()],
    "the identity is cut": [*BEGUN, JUDGE, lambda folder: change(folder / "_kept.judge/_judge.json", cut)],
    "an input has changed": [*BEGUN, JUDGE, lambda folder: write(folder / "docs/a.jsonl", DOCUMENT * 3)],
    "an input cannot be read": [*BEGUN, JUDGE, lambda folder: write(folder / "docs/a.jsonl", b"\0\1\2")],
    "an input never could be read": [*BEGUN, lambda folder: write(folder / "docs/c.parquet", b"no"), JUDGE],
    "an input is gone": [*BEGUN, JUDGE, lambda folder: (folder / "docs/a.jsonl").unlink()],
    "an input has come": [*BEGUN, JUDGE, lambda folder: write(folder / "docs/c.jsonl", DOCUMENT)],
    "by another policy": [*BEGUN, [*JUDGE[:-1], "labels"]],
    "by other tables": [*BEGUN, JUDGE, [*RESOLVE, "--overwrite", "--agent", "GPTBot"]],
    "with dropped documents": [*BEGUN, [*JUDGE, "--dropped", "lost"]],
    "dropped documents are gone": [*BEGUN, [*JUDGE, "--dropped", "lost"], lambda folder: (folder / "lost/a.jsonl").unlink()],
    "a folder of others": [*BEGUN, foreign("kept")],
    "tables are stale": [no_archive, *BEGUN, put(whole("august")), SCAN],
    "tables are damaged": [*BEGUN, of_table(None)],
    "tables without evidence": [*BEGUN, without_archive],
    "no tables": [SCAN, documents],
}
JUDGES = [
    [],
    ["--dropped", "lost"],
    ["--overwrite"],
    ["--drop-missing"],
    ["--overwrite", "--drop-missing"],
]

EXTRACT = ["extract", "--tables", "out", "--url", "https://august0.example/a.html", "--base", "in", "-o", "few.warc.gz"]
EXTRACTED = {
    "no tables": [SCAN],
    "all was resolved": [RUN],
    "it was extracted before": [RUN, EXTRACT],
    "the archive is gone": [RUN, no_archive],
    "another file of its length": [RUN, put(as_long)],
    "the archive is cut now": [RUN, put(TRUNCATED)],
    "evidence is missing": [RUN, of_part(0, None)],
    "a part is missing": [RUN, of_table(None)],
    "a record has another byte": [RUN, EXTRACT, lambda folder: change(folder / "few.warc.gz", flipped)],
}
VERIFY = ["extract", "--verify", "few.warc.gz", "--base", "in"]

STATUS = ["status", "out"]


def crossed(command, states, flags, kept):
    return [(state, calls, [*command, *more], at < kept) for state, calls in states.items() for at, more in enumerate(flags)]


def cases():
    """Each case: the state in words, the calls that make it, the call that is asked about it, and whether it is in the table."""
    return [
        *crossed(SCAN, SCANNED, SCANS, 2),
        *crossed(STATUS, SCANNED, [[], ["--verify"]], 0),
        *crossed(RESOLVE, RESOLVED, RESOLVES, 2),
        *crossed(STATUS, RESOLVED, [[], ["--verify"]], 1),
        *crossed(RUN, RAN, RUNS, 1),
        *crossed(INDEX, INDEXED, INDEXES, 1),
        *crossed(SITES, AT, AT_CALLS, 1),
        *crossed(JUDGE, JUDGED, JUDGES, 2),
        *crossed(EXTRACT, EXTRACTED, [[]], 1),
        *crossed(VERIFY, EXTRACTED, [[]], 0),
    ]
