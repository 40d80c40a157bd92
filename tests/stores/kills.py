"""`index` is killed at any moment, with readers at work all the time: in a folder and in a bucket; a first index, one that replaces, a merge.

  tests/stores/run PROGRAM kills [KILLS [SEED]]

Each read gives the old or the new answers, and none fails; of a first index the old answer is that there is none. The repeated command
ends with the bytes of a clean one.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from store import Store

URL = "https://rep.example/private/x"
ROOT = Path(__file__).resolve().parents[2]


class Bucket:
    """A prefix of a bucket in memory."""

    def __init__(self) -> None:
        self.store, self.place = Store(), "s3://bucket/index"

    def contents(self) -> dict[str, bytes]:
        return {key.removeprefix("index/"): it[0] for key, it in sorted(self.store.objects.items())}

    def clear(self) -> None:
        # As an index is retired: first what names the others.
        for key in sorted(self.store.objects, key=lambda key: key != "index/_index.json"):
            self.store.remove(key)

    @property
    def environment(self) -> dict[str, str]:
        keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_REGION": "us-east-1"}
        return {**os.environ, **keys, "AWS_ENDPOINT_URL": self.store.url}


class Disk:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.place, self.environment = str(folder / "index"), dict(os.environ)

    def contents(self) -> dict[str, bytes]:
        # What a killed process had not named yet is hidden.
        files = (path for path in Path(self.place).rglob("*") if path.is_file() and not path.name.startswith("."))
        return {str(path.relative_to(self.place)): path.read_bytes() for path in sorted(files)}

    def clear(self) -> None:
        Path(self.place, "_index.json").unlink(missing_ok=True)
        shutil.rmtree(self.place, ignore_errors=True)


class Killing:
    """An output, and who reads it."""

    def __init__(self, program: str, output: Bucket | Disk, folder: Path) -> None:
        self.program, self.output, self.folder = program, output, folder
        self.ended, self.reads, self.failed, self.answers = threading.Event(), 0, [], set()

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, env=self.output.environment)

    def asked(self, place: object) -> str:
        ran = self.run("explain", "--json", "--url", URL, "--sites", place, "--allow-incomplete")
        return ran.stdout if ran.returncode == 0 else "none" if "no site index there" in ran.stderr else ran.stderr

    def read(self) -> None:
        while not self.ended.wait(0.02):
            allowed = self.answers
            found = self.asked(self.output.place)
            # What is allowed changes between two cases, while nobody writes.
            if found not in allowed and found not in self.answers:
                self.failed.append(found)
            self.reads += 1

    def killed(self, words: list[object], clean: dict[str, bytes], draw: random.Random, longest: float) -> None:
        process = subprocess.Popen([self.program, *map(str, words)], env=self.output.environment, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, longest))
        process.send_signal(signal.SIGKILL)
        process.wait()
        again = self.run(*words)
        assert again.returncode == 0, again.stderr
        assert self.output.contents() == clean, "the repeated command ends with other bytes"


def main() -> None:
    """Kills this many calls."""
    program, kills, draw = str(Path(sys.argv[1]).resolve()), int((sys.argv[2:] or ["200"])[0]), random.Random((sys.argv[3:] or ["1"])[0])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = {}
        for number, archives in enumerate(sorted((ROOT / "sample-data" / "crawl-data").rglob("*.warc.gz"))[:4]):
            inputs[number] = folder / f"evidence-{number}"
            subprocess.run([program, "scan", "-q", archives, "-o", inputs[number]], check=True)
            subprocess.run([program, "index", "-q", inputs[number], "-o", folder / f"index-{number}"], check=True)
        for output in (Disk(folder), Bucket()):
            it = Killing(program, output, folder)
            flags, clean, said = ["index", "-q", "--overwrite", "-o", output.place], {}, {}
            cases = {"first": [inputs[0]], "replaced": [inputs[1]], "merged": [folder / f"index-{number}" for number in range(4)]}
            begun = time.monotonic()
            for case, of in cases.items():
                ran = it.run(*flags, *of)
                assert ran.returncode == 0, ran.stderr
                clean[case], said[case] = output.contents(), it.asked(output.place)
            longest = 2 * (time.monotonic() - begun) / 3
            it.answers = {*said.values(), "none"}
            readers = [threading.Thread(target=it.read) for _ in range(2)]
            for reader in readers:
                reader.start()
            try:
                for number in range(kills // 2):
                    case = list(cases)[number % 3]
                    if case == "first":
                        it.answers = {*said.values(), "none"}
                        output.clear()
                    it.killed([*flags, *cases[case]], clean[case], draw, longest)
                    if case == "first":
                        # From now on there is an index all the time.
                        time.sleep(0.5)
                        it.answers = set(said.values())
            finally:
                it.ended.set()
                for reader in readers:
                    reader.join()
            assert not it.failed, it.failed[:3]
            print(f"{type(output).__name__}: {kills // 2} kills, {it.reads} reads, none failed", flush=True)


main()
