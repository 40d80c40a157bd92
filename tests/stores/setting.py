"""What the checks and the measurements share: the servers, the program, archives, and comparing what was written."""

import gzip
import logging
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer
from web import Web

SAMPLE = Path("sample-data").resolve()
KEYS = {"AWS_ACCESS_KEY_ID": "of-a-test", "AWS_SECRET_ACCESS_KEY": "SECRET-of-a-test", "AWS_REGION": "us-east-1"}


class Setting:
    """A folder, a store and a web server for one call of the script."""

    def __init__(self, program: str) -> None:
        self.program = str(Path(program).resolve())
        self.folder = Path(tempfile.mkdtemp(prefix="crawlprefs-stores-"))
        self.served = self.folder / "served"
        self.served.mkdir()
        self.web = Web(self.served, self.certificate())
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.moto = ThreadedMotoServer(port=0, verbose=False)
        self.moto.start()
        endpoint = "http://%s:%s" % self.moto.get_host_and_port()
        os.environ |= KEYS
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            **KEYS,
            "AWS_ENDPOINT_URL": endpoint,
            "SSL_CERT_FILE": str(self.folder / "certificate.pem"),
        }
        self.s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        self.s3.create_bucket(Bucket="bucket")

    def certificate(self) -> Path:
        """Makes a certificate for localhost and Common Crawl's front."""
        file, key = self.folder / "certificate.pem", self.folder / "key.pem"
        names = "subjectAltName=DNS:localhost,DNS:data.commoncrawl.org"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
            + ["-addext", names, "-addext", "basicConstraints=critical,CA:FALSE"]
            + ["-keyout", key, "-out", file],
            check=True,
            capture_output=True,
        )
        both = self.folder / "both.pem"
        both.write_text(key.read_text() + file.read_text())
        return both

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen:
        """Starts the program."""
        variables = {**self.environment, **environment}
        return subprocess.Popen(
            [self.program, *map(str, arguments)],
            env={name: value for name, value in variables.items() if value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments: str, status: int = 0, **environment: str) -> str:
        """Runs the program to its end; returns all that it said."""
        process = self.start(*arguments, **environment)
        out, error = process.communicate(timeout=600)
        assert process.returncode == status, (arguments, process.returncode, out, error)
        return out + error

    def out(self, name: str) -> Path:
        """Returns an output folder that is not there."""
        folder = self.folder / "out" / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def upload(self, folder: Path, names: list[str], prefix: str) -> None:
        """Puts files of a folder into the bucket."""
        for file in names:
            self.s3.upload_file(str(folder / file), "bucket", f"{prefix}/{file}")

    def objects(self, prefix: str) -> dict[str, bytes]:
        """Returns the objects below a prefix, but for what is remembered, which has times."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix + "/")
        keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        return {
            key.removeprefix(prefix + "/"): self.s3.get_object(Bucket="bucket", Key=key)["Body"].read()
            for key in keys
            if "/_known/" not in key
        }

    def end(self) -> None:
        """Stops the store and removes the folder."""
        self.moto.stop()
        shutil.rmtree(self.folder)


def files(folder: Path) -> list[str]:
    """Returns the files below a folder."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the files below a folder with what is in them, but for what is remembered, which has times."""
    return {file: (folder / file).read_bytes() for file in files(folder) if not file.startswith("_known/")}


def archives(folder: Path, count: int, megabytes: int) -> list[str]:
    """Writes archives of several ranges, each of other bytes; returns their names."""
    records = b"".join(file.read_bytes() for file in sorted(SAMPLE.rglob("*.warc.gz")) if "crawl-data" in str(file))
    names = []
    for number in range(count):
        name = f"long/{number:02}.warc.gz"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        head = gzip.compress(f"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\nWARC-Number: {number}\r\n\r\n\r\n\r\n".encode(), mtime=0)
        times = -(-megabytes * 1_000_000 // len(records))
        (folder / name).write_bytes(head + records * times)
        names.append(name)
    return names
