"""Writes the inputs of the test vectors as seeds into a folder, for each target in its own form."""

import base64
import json
import pathlib
import sys

VECTORS = pathlib.Path(__file__).parent.parent / "vectors"


def robots_of(scenario):
    """Returns the file as bytes; repeated parts come once."""
    if "robots_txt_base64" in scenario:
        return base64.b64decode(scenario["robots_txt_base64"])
    parts = scenario.get("robots_txt_parts", [scenario.get("robots_txt", "")])
    return "".join(part if isinstance(part, str) else part["repeat"] for part in parts).encode()


def lines_of(scenario):
    """Returns the name and value of each field, meta and robots.txt line."""
    for name, value in scenario.get("headers", []):
        yield name.lower(), value
    for meta in scenario.get("meta", []):
        yield "meta", meta["content"]
    for line in robots_of(scenario).decode(errors="replace").splitlines():
        name, _, value = line.partition(":")
        yield name.strip().lower(), value.strip()


def response_of(scenario):
    """Returns head, metas and robots.txt as one response."""
    head = "".join(f"{name}: {value}\r\n" for name, value in scenario.get("headers", []))
    metas = "".join(
        f'<meta name="{meta["name"]}" content="{meta["content"]}">\n' for meta in scenario.get("meta", [])
    )
    return f"HTTP/1.1 200 OK\r\n{head}\r\n{metas}".encode() + robots_of(scenario)


def seeds_of(scenario):
    """Returns target and input of each seed."""
    yield "explain_scenario", json.dumps(scenario)
    if "robots_tag" in scenario:
        for line in scenario["robots_tag"]["lines"]:
            yield "robots_tag", f"{line}\n{line}"
        return
    url = scenario.get("url", "")
    path = "/" + "/".join(url.split("/")[3:])
    robots = robots_of(scenario)
    yield "url", url
    yield "robots_txt", path.encode() + b"\n" + robots
    yield "ai_training", path.encode() + b"\n" + robots
    for target in ("statements", "policies"):
        yield target, response_of(scenario)
    yield "site_rows", path[1:].encode() + b"\n" + response_of(scenario)
    for text in scenario.get("statements", []) + scenario.get("expressions", []):
        for target in ("aipref_statement", "content_usage_header", "sup"):
            yield target, text
    for name, value in lines_of(scenario):
        if name in ("content-usage", "usage"):
            for target in ("aipref_statement", "content_usage_header", "sup"):
                yield target, value
        if name in ("app-directives", "app-directive"):
            yield "app_directives", value
        if name.startswith("content-signal"):
            yield "content_signal", f"{path}\n{value}"
        if name.endswith("robots-tag") or name == "meta":
            yield "robots_tag", f"{value}\n{value}"


def main(out):
    for file in sorted(VECTORS.glob("*.json")):
        for vector in json.loads(file.read_text())["vectors"]:
            wild = {"robots_tag": {key: vector.get(key) for key in ("source", "lines")}}
            scenario = vector.get("input", wild)
            for number, (target, seed) in enumerate(seeds_of(scenario)):
                folder = out / target / "seeds"
                folder.mkdir(parents=True, exist_ok=True)
                seed = seed if isinstance(seed, bytes) else seed.encode()
                (folder / f"{vector['id']}-{number}").write_bytes(seed)


main(pathlib.Path(sys.argv[1]))
