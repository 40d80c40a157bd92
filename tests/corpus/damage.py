#!/usr/bin/env python3
"""Damages copies of a segment's archives on purpose, and compares what quality/trust says of damage with what zlib finds.

    damage.py BINARY SEGMENT WORK

In the copies, every 97th gzip member has one fault: a byte of its data, of its checksum or of its beginning is another one, or bytes that are
none of a member lie before it; and the last member of a copy is cut. Where the members begin is known from the whole archives, and what is
wrong with each of a copy is asked of Python's zlib. Another archive has more damaged places than are listed. Ends with status 1 where a count
differs.
"""
import collections
import pathlib
import random
import subprocess
import sys
import zlib

from recount import Checker

EVERY = 97
STRANGE = b"strange bytes\n"
LISTED, PLACES = 10_000, 10_100
"""How many damaged places of an archive are listed (docs/tables.md), and how many one has here."""


def members(archive):
    """The gzip members of a whole archive."""
    rest = archive
    while rest:
        decoder = zlib.decompressobj(31)
        decoder.decompress(rest)
        assert decoder.eof, "the archive is not whole"
        yield rest[: len(rest) - len(decoder.unused_data)]
        rest = decoder.unused_data


def with_other_byte(member, at):
    """A member whose byte at a place is another one."""
    changed = bytearray(member)
    changed[at] ^= 0xA5
    return bytes(changed)


def fault(member):
    """What zlib finds wrong with the bytes of one member: a kind of failures, or None."""
    decoder = zlib.decompressobj(31)
    try:
        decoder.decompress(member)
    except zlib.error as error:
        if "incorrect header check" in str(error) or "unknown compression method" in str(error):
            return "not_gzip"
        return "gzip_checksum" if "incorrect data check" in str(error) or "incorrect length check" in str(error) else "gzip_data"
    return None if decoder.eof else "gzip_cut"


def damaged(archive, chance, cut):
    """A copy with faults, what is wrong in it by problem and kind, and how many records it has, with what may be one."""
    whole = list(members(archive))
    copy, found = [], collections.Counter()
    for number, member in enumerate(whole):
        if number == len(whole) - 1 and cut:
            member = member[: len(member) // 2]
            text = zlib.decompressobj(31).decompress(member)
            found["damage", "block_short" if b"\r\n\r\n" in text else "head_cut"] += 1
            found["archive not read", "cut"] += 1
        elif number % EVERY == EVERY - 1:
            kind = chance.choice(("data", "checksum", "beginning", "strange"))
            if kind == "data":
                # Where zlib sees within the member that its data are wrong: other bytes hide where it ends.
                places = [at for at in range(20, len(member) - 8) if fault(with_other_byte(member, at)) == "gzip_data"]
                member = with_other_byte(member, chance.choice(places))
            elif kind == "checksum":
                member = with_other_byte(member, len(member) - chance.randrange(5, 9))
            elif kind == "beginning":
                member = with_other_byte(member, 0)
            else:
                copy.append(STRANGE)
                found["damage", "not_gzip"] += 1
                found["records lost", "to damage"] += 1
        if kind := fault(member):
            found["damage", kind] += 1
            found["records lost", "to damage"] += 1
        copy.append(member)
    return b"".join(copy), found, len(whole) + copy.count(STRANGE)


def main():
    binary, segment, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    chance, wanted, sizes = random.Random(28), {}, {}
    for number, path in enumerate(sorted((segment / "crawl-data").rglob("*.warc.gz"))):
        name = path.relative_to(segment / "crawl-data")
        copy, wanted[str(name)], sizes[str(name)] = damaged(path.read_bytes(), chance, cut=number % 3 == 0)
        (work / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "in" / name).write_bytes(copy)
    wanted["(all)"] = sum(wanted.values(), collections.Counter())
    sizes["(all)"] = sum(sizes.values())
    status = subprocess.run([binary, "run", "-q", work / "in", "-o", work / "out"], stderr=subprocess.DEVNULL).returncode
    check = Checker("duckdb", work / "out")
    check.same("quality/trust", "status of the run", status, 3)
    rows = check.ask("quality/trust")
    for archive, found in wanted.items():
        of_archive = [row for row in rows if row["archive"] == archive and row["problem"] in ("damage", "archive not read", "records lost")]
        answered = {(row["problem"], row["detail"]): row["found"] for row in of_archive}
        check.same("quality/trust", archive, answered, dict(found))
        records = {row["found_of"] for row in of_archive if row["unit"] == "records"}
        check.same("quality/trust", f"records of {archive}", records, {sizes[archive]})
    many = work / "many"
    (many / "in").mkdir(parents=True)
    record = next(members(path.read_bytes()))
    (many / "in/many.warc.gz").write_bytes(with_other_byte(record, len(record) - 8) * PLACES)
    subprocess.run([binary, "run", "-q", many / "in", "-o", many / "out"], stderr=subprocess.DEVNULL)
    check.open(many / "out")
    rows = [row for row in check.ask("quality/trust") if row["archive"] == "(all)" and row["problem"] == "damage"]
    answered = {row["detail"]: row["found"] for row in rows}
    check.same("quality/trust", "places beyond those that are listed", answered, {"gzip_checksum": LISTED, "more": PLACES - LISTED})
    check.end()


main()
