#!/usr/bin/env python3
"""Write the sample archives beside this file, and expected.json with the counts they must give.

  generate.py           write everything anew
  generate.py --check   write nothing: compare the files with what would be written, then read them back and recount

Every host, page and text is invented. Names come from uuid5, dates are fixed and gzip headers carry no time, so two
runs give identical bytes. Another zlib build may compress differently: then the .gz bytes (and `bytes` and `damaged`
in expected.json) differ while the content stays the same; --check compares content. Python 3.9 or newer, nothing else.
"""
import base64, collections, dataclasses, hashlib, json, pathlib, re, struct, sys, uuid, zlib

HERE = pathlib.Path(__file__).resolve().parent
SEGMENT = "crawl-data/CC-MAIN-2026-34/segments/1786000000000.1"
NAME = "CC-MAIN-20260810060000-20260810090000-%05d.warc.gz"
FILES = {"robotstxt": 2, "warc": 2, "crawldiagnostics": 1}
LISTS = {"robotstxt.paths.gz": "robotstxt", "warc.paths.gz": "warc", "non200responses.paths.gz": "crawldiagnostics"}
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 403: "Forbidden", 404: "Not Found",
           500: "Internal Server Error", 503: "Service Unavailable"}
WORDS = ("harbour lamp orchard copper winter letter window garden river paper stone market kettle meadow "
         "signal ladder thread bridge candle summer pocket engine island mirror violin planet basket tunnel").split()


def number(seed, below):
    """A number that depends on the text `seed` alone."""
    return int.from_bytes(hashlib.sha1(seed.encode()).digest()[:6], "big") % below


def host_of(url):
    return url.split("/")[2]


def prose(seed, count):
    return " ".join(WORDS[number("%s %d" % (seed, i), len(WORDS))] for i in range(count)).capitalize() + "."


def html(title, head="", body="", words=24):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>%s</title>\n%s</head>\n<body>\n<h1>%s</h1>\n'
            "%s<p>%s</p>\n</body>\n</html>\n" % (title, head, title, body, prose(title, words))).encode()


# --- the plan: what was fetched -----------------------------------------------------------------------------------

@dataclasses.dataclass
class Capture:
    subset: str             # robotstxt, warc or crawldiagnostics
    kind: str               # page, robots, robots_hop, automation, tdmrep, ai_txt, trust_txt
    url: str
    at: str                 # time of day on 10 August 2026
    status: int
    media: str
    body: bytes
    fields: list            # response header fields of interest, in order
    h2: bool = False        # HTTP/2: no reason phrase, names in lower case
    wire: str = "plain"     # how the body travelled: plain, gzip, chunked (Common Crawl stores it decoded)
    truncated: bool = False
    revisit: bool = False
    damaged: bool = False


PLAN = []


def add(subset, kind, where, at, hours, body, status=200, media=HTML, fields=(), h2=None, wire=None, **more):
    """Plan one capture. Without `at`, the time lies in one of `hours` (digits), always the same for one URL."""
    url = where if "://" in where else "https://" + where
    at = at or "0%s:%02d:%02d" % (hours[number(url + "h", len(hours))], number(url + "m", 60), number(url + "s", 60))
    h2 = (url.startswith("https:") and number(host_of(url), 3) > 0) if h2 is None else h2
    wire = wire or ("plain" if kind != "page" or status != 200 else ["plain", "gzip", "plain" if h2 else "chunked"][number(url, 3)])
    body = body.encode() if isinstance(body, str) else body
    PLAN.append(Capture(subset, kind, url, at, status, media, body, list(fields), h2, wire, **more))


def robots(host, body="", at=None, status=200, media=TEXT, **more):
    """A fetch of /robots.txt, between six and seven o'clock unless `at` is given: before all pages."""
    body = body if status == 200 else html("%d %s" % (status, REASONS[status]), words=8)
    add("robotstxt", "robots", host + "/robots.txt", at, "6", body, status, media if status == 200 else HTML, **more)


def redirect(subset, kind, where, location, at=None, status=301, fields=()):
    body = html("%d %s" % (status, REASONS[status]), body='<p><a href="%s">Here</a></p>\n' % location, words=3)
    add(subset, kind, where, at, "78", body, status, fields=[("Location", location), *fields])


def not_200(where, status, *fields, kind="page"):
    add("crawldiagnostics", kind, where, None, "78", html("%d %s" % (status, REASONS[status]), words=12), status, fields=fields)


def page(where, *fields, head="", body="", at=None, words=24, **more):
    """A page that was fetched with 200, at seven o'clock or later. `head` is HTML, `fields` are (name, value)."""
    title = where.split("://")[-1].rstrip("/")
    add("warc", "page", where, at, "78", more.pop("content", html(title, head, body, words)), fields=fields, **more)


def pages(host, paths):
    """Pages without any signal of their own."""
    for path in paths.split():
        page(host + path)


def site_file(kind, where, body, media=TEXT):
    """A site file other than robots.txt; the crawler met it like any page."""
    add("warc", kind, where, "06:%02d:30" % number(where, 60), "6", body, media=media)


def meta(name, content):
    return '<meta name="%s" content="%s">\n' % (name, content)


def crawl():
    # robots.txt: groups, longest match, wildcards
    robots("rep.example", "# Rules only, no preferences.\nUser-agent: *\nCrawl-delay: 5\nDisallow: /private/\nAllow: /private/press/\n"
           "Disallow: /*?sort=\nDisallow: /*.pdf$\nDisallow: /caf%C3%A9/   # two spellings, one path\nAllow: /$\n\n"
           "User-agent: ExampleBot\nUser-agent: OtherBot\nDisallow: /\n\nSitemap: https://rep.example/sitemap.xml\n")
    pages("rep.example", "/ /private/plan.html /private/press/note.html /list?sort=price /caf%c3%a9/menu.html /files/a.pdf.html")
    page("rep.example/files/a.pdf", ("X-Robots-Tag", "noindex"), media="application/pdf", content=b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n%%EOF\n")
    robots("closed-to-ai.example", "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: Google-Extended\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: *\nDisallow: /intern/\n")
    page("closed-to-ai.example/")
    robots("lints.test", "User-agent *\r\nDissallow: /old/\rDisallow /new/\nDisallow: relative.html\nNoindex: /x/\nthis line says nothing\n"
           "Disallow: /stop\x00here/\n\nUser-agent: GPTBot/1.1 (a version)\nDisallow: /\n")
    page("lints.test/old/one.html")

    # AIPREF: Content-Usage in robots.txt and as a header
    robots("aipref-robots.example", "User-agent: *\nAllow: /\nDisallow: /drafts/\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y, search=y\n"
           "Content-Usage: /open/poems/ bots=n\nContent-Usage: /drafts/ train-ai=y\nContent-Usage: /typo/ Train-AI=n\n"
           "Content-Usage: /same/ train-ai=y\nContent-Usage: /same/ train-ai=n\n\nUser-agent: ExampleBot\nContent-Usage: train-genai=n;note=\"ours\"\n")
    pages("aipref-robots.example", "/ /open/tools.html /open/poems/one.html /drafts/two.html /typo/three.html /same/four.html")
    robots("aipref-header.example", "User-agent: *\nContent-Usage: search=y\n")
    page("aipref-header.example/", ("Content-Usage", "train-ai=n"))
    page("aipref-header.example/twice.html", ("Content-Usage", "train-ai=n, search=y"), ("Cache-Control", "no-cache"), ("Content-Usage", "train-ai=y"), h2=True)
    for path, value in ("/conflict.html", "search=n"), ("/broken.html", "train-ai=n,"):
        page("aipref-header.example" + path, ("Content-Usage", value))
    page("aipref-header.example/older.html", ("Content-Usage", "tdm=n, ai=y, genai=n"), h2=False)

    # Short usage preferences; App-Directives
    robots("sup.example", "User-agent: *\nUsage: tdm=y, ai=n\nUsage: genai=y\nDisallow: /cart/\n\nUser-agent: ExampleBot\nusage: search=n   # and no more\n")
    page("sup.example/")
    page("sup.example/article/1.html", ("Content-Usage", "search=n, search=y"))
    robots("app.example", "User-agent: *\nAllow: /\nContent-Usage: train-ai=n\nApp-Directives: reader;offline=?1;excerpt=280, speaker;voice=calm\n"
           "App-Directives: /recipes/ speaker;rate=1.25;since=@1767225600\napp-directive: /recipes/ reader;cache=?0;credit=\"app.example\"\n"
           "App-Directives: /broken/ reader;=1\n")
    pages("app.example", "/ /recipes/soup.html /broken/")

    # robots tags: headers and metas
    robots("robots-tag.example", "User-agent: *\nDisallow:\n")
    page("robots-tag.example/", ("Robots-Tag", "*;noindex, ExampleBot;nosnippet"))
    page("robots-tag.example/both.html", ("Robots-Tag", "CCBot;nosnippet"), ("X-Robots-Tag", "noarchive"), h2=True)
    page("robots-tag.example/legacy.html", ("X-Robots-Tag", "noindex, nofollow"))
    page("robots-tag.example/agents.html", ("X-Robots-Tag", "googlebot: noarchive, nosnippet"), ("X-Robots-Tag", "ccbot: noindex"), ("X-Robots-Tag", "max-snippet:50"), h2=False)
    page("robots-tag.example/until.html", ("X-Robots-Tag", "unavailable_after: Thu, 31 Dec 2026 23:59:59 GMT, nosnippet"))
    page("robots-tag.example/photo.jpg", ("X-Robots-Tag", "noai, noimageai"), media="image/jpeg",
         content=b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9")
    robots("meta.example", "User-agent: *\nAllow: /\n")
    page("meta.example/agents.html", head=meta("googlebot", "nosnippet") + "<META CONTENT=noindex NAME=CCBot>\n")
    page("meta.example/sum.html", head=meta("ROBOTS", "NoIndex") + meta("robots", "index,,max-image-preview:large") + meta("robots", "nosnippet"))
    for name, content in ("robots", "noindex, nofollow"), ("noai", "noai, noimageai"), ("noml", "noml"):
        page("meta.example/%s.html" % name, head=meta("robots", content))
    page("meta.example/entities.html", head=meta("rob&#111;ts", "no&#97;i&#44; no&#x69;mageai"))
    page("meta.example/late.html", body=meta("robots", "noai") + meta("ccbot", "noindex"))
    page("meta.example/inert.html", head="<!-- %s -->\n<script>var m = '%s';</script>\n<style>/* %s */</style>\n" % (
        meta("robots", "noindex").strip(), meta("robots", "noai").strip(), meta("robots", "noml").strip()), body="<textarea>%s</textarea>\n" % meta("robots", "none"))

    # automation-preferences.txt
    robots("automation.example", "User-agent: *\nDisallow: /forms/secret/\n")
    site_file("automation", "automation.example/automation-preferences.txt", "# What automated clients may do here.\nscope: /\nallowed-methods: GET, HEAD\n\n"
              "scope: /forms/\nhost: automation.example\nallowed-methods: GET, POST\nallowed-purposes: search, archive\n\n"
              "scope: /forms/closed/\nhost: automation.example\nuser-agent: CCBot, ExampleBot\n")
    pages("automation.example", "/ /forms/order.html /forms/closed/inner.html /forms/secret/key.html")

    # signals of the live web
    robots("signal.example", "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n\nUser-agent: ExampleBot\nContent-Signal: ai-train=yes\n")
    page("signal.example/")
    page("signal.example/header.html", ("Content-Signal", "ai-input=no, search=yes"), media="text/markdown; charset=utf-8", content="# %s\n" % prose("markdown", 30))
    robots("signal-origin.example", "Content-Signal: ai-train=no, use=reference\n\nUser-agent: *\nContent-Signals: search=yes,ai-input=maybe\nDisallow: /account/\n")
    page("signal-origin.example/")
    robots("tdm.example", status=404)
    site_file("tdmrep", "tdm.example/.well-known/tdmrep.json", json.dumps([
        {"location": "/articles/*", "tdm-reservation": 1, "tdm-policy": "https://tdm.example/policy"},
        {"location": "/open/*", "tdm-reservation": 0}], indent=1) + "\n", "application/json")
    page("tdm.example/articles/header.html", ("TDM-Reservation", "0"))
    page("tdm.example/open/meta.html", ("TDM-Reservation", "0"), head=meta("tdm-reservation", "1") + meta("tdm-policy", "https://tdm.example/policy"))
    page("tdm.example/articles/file.html")
    page("tdm.example/essay.html", ("tdm-reservation", "1"), ("tdm-policy", "https://tdm.example/policy"))
    robots("rsl.example", "License: https://rsl.example/terms.xml\n\nUser-agent: *\nAllow: /\nLicense: https://rsl.example/group-terms.xml\n")
    page("rsl.example/", ("Link", '<https://rsl.example/terms.xml>; rel="license"; type="application/rsl+xml"'))
    robots("ai-training.example", "User-agent: *\nDisallowAITraining: /\nAllowAITraining: /press/\nAllow: /\n")
    pages("ai-training.example", "/ /press/kit.html")
    robots("trust.example", "User-agent: *\nDisallow:\n")
    site_file("trust_txt", "trust.example/trust.txt", "# An invented publisher.\nmember=https://association.example/\ncontact=mailto:desk@trust.example\ndatatrainingallowed=no\n")
    page("trust.example/news.html")
    robots("wellknown.example", status=404)
    site_file("trust_txt", "wellknown.example/.well-known/trust.txt", "datatrainingallowed=no\ndatatrainingallowed=yes\n")
    site_file("ai_txt", "wellknown.example/ai.txt", "# Hello, machine\n\nPlease read our handbook before you quote us. It is short.\n")
    page("wellknown.example/")
    robots("aitxt.example", "User-agent: *\nAllow: /\n")
    site_file("ai_txt", "aitxt.example/ai.txt", "# For those who train models.\nUser-Agent: *\nDisallow: *.jpg\nDisallow: /essays/\nAllow: *.txt\n")
    page("aitxt.example/essays/first.html")
    robots("managed.example", "# All rights in the texts and pictures of this site are reserved, text and data mining included\n"
           "# (Article 4 of Directive (EU) 2019/790). Ask before you train a model on them.\n\n# BEGIN Cloudflare Managed content\n"
           "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: Bytespider\nDisallow: /\n"
           "# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\nContent-Signal: ai-train=yes\n")
    page("managed.example/")

    # how /robots.txt was answered
    for where in ("soft404.example/ none.example/ http://down.example/ lost.example/ loop.test/ empty.example/ http://moved.example/closed/page.html "
                  "moved.example/open/page.html chain.example/tmp/a.html home.test/about.html bom.example/hidden/a.html cr.example/mac/a.html latin1.example/soci%E9t%E9/a.html").split():
        page(where)
    robots("soft404.example", html("Nothing at this address", words=40), media=HTML)
    robots("none.example", status=404)
    robots("forbidden.example", status=403)
    page("forbidden.example/", ("Content-Usage", "train-ai=n"))
    robots("down.example", status=503)
    robots("http://down.example", status=500)
    redirect("robotstxt", "robots", "http://moved.example/robots.txt", "https://moved.example/robots.txt", "06:10:00")
    robots("moved.example", "User-agent: *\nDisallow: /closed/\n", "06:10:02")
    redirect("robotstxt", "robots", "lost.example/robots.txt", "https://elsewhere.example/robots.txt", "06:20:00")
    redirect("robotstxt", "robots", "chain.example/robots.txt", "/policies/crawlers", "06:30:00", 302)
    redirect("robotstxt", "robots_hop", "chain.example/policies/crawlers", "https://www.chain.example/robots.txt", "06:30:01")
    robots("www.chain.example", "User-agent: *\nDisallow: /tmp/\n", "06:30:02")
    redirect("robotstxt", "robots", "home.test/robots.txt", "http://home.test", "06:40:00", 302)
    add("robotstxt", "robots_hop", "http://home.test", "06:40:01", "6", html("home.test"))
    redirect("robotstxt", "robots", "loop.test/robots.txt", "https://loop.test/robots.txt", "06:45:00", 302)
    robots("empty.example", "")
    robots("bom.example", b"\xef\xbb\xbfUser-agent: *\nDisallow: /hidden/\n")
    robots("cr.example", "# Old line ends\rUser-agent: *\rDisallow: /mac/\rContent-Usage: train-ai=n\r")
    robots("latin1.example", "# Vertraulich: gr\u00fcn\nUser-agent: *\nDisallow: /soci\u00e9t\u00e9/\n".encode("latin-1"), media="text/plain; charset=iso-8859-1", h2=False)

    # which copy was current
    robots("twice.example", "User-agent: *\nDisallow: /shop/\n", "06:15:00")
    robots("twice.example", "User-agent: *\nDisallow: /\nContent-Usage: train-ai=n\n", "08:45:00")
    for path, at in ("/", "07:30:00"), ("/shop/", "07:31:00"), ("/afterwards.html", "08:50:00"):
        page("twice.example" + path, at=at)
    robots("late.example", "User-agent: CCBot\nDisallow: /\n", "07:40:00")
    page("late.example/", at="07:39:00")
    page("example.com/")
    add("warc", "robots", "example.org/robots.txt", "06:50:00", "6", "User-agent: *\nDisallow: /closed/\n", media=TEXT)
    page("example.org/closed/")
    robots("http://example.net:8080", "User-agent: *\nDisallow: /\n", h2=False)
    robots("http://example.net", "User-agent: *\nAllow: /\n", h2=False)
    page("http://example.net:8080/")

    # forms of records: other media types, a cut page, a damaged member, not 200
    robots("types.example", "User-agent: *\nContent-Usage: search=y\n")
    page("types.example/data.json", ("Content-Usage", "train-ai=n"), media="application/json", content=b'{"lamp": "copper", "rooms": 3}\n')
    page("types.example/http2.html", ("X-Robots-Tag", "noarchive"), h2=True, wire="gzip")
    page("types.example/cut.html", content=html("types.example/cut.html", meta("robots", "noai"), words=400)[:2048], wire="gzip", truncated=True)
    page("types.example/damaged.html", head=meta("robots", "noai"), words=120, damaged=True)
    robots("gone.example", "User-agent: *\nAllow: /\n")
    redirect("crawldiagnostics", "page", "http://gone.example/", "https://gone.example/")
    redirect("crawldiagnostics", "page", "gone.example/old.html", "/now.html", fields=[("Content-Usage", "train-ai=n")])
    redirect("crawldiagnostics", "page", "gone.example/elsewhere.html", "https://example.com/", status=302)
    not_200("gone.example/missing.html", 404, ("X-Robots-Tag", "noindex"))
    not_200("gone.example/.well-known/trust.txt", 404, kind="trust_txt")
    not_200("aitxt.example/automation-preferences.txt", 404, kind="automation")
    add("crawldiagnostics", "page", "gone.example/same.html", None, "78", b"", 304, fields=[("ETag", '"1f-63a"'), ("Content-Usage", "train-ai=n")], revisit=True)


# --- records as Common Crawl writes them --------------------------------------------------------------------------

# What was written: the record's type, its bytes, and for a capture its kind and its body after decoding.
Record = collections.namedtuple("Record", "type data kind body damaged", defaults=(None, b"", False))


def uid(*names):
    return "<urn:uuid:%s>" % uuid.uuid5(uuid.NAMESPACE_URL, "sample-data/" + "/".join(names))


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def warc(fields, block):
    return ("WARC/1.0\r\n" + "".join("%s: %s\r\n" % f for f in fields) + "\r\n").encode() + block + b"\r\n\r\n"


def info_block(*lines):
    return "".join(line + "\r\n" for line in lines).encode()


def cc_record(kind, date, record_id, block, content_type, fields):
    return warc([("WARC-Type", kind), ("WARC-Date", date), ("WARC-Record-ID", record_id), ("Content-Length", len(block)),
                 ("Content-Type", content_type), *fields], block)


def cc_warcinfo(subset, name):
    block = info_block("isPartOf: CC-MAIN-2026-34", "publisher: nobody, the form is Common Crawl's", "description: Invented crawl of reserved hosts for tests",
                       "operator: none", "hostname: ip-192-0-2-1", "software: Apache Nutch 1.21 (imitated by generate.py)", "robots: checked via crawler-commons (imitated)",
                       "format: WARC File Format 1.1", "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
    return Record("warcinfo", cc_record("warcinfo", "2026-08-10T06:00:00Z", uid(subset, name), block, "application/warc-fields", [("WARC-Filename", name)]))


def cc_head(c):
    """The HTTP head as Common Crawl stores it: fields that the decoded body belies are renamed, the true length is added."""
    spell = str.lower if c.h2 else str
    length = [("Content-Length", len(c.body))]
    head = [("Date", "Mon, 10 Aug 2026 %s GMT" % c.at), ("Server", ["nginx", "Apache", "example-httpd/2"][number(host_of(c.url), 3)])]
    head += [("Content-Type", c.media)] if c.body else []
    head = [(spell(n), v) for n, v in head + c.fields]
    if c.wire == "gzip":
        head += [("X-Crawler-" + spell("Content-Encoding"), "gzip"), ("X-Crawler-" + spell("Content-Length"), len(c.body) // 3)] + length
    elif c.wire == "chunked":
        head += [("X-Crawler-Transfer-Encoding", "chunked")] + length
    elif not c.revisit:
        head += [(spell("Content-Length"), len(c.body))]
    status = "HTTP/1.1 %d %s" % (c.status, "" if c.h2 else REASONS[c.status])
    return "\r\n".join([status] + ["%s: %s" % f for f in head] + ["", ""]).encode()


def cc_capture(c, name):
    """Request, response (or revisit) and, outside robotstxt, metadata of one capture."""
    date, where = "2026-08-10T%sZ" % c.at, (c.subset, c.url, c.at)
    request_id, response_id = uid("request", *where), uid("response", *where)
    info = ("WARC-Warcinfo-ID", uid(c.subset, name))
    ip = ("WARC-IP-Address", "%s.%d" % (["192.0.2", "198.51.100", "203.0.113"][number(host_of(c.url), 3)], 1 + number(host_of(c.url) + "ip", 254)))
    target = ("WARC-Target-URI", c.url)
    protocol = [("WARC-Protocol", "h2" if c.h2 else "http/1.1")]
    if c.url.startswith("https:"):
        protocol += [("WARC-Protocol", "tls/1.3"), ("WARC-Cipher-Suite", "TLS_AES_128_GCM_SHA256")]
    path = "/" + c.url.split("/", 3)[3] if c.url.count("/") > 2 else "/"
    since = "If-Modified-Since: Sun, 12 Jul 2026 10:00:00 GMT\r\n" if c.revisit else ""
    request = ("GET %s HTTP/1.1\r\nUser-Agent: CCBot/2.0 (https://commoncrawl.org/faq/)\r\nAccept: text/html,*/*;q=0.8\r\n"
               "%sAccept-Encoding: br,gzip\r\nHost: %s\r\nConnection: Keep-Alive\r\n\r\n" % (path, since, host_of(c.url))).encode()
    yield Record("request", cc_record("request", date, request_id, request, "application/http; msgtype=request", [info, ip, target] + protocol))

    head = cc_head(c)
    fields = [info, ("WARC-Concurrent-To", request_id), ip, target] + protocol
    if c.revisit:
        fields += [("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified"), ("WARC-Refers-To", request_id),
                   ("WARC-Refers-To-Target-URI", c.url), ("WARC-Refers-To-Date", "2026-07-12T10:00:00Z")]
        yield Record("revisit", cc_record("revisit", date, response_id, head, "message/http", fields), c.kind)
    else:
        fields += [("WARC-Payload-Digest", sha1(c.body)), ("WARC-Block-Digest", sha1(head + c.body))]
        fields += [("WARC-Truncated", "length")] if c.truncated else []
        fields += [("WARC-Identified-Payload-Type", c.media.split(";")[0])] if c.body else []
        yield Record("response", cc_record("response", date, response_id, head + c.body, "application/http; msgtype=response", fields), c.kind, c.body, c.damaged)

    if c.subset != "robotstxt":
        lines = ["fetchTimeMs: %d" % (20 + number(c.url, 900))] + (["charset-detected: UTF-8"] if c.media.startswith("text/") and c.body else [])
        yield Record("metadata", cc_record("metadata", date, uid("metadata", *where), info_block(*lines, ""), "application/warc-fields",
                                           [info, ("WARC-Concurrent-To", response_id), target]))


def partition(url, count):
    """The file of a URL: (Hadoop's Text.hashCode & 0x7fffffff) % count, as Common Crawl deals records out."""
    h = 1
    for byte in url.encode():
        h = (31 * h + (byte - 256 if byte > 127 else byte)) & 0xFFFFFFFF
    return (h & 0x7FFFFFFF) % count


def cc_files():
    """Relative path -> records; inside a file in byte order of the URL, then by time."""
    crawl()
    files = {}
    for subset, count in FILES.items():
        for i in range(count):
            mine = [c for c in PLAN if c.subset == subset and partition(c.url, count) == i]
            mine.sort(key=lambda c: (c.url.encode(), c.at))
            path = "%s/%s/%s" % (SEGMENT, subset, NAME % i)
            files[path] = [cc_warcinfo(subset, NAME % i)] + [r for c in mine for r in cc_capture(c, NAME % i)]
    return files


# --- the second, local crawl: another writer's habits ---------------------------------------------------------------

# html() of http://local.test/ below, gzipped once and for all, so that no zlib build can change the content.
PACKED = base64.b64decode(
    "H4sIAAAAAAAAAFVQMW7DMAzc8wpWe2N0y2B7aTsnQ5eMtMU6QiXSkOgE/X0pWC3QiSDveHdk//R2fv24Xt7hpimOh74WiMjL4IhdHRB6K4kUYb5hLqSD2/Tz+VRRDRppjDJjPCoV7fpu"
    "H7UNxkSDyzKJFgezsBLbPktIuBCGqtE1i0n8dzV8+a9n/aFfx4uFIoUZ2UeCe5AYGB6BvTxgweyJf7EJy5cxG2XKwS8EZUuJMoRiMh4Mt5CwylyZK64G2W2TbBmSpTHNHO42LCr8t9zo"
    "ZqrWNdNms5dj3631onZKtz/1Bxn2qj9lAQAA")


def chunked(body, size):
    pieces = [body[i:i + size] for i in range(0, len(body), size)] + [b""]
    return b"".join(b"%X\r\n%s\r\n" % (len(p), p) for p in pieces)


class LocalCrawl:
    """Records as wget writes them: other field order, target in angle brackets (or not), bodies as they came."""

    def __init__(self, name, angle):
        self.name, self.angle, self.records, self.first = name, angle, [], {}
        self.add("warcinfo", "", 0, "application/warc-fields", info_block("software: Wget/1.20.3 (imitated by generate.py)",
                 "format: WARC File Format 1.0", "conformsTo: http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf"), [("WARC-Filename", name)])

    def add(self, record_type, url, second, content_type, block, fields=(), kind=None, body=b""):
        record_id = uid(self.name, record_type, url, str(second))
        head = [("WARC-Type", record_type), ("WARC-Record-ID", record_id)]
        if url:
            head += [("WARC-Warcinfo-ID", uid(self.name, "warcinfo", "", "0")), ("WARC-Target-URI", "<%s>" % url if self.angle else url)]
        head += [("WARC-Date", "2026-08-11T10:00:%02dZ" % second), *fields, ("WARC-Block-Digest", sha1(block)),
                 ("Content-Type", content_type), ("Content-Length", len(block))]
        self.records.append(Record(record_type, warc(head, block), kind, body))
        return record_id

    def fetch(self, url, second, body, *fields, status="200 OK", media=HTML, wire=None, kind="page"):
        """A request and its response; `wire` is what came over the line where it is not the body itself."""
        path = "/" + url.split("/", 3)[3]
        request = "GET %s HTTP/1.1\r\nUser-Agent: Wget/1.20.3 (linux-gnu)\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nHost: %s\r\nConnection: Keep-Alive\r\n\r\n" % (path, host_of(url))
        ip = ("WARC-IP-Address", "203.0.113.7")
        request_id = self.add("request", url, second, "application/http;msgtype=request", request.encode(), [ip])
        body = body.encode() if isinstance(body, str) else body
        payload = body if wire is None else wire
        head = [("Date", "Tue, 11 Aug 2026 10:00:%02d GMT" % second), ("Content-Type", media), *fields]
        if ("Transfer-Encoding", "chunked") not in fields:
            head.append(("Content-Length", len(payload)))
        head = ("HTTP/1.1 %s\r\n" % status + "".join("%s: %s\r\n" % f for f in head) + "\r\n").encode()
        together = [("WARC-Concurrent-To", request_id), ip, ("WARC-Payload-Digest", sha1(payload))]
        if url in self.first:
            profile = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
            together += [("WARC-Profile", profile), ("WARC-Refers-To", self.first[url]), ("WARC-Truncated", "length")]
            self.add("revisit", url, second, "application/http;msgtype=response", head, together, kind)
        else:
            self.first[url] = self.add("response", url, second, "application/http;msgtype=response", head + payload, together, kind, body)


def local_site():
    crawl, front = LocalCrawl("site.warc", angle=True), zlib.decompress(PACKED, 31)
    assert front == html("local.test/", meta("robots", "noimageai"))
    by_chunks = ("Transfer-Encoding", "chunked")
    rules = b"User-agent: *\nDisallow: /cellar/\nContent-Usage: train-ai=n\nContent-Signal: search=yes\n"
    about = html("local.test/about.html", meta("tdm-reservation", "1"))
    crawl.add("response", "dns:local.test", 1, "text/dns", b"20260811100001\nlocal.test.\t300\tIN\tA\t203.0.113.7\n")
    crawl.fetch("http://local.test/robots.txt", 2, rules, by_chunks, media="text/plain", wire=chunked(rules, 30), kind="robots")
    crawl.fetch("http://local.test/", 3, front, ("Content-Encoding", "gzip"), wire=PACKED)
    crawl.fetch("http://local.test/about.html", 4, about, by_chunks, ("Content-Usage", "search=y"), wire=chunked(about, 200))
    crawl.fetch("http://local.test/again.html", 5, front, ("Content-Encoding", "gzip"), by_chunks, wire=chunked(PACKED, 100))
    crawl.fetch("http://local.test/cellar/list.json", 6, '["jam", "coal"]\n', ("X-Robots-Tag", "noindex"), media="application/json")
    crawl.fetch("http://local.test/about.html", 7, about, by_chunks, ("Content-Usage", "search=n"), wire=chunked(about, 200))
    crawl.add("resource", "http://local.test/lamp.svg", 8, "image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>\n')
    return crawl.records


def local_whole():
    crawl = LocalCrawl("whole.warc.gz", angle=False)
    crawl.fetch("http://whole.test/robots.txt", 1, "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nUsage: ai=n\n", media="text/plain", kind="robots")
    crawl.fetch("http://whole.test/ai.txt", 2, "User-Agent: *\nDisallow: /\n", media="text/plain", kind="ai_txt")
    crawl.fetch("http://whole.test/trust.txt", 3, html("404 Not Found", words=6), status="404 Not Found", kind="trust_txt")
    crawl.fetch("http://whole.test/", 4, html("whole.test/", meta("robots", "noml")))
    crawl.fetch("http://whole.test/moved.html", 5, "", ("Location", "http://whole.test/"), status="302 Found")
    return crawl.records


# --- files and expectations -----------------------------------------------------------------------------------------

FLIPPED = 8
GZIP_HEAD = bytes.fromhex("1f8b0800000000000000")   # as Java's GZIPOutputStream writes it: no time, no system


def gzip(data):
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    return GZIP_HEAD + deflate.compress(data) + deflate.flush() + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def flip(member, at):
    return member[:at] + bytes(b ^ 0xFF for b in member[at:at + FLIPPED]) + member[at + FLIPPED:]


def damage(member):
    """Flip bytes near the middle, at the first place where a reader must notice within the member."""
    for at in range(len(member) // 2, len(member) - 8 - FLIPPED):
        try:
            zlib.decompressobj(31).decompress(flip(member, at))
        except zlib.error:
            return flip(member, at), at
    raise AssertionError("no place to damage")


def build():
    """Relative path -> (bytes, expectation); the expectation is counted from the plan, not from the bytes."""
    archives = cc_files()
    archives["local/site.warc"], archives["local/whole.warc.gz"] = local_site(), local_whole()
    out = {}
    for path, records in archives.items():
        more = {}
        if path.startswith("local/"):
            data = b"".join(r.data for r in records)
            data = gzip(data) if path.endswith(".gz") else data
        else:
            data = b""
            for r in records:
                member, at = damage(gzip(r.data)) if r.damaged else (gzip(r.data), None)
                if r.damaged:
                    more["damaged"] = {"offset": len(data), "length": len(member), "flipped_at": len(data) + at, "flipped_bytes": FLIPPED}
                data += member
        seen = [r for r in records if not r.damaged]
        out[path] = data, {
            "bytes": len(data), "records": count(r.type for r in seen), "captures": count(r.kind for r in seen if r.kind),
            "records_lost": len(records) - len(seen), "distinct_site_file_bodies": len({r.body for r in seen if r.kind not in (None, "page") and r.body}), **more}
    for name, subset in LISTS.items():
        lines = "".join("%s/%s/%s\n" % (SEGMENT, subset, NAME % i) for i in range(FILES[subset]))
        out[name] = gzip(lines.encode()), None
    return out


def count(words):
    return dict(sorted(collections.Counter(words).items()))


# --- reading back, for --check: knows nothing of the plan -----------------------------------------------------------

def members(data):
    """The content of each gzip member; None for one that cannot be read."""
    if not data.startswith(b"\x1f\x8b"):
        return [data]
    out, pos = [], 0
    while pos < len(data):
        try:
            inflate = zlib.decompressobj(31)
            out.append(inflate.decompress(data[pos:]))
            pos = len(data) - len(inflate.unused_data)
        except zlib.error:
            out.append(None)
            pos = data.index(GZIP_HEAD, pos + 1)
    return out


def fields_of(head):
    pairs = [line.split(b":", 1) for line in head.split(b"\r\n")[1:]]
    return {name.decode().lower(): value.strip().decode() for name, value in pairs}


def body_of(block):
    head, _, body = block.partition(b"\r\n\r\n")
    http = fields_of(head)
    if http.get("transfer-encoding") == "chunked":
        plain, (size, _, body) = b"", body.partition(b"\r\n")
        while int(size, 16):
            plain, body = plain + body[:int(size, 16)], body[int(size, 16) + 2:]
            size, _, body = body.partition(b"\r\n")
        body = plain
    return zlib.decompress(body, 31) if http.get("content-encoding") == "gzip" else body


def kind_of(url, subset):
    path = re.sub(r"^https?://[^/?#]*", "", url)
    names = {"/robots.txt": "robots", "/automation-preferences.txt": "automation", "/.well-known/tdmrep.json": "tdmrep",
             "/ai.txt": "ai_txt", "/trust.txt": "trust_txt", "/.well-known/trust.txt": "trust_txt"}
    return "robots_hop" if subset == "robotstxt" and path != "/robots.txt" else names.get(path, "page")


def recount(path, data):
    types, kinds, bodies, lost = [], [], set(), 0
    for content in members(data):
        lost += content is None
        while content:
            head, _, rest = content.partition(b"\r\n\r\n")
            assert head.startswith(b"WARC/1.0\r\n"), head[:80]
            f = fields_of(head)
            block, end, content = rest[:int(f["content-length"])], rest[int(f["content-length"]):][:4], rest[int(f["content-length"]) + 4:]
            assert end == b"\r\n\r\n", f
            types.append(f["warc-type"])
            url = f.get("warc-target-uri", "").strip("<>")
            if f["warc-type"] in ("response", "revisit") and re.match("https?://", url) and block.startswith(b"HTTP/1."):
                kind = kind_of(url, path.split("/")[-2])
                kinds.append(kind)
                if kind != "page" and body_of(block):
                    bodies.add(body_of(block))
    return {"bytes": len(data), "records": count(types), "captures": count(kinds), "records_lost": lost, "distinct_site_file_bodies": len(bodies)}


def check(out):
    expected = json.loads((HERE / "expected.json").read_text())["files"]
    errors = [] if set(expected) == {p for p, (_, e) in out.items() if e} else ["expected.json lists other files"]
    for path, (data, planned) in out.items():
        disk = (HERE / path).read_bytes()
        if planned is None:
            errors += [] if members(disk) == members(data) else [path + ": other content"]
            continue
        there = expected[path]
        plain = ("records", "captures", "records_lost", "distinct_site_file_bodies")
        if any(there[k] != planned[k] for k in plain):
            errors.append("%s: expected.json says %s, the plan %s" % (path, there, planned))
        found = recount(path, disk)
        if any(there[k] != found[k] for k in plain + ("bytes",)):
            errors.append("%s: expected.json says %s, the file %s" % (path, there, found))
        if "damaged" in planned:    # compared as it was before the damage
            disk, data = flip(disk, there["damaged"]["flipped_at"]), flip(data, planned["damaged"]["flipped_at"])
        if members(disk) != members(data) or None in members(disk):
            errors.append(path + ": other content than generated")
    print("\n".join(errors) or "sample-data: %d files as planned" % len(out))
    return 1 if errors else 0


def main():
    out = build()
    if sys.argv[1:] == ["--check"]:
        return check(out)
    for path, (data, _) in out.items():
        (HERE / path).parent.mkdir(parents=True, exist_ok=True)
        (HERE / path).write_bytes(data)
    expected = {"files": {path: numbers for path, (_, numbers) in out.items() if numbers}}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
