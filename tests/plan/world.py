"""Small archives, and folders that commands have written of them, each made once and copied for every case."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess

# A time long before any call, so that no archive is newer than its evidence.
WRITTEN = 1_780_000_000
JULY, AUGUST = "CC-MAIN-2026-30", "CC-MAIN-2026-34"
ARCHIVES = {
    "july": f"crawl-data/{JULY}/segments/1783000000000.1/warc/CC-MAIN-20260710000000-20260710030000-00000.warc.gz",
    "august": f"crawl-data/{AUGUST}/segments/1786000000000.1/warc/CC-MAIN-20260810000000-20260810030000-00000.warc.gz",
    "site": "site.warc.gz",
}
NAME = ARCHIVES["august"]
DATES = {"july": "2026-07-10T00:00:00Z", "august": "2026-08-10T00:00:00Z", "site": "2026-08-11T00:00:00Z"}


def record(kind, url, date, number, block):
    """A record as a gzip member."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def answer(body, kind):
    """An answer of a server."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def members(which, count=2):
    """The records of an archive: of each of some hosts its robots.txt and a page."""
    found, first = [], {"july": 100, "august": 200, "site": 300}[which]
    for host in range(count):
        site = f"https://{which}{host}.example"
        robots = f"User-agent: *\nDisallow: /{which}/\n"
        page = f"<html><head><title>{which}</title><meta name=robots content=noai></head></html>"
        found.append(record("response", f"{site}/robots.txt", DATES[which], first + 2 * host, answer(robots, "text/plain")))
        found.append(record("response", f"{site}/a.html", DATES[which], first + 2 * host + 1, answer(page, "text/html")))
    return found


def whole(which):
    return b"".join(members(which))


def damaged(which):
    """An archive as long as the whole one, in which a member is damaged."""
    found = members(which)
    found[1] = found[1][:40] + bytes(byte ^ 0xFF for byte in found[1][40:60]) + found[1][60:]
    return b"".join(found)


def write(path, content, written=WRITTEN):
    """Writes a new file, as those of a copied folder are shared with others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.utime(path, (written, written))


def write_archives(folder):
    for which, name in ARCHIVES.items():
        write(folder / "in" / name, whole(which))
    write(folder / "list", "".join(f"{name}\n" for name in ARCHIVES.values()))


def manifest(folder, crawl=AUGUST, below="_manifest", out="out"):
    """The manifest of an archive, or with `_resolved` of the first batch, of a crawl."""
    return min((folder / out / below / f"crawl={crawl}").iterdir())


def parts(folder, crawl=AUGUST, below="_manifest", out="out"):
    """The files that a manifest names, in its order."""
    return [folder / out / part["file"] for part in json.loads(manifest(folder, crawl, below, out).read_text())["parts"]]


class Templates:
    """Folders by the calls that made them, below a folder."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.made = binary, pathlib.Path(folder), {}

    def copy(self, calls, target):
        """Copies the folder that some calls have made, with links to its files, which no call changes in their place. A call is a list of
        arguments, or a function that changes the folder."""
        shutil.copytree(self.of(calls), target, copy_function=os.link)

    def of(self, calls):
        key = tuple(call if callable(call) else tuple(call) for call in calls)
        if key not in self.made:
            made = self.folder / f"template{len(self.made)}"
            self.made[key] = made
            if calls:
                shutil.copytree(self.of(calls[:-1]), made, copy_function=os.link)
                if callable(calls[-1]):
                    calls[-1](made)
                else:
                    run(self.binary, calls[-1], made)
            else:
                made.mkdir()
                write_archives(made)
        return self.made[key]


def run(binary, arguments, folder):
    """Runs a command in a folder; nothing of this machine's settings reaches it."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")}
    return subprocess.run([binary, *arguments], cwd=folder, env=kept, capture_output=True, text=True, timeout=300, check=False)
