#!/usr/bin/env python3
"""Validates what `lint --format sarif` writes against the schema of SARIF 2.1.0: sarif.py BINARY SCHEMA

The files have faults of every kind: lines, whole files, fields, metas, bytes that are no UTF-8, names with blanks. The schema must refuse
a log with a wrong word in it, so that a schema that accepts everything is noticed.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

FILES = {
    "robots.txt": "User-agent: *\nDeny: /é\n- Disallow: /\nDisallow /a\nContent-Usage: ai=n\nUser-agent: GTPBot\nNoindex: /\n".encode(),
    "a é,%.robots.txt": b"\xef\xbb\xbfUser-agent: *\rDisallow: \xff\rAnd so on\r",
    "html.robots.txt": b"<!doctype html>\n<title>Not found</title>",
    "zip.robots.txt": b"PK\x03\x04\0\0\0\0",
    "empty.robots.txt": b"",
    "good.robots.txt": b"User-agent: *\nDisallow: /a\n",
    "tdmrep.json": b"{\n",
    "ai.txt": b"User-Agent: *\n- Disallow: /\n",
    "trust.txt": b"datatrainingallowed=never\n",
    "page.html": '<head><meta name="robots" content="no-ai"><meta name="é" content="no ai"></head>'.encode(),
    "page.headers": b"HTTP/1.1 200 OK\nContent-Usage: Train-AI=n\n",
}


def log(binary, folder, files):
    ran = subprocess.run([binary, "lint", "--format", "sarif", *files], cwd=folder, capture_output=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    return json.loads(ran.stdout)


def main():
    binary, schema = pathlib.Path(sys.argv[1]).resolve(), json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    validator = validator(schema, format_checker=validator.FORMAT_CHECKER)
    with tempfile.TemporaryDirectory() as folder:
        for name, body in FILES.items():
            (pathlib.Path(folder) / name).write_bytes(body)
        all_files = log(binary, folder, FILES)
        none = log(binary, folder, ["good.robots.txt"])
    for written in (all_files, none):
        validator.validate(written)
    results = all_files["runs"][0]["results"]
    codes = {result["ruleId"] for result in results}
    assert len(codes) > 15 and none["runs"][0]["results"] == [], codes
    for spoil in ({"level": "grave"}, {"message": {}}, {"locations": [{"physicalLocation": {"region": {"startLine": 0}}}]}):
        bad = json.loads(json.dumps(all_files))
        bad["runs"][0]["results"][0].update(spoil)
        assert not validator.is_valid(bad), f"the schema accepts {spoil}"
    print(f"SARIF: {len(results)} results of {len(codes)} codes are valid")


if __name__ == "__main__":
    main()
