"""Lines of a robots.txt that were meant as rules and that nobody can read (ACCT-4), by a plain reading of that rule.

Who may fetch what is unknown in such a file, instead of allowed, and its site is not among those that answer.
"""
import functools
import re
import string

MARKS = re.compile(rb"^(?:\xef\xbb\xbf|\xe2\x80\x8b)+")
"""U+FEFF and U+200B at the beginning of a line are skipped."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TWICE_ENCODED = b"\xc3\xaf\xc2\xbb\xc2\xbf"
"""A byte order mark that was encoded twice (READ-23)."""
DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
RULES = ("useragent", *DISALLOW)
SYSTEMS = ("contentusage", "usage", "contentsignal", "aipreference", "disallowaitraining", "allowaitraining", "license")
READ = (b"user-agent", b"useragent", b"user agent", b"allow", *(name.encode() for name in DISALLOW))
EXTENSIONS = (b"content-usage", b"usage", b"app-directives", b"app-directive")
NAMED = re.compile(rb"([0-9a-z_-]*)\s*:(?=\s*\S)", re.I)
"""A word with a colon and a value behind it."""
MARKUP = re.compile(rb"<(?:/|br)[^<]*>$", re.I)


def without_marks(body):
    """A body without the byte order mark at its start, also one that was encoded twice (READ-23)."""
    return body.removeprefix(TWICE_ENCODED).removeprefix(BYTE_ORDER_MARK)


def slips(word):
    """A word, and what it is with one letter missing, too much or another, or with two that changed places."""
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(left + letter + right for left, right in halves for letter in string.ascii_lowercase),
        *(left + right[1:] for left, right in halves if right),
        *(left + letter + right[1:] for left, right in halves if right for letter in string.ascii_lowercase),
        *(left + right[1] + right[0] + right[2:] for left, right in halves if len(right) > 1),
    }


SLIPS = slips("useragent") | slips("disallow") | {"disallowed", "disallowall"}
INVISIBLE = string.whitespace + "\u00a0\u3000\u2060\ufeff\ufffd" + "".join(map(chr, range(0x2000, 0x2010)))


def is_odd_root(value):
    """Whether the value of a disallow line closes everything in another spelling."""
    text = value.decode("utf-8", "replace")
    if len(value) > 16 or text in ("", "/") or text[0] == "*":
        return False
    if text[0] == "/":
        return not text[1:].strip(INVISIBLE + ";,\"'")
    bare = text.strip(INVISIBLE + "\"'`[](){}<>;,:^\u2018\u2019\u201c\u201d")
    return bare != text and bare in ("/", "/*", "*") or bare.lower() in ("all", "any", "everything", "\uff0f")


def letters(word):
    """The ASCII letters of a word."""
    return re.sub(rb"[^a-z]", b"", word.lower())[:32].decode()


def named(text):
    """The words with a colon and a value behind them, and whether an escaped line end is before each."""
    for match in NAMED.finditer(text):
        mark, word = text[max(match.start() - 1, 0):match.start()], match[1]
        end = re.match({b"%": rb"0[ad]", b"\\": rb"[nr]"}.get(mark, b"(?!)"), word, re.I if mark == b"%" else 0)
        yield (word[end.end():], True) if end else (word, False)


def is_rule(word):
    return word.lower().endswith((b"user-agent", *(name.encode() for name in DISALLOW)))


def is_line(word):
    return is_rule(word) or letters(word).startswith(SYSTEMS)


def holds_lines(value):
    """Whether other lines may be in a value: behind blanks, or behind escaped line ends."""
    return bool(re.search(rb"[ \t]", value)) and b":" in value or any(escaped for _, escaped in named(value))


def is_near_miss(text):
    """Whether a line without its comment was meant as a rule and cannot be read."""
    name, colon, value = text.partition(b":")
    name, value = name.strip().lower(), value.strip()
    blank = re.fullmatch(rb"(?:" + b"|".join(READ) + rb")\s+(\S+)", text, re.I) if not colon else None
    if blank or colon and name in (*READ, *EXTENSIONS):
        value = blank[1] if blank else value
        if text.lower().startswith(tuple(word.encode() for word in DISALLOW)) and is_odd_root(value):
            return True
        return bool(MARKUP.search(value)) or holds_lines(value) and any(is_line(word) for word, _ in named(value))
    if colon and re.fullmatch(rb"[0-9a-z._-]+", name) and letters(name) not in SLIPS:
        is_of_system = letters(name).startswith(SYSTEMS)
        rules = holds_lines(value) and any(is_rule(word) for word, _ in named(value))
        return rules or is_of_system and bool(MARKUP.search(value))
    return begins_as_line(text)


def begins_as_line(text):
    """Whether a text that is no record begins as a line."""
    first, second = [*filter(None, map(letters, re.split(rb"[\s:=]", text))), "", ""][:2]
    if any(word.startswith(RULES) or word in SLIPS for word in (first, first + second if first == "user" else "")):
        return True
    return bool(re.search(rb"[:=]", text)) and (
        first.startswith(SYSTEMS) or any(is_rule(word) for word, _ in named(text))
    )


def behind_line_ends(line):
    """What is behind each escaped line end."""
    return re.split(rb"(?i:%0[ad])|\\[nr]", line)[1:] if b"%0" in line or b"\\" in line else ()


def is_in_comment(comment, has_groups):
    """Whether lines are in a comment, behind escaped line ends or, where there are no groups, behind blanks."""
    words = list(named(comment))
    agents = [at for at, (word, _) in enumerate(words) if word.lower().endswith(b"user-agent")]
    is_file = not has_groups and agents and any(is_line(word) for word, _ in words[agents[0] + 1:])
    return bool(is_file) or any(escaped and is_line(word) for word, escaped in words)


OF_NAMED = re.compile(rb"user-?agent\s*:\s*+(?!\*).+?(?:dis)?allow\s*:", re.I)
AGENT = re.compile(rb"user-?agent\s*:", re.I)


@functools.cache
def doubts_for_all(body):
    """The near misses that are a doubt for every agent: not those that name agents of which nobody asks (KNOW-10)."""
    lines = re.split(rb"\r\n|\r|\n", body.removeprefix(TWICE_ENCODED))
    return [
        number for number in near_misses(body)
        if not OF_NAMED.match(lines[number - 1].strip()) or number > 1 and AGENT.match(lines[number - 2].strip())
    ]


@functools.cache
def near_misses(body):
    """The numbers of the lines of a robots.txt that are near misses."""
    lines = [(line, *MARKS.sub(b"", line).partition(b"#")) for line in re.split(rb"\r\n|\r|\n", body.removeprefix(TWICE_ENCODED))]
    texts = [text.strip() for _, text, _, _ in lines]
    has_groups = any(re.match(rb"(?:user-agent|useragent|user agent)\s*:|user-?agent\s+\S+$", text, re.I) for text in texts)
    return [
        number
        for number, (text, (line, _, _, comment)) in enumerate(zip(texts, lines, strict=True), 1)
        if text and is_near_miss(text)
        or comment and is_in_comment(comment, has_groups)
        or any(map(begins_as_line, behind_line_ends(line)))
    ]
