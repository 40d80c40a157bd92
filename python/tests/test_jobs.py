"""`run`, `scan` and `resolve`: the command's bytes, events, words and ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import command, files

import crawlprefs


def test_run_writes_the_bytes_of_the_command(sample: Path, by_command: Path, tmp_path: Path) -> None:
    report = crawlprefs.run(sample, tmp_path / "out")
    assert files(tmp_path / "out") == files(by_command)
    assert (report["outcome"], report["inputs"], report["resolve"]["pages"]) == ("finished", 7, 93)


def test_scan_and_resolve_are_the_halves_of_run(sample: Path, by_command: Path, tmp_path: Path) -> None:
    archives = crawlprefs.archives(sample)
    assert len(archives) == 7 and archives == sorted(archives, key=lambda archive: (archive.crawl, archive.name))
    for archive in archives:
        base = archive.location.removesuffix(archive.name)
        crawlprefs.scan(archive.location, tmp_path / "out", base=base, jobs=1)
    report = crawlprefs.resolve(tmp_path / "out")
    assert files(tmp_path / "out") == files(by_command)
    assert report["resolve"]["pages"] == 93


def test_options_are_those_of_the_command(sample: Path, tmp_path: Path) -> None:
    options = ("--agent=GPTBot", "--tables=pages", "--depth=no-meta", "--robots-slack=60s", "--crawl=mine")
    assert command("run", "-q", sample, "-o", tmp_path / "command", *options).returncode == 0
    crawlprefs.run(
        [sample], tmp_path / "out", agent="GPTBot", tables=["pages"], depth="no-meta", robots_slack=60, crawl="mine"
    )
    assert files(tmp_path / "out") == files(tmp_path / "command")


def test_resolving_segment_by_segment_writes_what_one_call_writes(
    sample: Path, by_command: Path, tmp_path: Path
) -> None:
    crawlprefs.scan(sample, tmp_path / "out")
    for segment in ("CC-MAIN-2026-34/1786000000000.1", "other"):
        crawlprefs.resolve(tmp_path / "out", segment=segment)
    assert files(tmp_path / "out") == files(by_command)


def test_progress_gets_every_archive_and_batch_in_the_calling_thread(sample: Path, tmp_path: Path) -> None:
    events: list[crawlprefs.Event] = []
    threads = set()

    def progress(event: crawlprefs.Event) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    crawlprefs.run(sample, tmp_path / "out", progress=progress)
    kinds = [event["event"] for event in events]
    assert kinds.count("archive_read") == 7
    assert kinds.count("batch_resolved") == 5
    assert (kinds[0], kinds[-1]) == ("started", "finished")
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("error", [RuntimeError("enough"), KeyboardInterrupt()])
def test_what_a_callback_raises_ends_the_work_and_the_next_call_goes_on(
    error: BaseException, sample: Path, by_command: Path, tmp_path: Path
) -> None:
    def progress(event: crawlprefs.Event) -> None:
        raise error

    with pytest.raises(type(error)):
        crawlprefs.run(sample, tmp_path / "out", progress=progress)
    crawlprefs.run(sample, tmp_path / "out")
    assert files(tmp_path / "out") == files(by_command)


def test_ctrl_c_ends_a_job(sample: Path, tmp_path: Path) -> None:
    # A shell that starts this in the background ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        crawlprefs.run(sample, tmp_path / "out", progress=lambda event: os.kill(os.getpid(), signal.SIGINT))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_the_command_with_status_130(sample: Path, tmp_path: Path) -> None:
    arguments = ["scan", "a.warc=-", "--log-format=json", "-o", str(tmp_path / "out")]
    started = subprocess.Popen(
        [sys.executable, "-m", "crawlprefs", *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert started.stdin is not None and started.stderr is not None
    assert b'"started"' in started.stderr.readline()
    started.send_signal(signal.SIGINT)
    with contextlib.suppress(BrokenPipeError), started.stdin as archive:
        for _ in range(200):
            archive.write((sample / "local/site.warc").read_bytes())
    assert started.wait(60) == 130
    assert b'"stopped"' in started.stderr.read()
    started.stderr.close()


def test_the_gil_is_released(sample: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.warc")
    (tmp_path / "list").write_text(f"{tmp_path}/a.warc\n")
    reports: list[Any] = []
    job = threading.Thread(
        target=lambda: reports.append(crawlprefs.scan([], tmp_path / "out", paths_from=tmp_path / "list"))
    )
    job.start()
    # The job cannot end before this thread, which needs the GIL, has written the archive.
    with open(tmp_path / "a.warc", "wb") as archive:
        archive.write((sample / "local/site.warc").read_bytes())
    job.join(60)
    assert reports[0]["inputs"] == 1 and reports[0]["archive_records"] > 0


def test_errors_have_the_words_of_the_command(sample: Path, tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere.warc")
    with pytest.raises(crawlprefs.Error) as error:
        crawlprefs.run(missing, tmp_path / "out")
    assert command("run", missing, "-o", tmp_path / "out").stderr == f"crawlprefs: error: {error.value}\n"
    assert (error.value.kind, error.value.retry) == ("input_missing", False)
    with pytest.raises(crawlprefs.UsageError) as usage:
        crawlprefs.run(sample, tmp_path / "out", slice="3/2")
    assert str(usage.value).splitlines()[0] in command("run", sample, "-o", "out", "--slice=3/2").stderr
    with pytest.raises(crawlprefs.UsageError, match="--agent"):
        crawlprefs.run(sample, tmp_path / "out", agent="Mozilla/5.0")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        crawlprefs.run(sample, tmp_path / "out", colour="red")  # type: ignore[call-arg]
    assert not (tmp_path / "out").exists()


def test_inputs_that_fail_are_an_exception_after_all_others_are_done(sample: Path, tmp_path: Path) -> None:
    shutil.copy(sample / "local/whole.warc.gz", tmp_path / "whole.warc.gz")
    (tmp_path / "page.warc").write_bytes(b"<html>")
    with pytest.raises(crawlprefs.InputsFailed) as failed:
        crawlprefs.run([tmp_path / "whole.warc.gz", tmp_path / "page.warc"], tmp_path / "out")
    assert str(failed.value) == "1 of 2 inputs failed or were cut, --max-failed allows 0; what is no archive can be left out"
    assert [one["outcome"] for one in failed.value.report["failed_inputs"]] == ["not_an_archive"]
    assert crawlprefs.open(tmp_path / "out").pages.count_rows() == failed.value.report["resolve"]["pages"]
    again = crawlprefs.run([tmp_path / "whole.warc.gz", tmp_path / "page.warc"], tmp_path / "out", max_failed=1)
    assert again["status"] == 0


def test_the_command_is_the_command(sample: Path) -> None:
    assert command("--version").stdout == f"crawlprefs {crawlprefs.__version__}\n"
    wrong = command("run")
    assert (wrong.returncode, wrong.stdout) == (2, "") and wrong.stderr.startswith("error: ")
    explained = command("explain", "--url", "https://a.example/", "--header", "X-Robots-Tag: noai")
    assert explained.returncode == 0 and "train_ai     disallow" in explained.stdout
