"""A made-up crawl with planted violations of ten kinds, in which the truth about every document is known.

Sites belong to registered domains, of which few have very many pages; the sites of a domain decide together, so that documents are
clustered. Every name is below home.arpa (RFC 8375), which is no place on the web. Other sites say things that look like a no and are
none for these pages: a rule for another crawler or another path, a yes, a no that came later or was taken back before the page.
"""
import random
import uuid

DAY = "2026-08-10"
# What a site says in files, and what a page says in its head: the text, and whether it is a no to CCBot or to training.
FILES = {
    "robots_agent": {"robots.txt": "User-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n"},
    "robots_path": {"robots.txt": "User-agent: *\nDisallow: /private/\n"},
    "content_signal": {"robots.txt": "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"},
    "content_usage": {"robots.txt": "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"},
    "ai_training": {"robots.txt": "User-agent: *\nDisallowAITraining: /\nAllow: /\n"},
    "tdmrep": {"robots.txt": "User-agent: *\nAllow: /\n", ".well-known/tdmrep.json": '[{"location": "/", "tdm-reservation": 1}]'},
    "ai_txt": {"robots.txt": "User-agent: *\nAllow: /\n", "ai.txt": "Training: deny\n"},
}
FIELDS = {
    "header_usage": "Content-Usage: train-ai=n",
    "header_noai": "X-Robots-Tag: noai",
    "meta_noai": '<meta name="robots" content="noai, noimageai">',
}
KINDS = (*FILES, *FIELDS)
OPEN = "User-agent: *\nAllow: /\n"
CLOSED = "User-agent: *\nDisallow: /\n"
# Sites that are open: what they say, by the hour at which their robots.txt was fetched; pages are fetched from 7 to 10.
OTHERS = (
    {6: OPEN},
    {6: "User-agent: Bytespider\nDisallow: /\n\nUser-agent: *\nDisallow:\n"},
    {6: "User-agent: *\nDisallow: /elsewhere/\n"},
    {6: "User-agent: *\nContent-Signal: search=no, ai-train=yes\nAllow: /\n"},
    {6: "User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n"},
    {6: OPEN, 12: CLOSED},
    {5: CLOSED, 6: OPEN},
)
# Heads of pages that are no no to training: the header, or the meta.
HARMLESS = ("", "", "X-Robots-Tag: noarchive", "Content-Usage: train-ai=y", '<meta name="robots" content="nofollow">')
VIOLATING = 0.12


class World:
    """The records of the crawl, its documents with what was planted in each, and the domain of each."""

    def __init__(self, documents, seed):
        self.draw = random.Random(seed)
        self.site_files, self.pages, self.documents = [], [], []
        number = 0
        while len(self.documents) < documents:
            number += 1
            self.add_domain(f"d{number:06}.home.arpa", documents)

    def add_domain(self, domain, most):
        draw = self.draw
        pages = min(int(draw.paretovariate(1.3)), 60, most - len(self.documents))
        kind = draw.choice(KINDS) if draw.random() < VIOLATING else None
        hosts = [f"{name}.{domain}" for name in ("news", "shop", "blog")[: 1 + min(pages - 1, 2)]]
        other = draw.choice(OTHERS)
        for host in hosts:
            if kind in FILES:
                for path, text in FILES[kind].items():
                    self.add_file(host, path, text, 6)
            else:
                for hour, text in other.items():
                    self.add_file(host, "robots.txt", text, hour)
        for page in range(pages):
            self.add_page(draw.choice(hosts), page, kind)

    def add_page(self, host, page, kind):
        draw = self.draw
        is_private = kind == "robots_path" and draw.random() < 0.9
        is_said = kind in FIELDS and draw.random() < 0.9
        said = FIELDS[kind] if is_said else draw.choice(HARMLESS)
        planted = kind if is_said or is_private or kind in FILES and kind != "robots_path" else None
        url = f"https://{host}/{'private' if is_private else 'public'}/{page}.html"
        date = f"{DAY}T{7 + page % 3:02}:{draw.randrange(60):02}:{draw.randrange(60):02}Z"
        header, meta = (f"{said}\r\n", "") if ":" in said and not said.startswith("<") else ("", said)
        block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n<html><head>{meta}</head><body>a page</body></html>"
        record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>"
        self.pages.append(record(url, date, record_id, block))
        self.documents.append({"url": url, "id": record_id, "date": date, "planted": planted})

    def add_file(self, host, path, text, hour):
        url = f"https://{host}/{path}"
        record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{url} {hour}')}>"
        media = "application/json" if path.endswith("json") else "text/plain"
        block = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n\r\n{text}"
        self.site_files.append(record(url, f"{DAY}T{hour:02}:00:00Z", record_id, block))


def record(url, date, record_id, block):
    block = block.encode()
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: {date}\r\nWARC-Record-ID: {record_id}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def domain_of(document):
    """Returns the registered domain of a document."""
    return ".".join(document["url"].split("/")[2].split(".")[-3:])
