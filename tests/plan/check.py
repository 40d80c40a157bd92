#!/usr/bin/env python3
"""What commands do in each state of their folders: check.py CRAWLPREFS [--write | --full FILE]

Each case is a state, which calls and faults have made of three small archives, and a call. A dry run comes first, and writes nothing; what it
says is done stays, and what it says is made is made. Then comes the call. `steps.tsv` has some 250 cases: the plan, the exit status, the
manifests that were written or removed, and what was said (a plan "as the call" is refused with the same words). --write makes it anew. --full has three times as many cases, with the SHA-256 of
every file afterwards, to compare two builds of the command.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is written into the checkout
import states  # noqa: E402
import world  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STEPS = HERE / "steps.tsv"
HEAD = "command\tstate\tplan\tstatus\twritten\tremoved\tmessage\n"
# What differs from call to call: times, and names that are digests of times.
TIMES = re.compile(rb'"(time|since_unix_ms|begun|process|number|machine|at_unix_ms|modified_unix_ms)": ?("[^"]*"|-?[0-9]+)')
DIGESTS = re.compile(r"[0-9a-f]{40,64}")
# Files that say that something is whole; the others follow them.
MANIFEST = re.compile(r"(^|/)(_manifest/|_resolved/|_index\.json|_[a-z]+\.judge/files/)|^few\.warc\.gz$")
DRY = ("scan", "run", "resolve", "judge")


def files_of(folder):
    """Each file by its name, with what changes when it is written again."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            status = path.stat()
            found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns)
    return found


def digest(path, folder):
    # A file may name the folder in which it was written, that of the case or a template.
    content = re.sub(re.escape(str(folder.parent).encode()) + rb"/[a-z]+[0-9]+", b"FOLDER", path.read_bytes())
    if path.name == "_judge.json" and content.endswith(b"}\n"):
        # Calls of one second have no order.
        found = json.loads(content)
        content = json.dumps({**found, "calls": sorted(call["command"] for call in found["calls"])}).encode()
    return hashlib.sha256(TIMES.sub(b"", content)).hexdigest()


def shown(text, folder):
    """Text without what differs from call to call, and with short names."""
    text = text.replace(str(folder), "FOLDER")
    for which, name in world.ARCHIVES.items():
        text = text.replace(name, which)
    text = re.sub(r"CC-MAIN-[0-9]{14}-[0-9]{14}-|[0-9]{13}\.1-", "", text.replace("CC-MAIN-2026-", ""))
    text = re.sub(r"for [0-9]+ s;", "for some time;", re.sub(r"\b[0-9]+ bytes", "some bytes", text))
    return DIGESTS.sub("DIGEST", re.sub(r"expected [0-9]+", "expected others", text)).replace("\t", " ")


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def shortened(names, folder):
    """The manifests among files, which say that something is whole."""
    short = {shown(re.sub(r"(_manifest|_resolved)/crawl=", "", name), folder) for name in names if MANIFEST.search(name)}
    return " ".join(sorted(name.removesuffix(".json") for name in short))


def plan_of(dry, folder):
    """What a dry run says, with the number of units that are done."""
    if dry.returncode != 0:
        return "; ".join(lines_of(shown(dry.stderr, folder)))
    lines = lines_of(shown(dry.stdout, folder))
    # A line without a step names the batch of the archives below it.
    done = [line for line in lines if line.endswith(": done")]
    ahead = [line for line in lines if ": " in line and line not in done]
    return "; ".join([*ahead, f"{len(done)} done"])


def message_of(ran, call, folder):
    if call[0] != "status":
        return "; ".join(lines_of(shown(ran.stderr, folder)))
    lines = lines_of(shown(ran.stdout, folder)) or lines_of(shown(ran.stderr, folder))
    behind = lines[lines.index("Next:") :] if "Next:" in lines else []
    return "; ".join([*lines[:1], *behind])


def manifest_of(line):
    """The manifest of the unit that a line of a plan names."""
    unit = line.split(": ")[0]
    crawl, _, batch = unit.partition(" ")
    return f"out/_resolved/{crawl}/{batch}.json" if batch else f"_kept.judge/files/{unit}.json"


def check_plan(case, planned, written):
    """What a plan says of a unit is what happens to it, if the call is carried out."""
    lines = [line.strip() for line in planned.splitlines()]
    if case[2][0] in ("scan", "run"):
        units = [line for line in lines if not line.startswith("crawl=")]
        ahead = [line for line in units if not line.endswith(": done")]
        made = [name for name in written if "_manifest/" in name]
        assert len(made) == len(ahead), f"{case}: the plan is\n{planned}and {made} were written"
        return
    for line in lines:
        if line.endswith(": done"):
            assert manifest_of(line) not in written, f"{case}: {line}, and it was made"
        elif ": to make" in line or ": to judge" in line:
            assert manifest_of(line) in written, f"{case}: {line}, and it was not made"


def carried_out(binary, templates, case, number):
    """What happens in a case: a row of the table, and the digests of all files afterwards."""
    state, calls, call, _ = case
    folder = templates.folder / f"case{number}"
    templates.copy(calls, folder)
    before = files_of(folder)
    plan = dry = None
    if call[0] in DRY:
        dry = world.run(binary, [*call, "--dry-run"], folder)
        plan = plan_of(dry, folder)
        assert files_of(folder) == before, f"{case}: a dry run has written"
    ran = world.run(binary, call, folder)
    after = files_of(folder)
    written = [name for name in after if before.get(name) != after[name]]
    removed = [name for name in before if name not in after]
    if dry and ran.returncode == 0:
        check_plan(case, dry.stdout, written)
    message = message_of(ran, call, folder)
    row = [
        shown(" ".join(call), folder),
        state,
        "as the call" if plan and plan == message else plan or "",
        str(ran.returncode),
        shortened(written, folder),
        shortened(removed, folder),
        message,
    ]
    digests = collections.defaultdict(list)
    for name in sorted(after):
        digests[DIGESTS.sub("DIGEST", name)].append(digest(folder / name, folder))
    shutil.rmtree(folder)
    return row, {name: sorted(found) for name, found in digests.items()}


def main():
    binary = os.path.abspath(sys.argv[1])
    is_full = sys.argv[2:3] == ["--full"]
    cases = [case for case in states.cases() if is_full or case[3]]
    with tempfile.TemporaryDirectory() as folder:
        templates = world.Templates(binary, pathlib.Path(folder).resolve())
        for case in cases:
            templates.of(case[1])
        with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
            found = list(pool.map(lambda numbered: carried_out(binary, templates, numbered[1], numbered[0]), enumerate(cases)))
    table = HEAD + "".join("\t".join(row) + "\n" for row, _ in found)
    if is_full:
        with open(sys.argv[3], "w", encoding="utf-8") as full:
            for row, digests in found:
                full.write(json.dumps({"row": row, "files": digests}) + "\n")
    elif sys.argv[2:] == ["--write"]:
        STEPS.write_text(table, encoding="utf-8")
    else:
        expected = STEPS.read_text(encoding="utf-8").splitlines()
        differing = [(one, other) for one, other in zip(table.splitlines(), expected, strict=False) if one != other]
        for one, other in differing:
            print(f"found    {one}\nexpected {other}\n")
        assert table.splitlines() == expected, f"{len(differing)} of {len(cases)} cases differ; after a change that means it: check.py BINARY --write"
    print(f"{len(cases)} cases")


main()
