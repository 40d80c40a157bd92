#!/usr/bin/env python3
"""What commands print fits the terminal, and does not command it: check.py CRAWLPREFS

Each command runs in a pseudo-terminal of 60, 80 and 120 columns. No line is wider, except for one that is a path, a URL, a command or
a query as it can be copied; numbers stand in one piece; and nothing is wider than 80 columns in a wider terminal, or in a file.
A list for other calls is written as it is, except on a terminal, where what a terminal obeys is escaped.
"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

WIDTHS = (60, 80, 120)
COMMANDS = (
    ["demo"],
    ["run", "crawlprefs-demo/archives", "-o", "out"],
    ["resolve", "out", "-o", "sites", "--tables", "sites"],
    ["explain", "https://signal.example/", "--tables", "out"],
    ["explain", "https://news.example/", "--tables", "out"],
    ["index", "out", "-o", "ix"],
    ["history", "signal.example", "--sites", "ix"],
    ["status", "out"],
    ["status", "ix"],
    ["status", "nothing"],
    ["lint", "robots.txt"],
    ["judge", "urls.txt", "--tables", "out", "-o", "judged", "--overwrite"],
    ["judge", "--help"],
    ["explain", "-h"],
)
ROBOTS = "User-agent: *\nDisallow: / # everything, everywhere, for everybody who comes along\nDeny: /\nNoAi: yes\n"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(command, width, folder):
    """What a command writes to a terminal of some columns; and its exit status."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=subprocess.DEVNULL, cwd=folder, env={**os.environ, "TERM": "xterm"})
    os.close(child)
    written = b""
    while True:
        try:
            piece = os.read(parent, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        written += piece
    os.close(parent)
    return written.decode().replace("\r\n", "\n"), process.wait()


def may_be_wide(line):
    """Whether a line is one that is copied as it stands, or a single long word."""
    words = line.split()
    return bool(re.search(r"crawlprefs \w|SELECT|FROM '|WHERE|SHA-256", line)) or len(words) <= 2


def check(text, width, what):
    wide = [line for line in text.splitlines() if len(line) > width and not may_be_wide(line)]
    assert not wide, f"{what} in {width} columns:\n" + "\n".join(wide)


def check_list(folder):
    """`status --unread` lists names as others wrote them: here with a mark that turns the direction of text."""
    (folder / "list").write_text("a\u202eb.warc.gz\n")
    command = ["crawlprefs", "status", "out", "--paths-from", "list", "--unread"]
    piped = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    assert piped == "a\u202eb.warc.gz\n", f"not as in the list: {piped!a}"
    shown, _ = on_terminal(command, 80, folder)
    assert shown == "a\\u{202E}b.warc.gz\n", f"not escaped on a terminal: {shown!a}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    lines = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # As a program that is found by its name.
        (folder / "bin").mkdir()
        (folder / "bin/crawlprefs").symlink_to(program)
        os.environ["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
        (folder / "robots.txt").write_text(ROBOTS)
        (folder / "urls.txt").write_text("https://signal.example/\nhttps://news.example/a\n")
        for command in COMMANDS:
            printed = {}
            for width in WIDTHS:
                text, status = on_terminal(["crawlprefs", *command], width, folder)
                text = ESCAPE.sub("", text)
                assert status in (0, 1, 3) and text.strip(), (command, status, text)
                check(text, min(width, 80) if "-h" not in command[-1] else width, command)
                printed[width] = text
                lines += len(text.splitlines())
            piped = subprocess.run(["crawlprefs", *command], cwd=folder, capture_output=True, text=True).stdout
            check(piped, 80 if "-h" not in command[-1] else 100, command)
            numbers = {width: re.findall(r"\d[\d,.]*%?", re.sub(r"in \d+\.\d s", "", text)) for width, text in printed.items()}
            if command[0] in ("explain", "history", "status"):
                assert sorted(numbers[60]) == sorted(numbers[80]) == sorted(numbers[120]), f"{command}: numbers are broken"
        check_list(folder)
    print(f"{lines:,} lines of {len(COMMANDS)} commands fit terminals of {', '.join(map(str, WIDTHS))} columns")


if __name__ == "__main__":
    main()
