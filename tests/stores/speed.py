"""Measures a scan of archives behind a web server as a ratio to the same scan from the disk: benches/README.md.

One worker; each measurement is the best of three, in turn with the others. The server is Python's, in a process of its own.
"""

import subprocess
import sys
import time
from pathlib import Path

from setting import Setting, archives

CASES = {"http": (None, 0.0), "http, 50 ms": (None, 0.05), "https": ("tls", 0.0), "https, 50 ms": ("tls", 0.05)}

SERVER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from web import Web
web = Web(Path(sys.argv[2]), Path(sys.argv[3]) if sys.argv[3] else None)
web.reset(latency=float(sys.argv[4]))
print(web.url, flush=True)
for _ in sys.stdin:
    print(len(web.seen), flush=True)
    web.reset(latency=float(sys.argv[4]))
"""


def main() -> None:
    it = Setting(sys.argv[1])
    names = archives(it.served, 4, 100)
    paths = it.folder / "paths.txt"
    paths.write_text("\n".join(names))
    servers = {}
    for name, (tls, latency) in CASES.items():
        certificate = str(it.folder / "both.pem") if tls else ""
        arguments = [sys.executable, "-c", SERVER, "tests/stores", str(it.served), certificate, str(latency)]
        server = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        servers[name] = (server, server.stdout.readline().strip())
    bases = {"disk": str(it.served), **{name: url for name, (_, url) in servers.items()}}
    best = dict.fromkeys(bases, float("inf"))
    for _ in range(3):
        for name, base in bases.items():
            out = it.out("speed")
            begun = time.monotonic()
            it.call("scan", "@" + str(paths), "--base", base, "-o", out, "-j", "1", "--request-rate", "1000", "-q")
            best[name] = min(best[name], time.monotonic() - begun)
    size = sum((it.served / name).stat().st_size for name in names)
    for name, seconds in best.items():
        print(f"{name}: {seconds:.2f} s, {size / seconds / 1e6:.0f} MB/s, {seconds / best['disk']:.2f} times the disk's time")
    for name, (server, _) in servers.items():
        server.stdin.write("\n")
        server.stdin.flush()
        print(f"{name}: {int(server.stdout.readline()) / len(names) / 3:.1f} requests for an archive of {size / len(names) / 1e6:.0f} MB")
        server.kill()
    it.end()


if __name__ == "__main__":
    main()
