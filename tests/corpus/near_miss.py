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


def has_pattern(text):
    """Whether a star is beside a mark of a path or a query, or a dollar ends a text that has such a mark."""
    return bool(re.search(r"\*[/=?&.]|[/=?&.]\*", text) or text.endswith("$") and re.search("[/=?&.]", text))


def path_of(value):
    """The path of a rule: what is behind a blank is a remark, if it does not go on as a pattern (ACCT-9)."""
    first, *rest = value.split()[:2] or [value]
    if not rest:
        return first
    goes_on = rest[0][0] in "$%" or rest[0][0] == "*" and has_pattern(rest[0])
    is_word = first in ("/", "/*") and len(value.split()) == 2 and re.match(r"[\w?&=.-]", rest[0]) and "://" not in rest[0]
    return "".join(value.split()) if goes_on or is_word and has_pattern(rest[0]) else first


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
    """The near misses that are a doubt for every agent: not those that name agents of which nobody asks (KNOW-10), and none in a
    file in which what they close is known (ACCT-14)."""
    if not is_lost(body):
        return []
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


NAMES = re.compile(rb"(?:user-?agent|(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw|allow)|sitemap|crawl-delay|host)\s*:(?=\s*\S)", re.I)
"""Names of lines that may be joined in one."""
KNOWN = re.compile(rb"(?:user-?agent|user agent|(?:dis)?allow|dissallow|dissalow|disalow|diasllow|disallaw|sitemaps?|crawl-?delay|host|noindex|request-rate|visit-time|clean-param|robot-version)\s*(?::|\s)", re.I)
TAG = re.compile(rb"(?<!:)<[a-z/!][^<>]*>", re.I)


def mended(piece):
    """A piece of a line as a rule; None if its part in a rule is not known."""
    piece = re.sub(rb"[\x00-\x08\x0e-\x1f\x7f]", b"", piece).strip()
    name, _, value = piece.partition(b":")
    if KNOWN.match(piece + b" "):
        value = value.strip() if b":" in piece else piece.split(None, 1)[-1]
        if re.match(rb"dis|dia", piece, re.I):
            return closed(value)
        if re.match(rb"user", piece, re.I):
            value = value.strip(b" ,;|&")
            return None if is_unclear(value) else b"User-agent: " + value
        return piece
    found = re.match(rb"[^a-z]*?([a-z\x80-\xff_-]+(?: agents?)?)(.*)", piece, re.I | re.S)
    if not found or not letters(found[1]):
        return b""
    word, value = letters(found[1]), found[2].removeprefix("\uff1a".encode()).strip(b" \t:;=\"'`")
    if word.startswith("useragent") or word in SLIPS - slips("disallow"):
        return None if is_unclear(value) else b"User-agent: " + value
    if word.startswith(DISALLOW) or word in SLIPS:
        return closed(value or b"/")
    return None


def is_unclear(value):
    """Whether a value has the name of a rule, or marks of what is around it."""
    return bool(re.search(rb"allow|useragent", re.sub(rb"[^a-z]", b"", value.lower())) or re.search(rb"[][(){}<>\"'`\\|;\x80-\xff]", value))


def closed(value):
    """A disallow line; what it may mean beside its path is closed as well."""
    value = b"/" if is_odd_root(value) else value
    if is_unclear(value):
        return None
    first = re.split(rb"[ \t]", value)[0].rstrip(b";,\"'\\")
    return b"\n".join(b"Disallow: " + path + (b"" if path.endswith(b"$") or path[:1] not in (b"/", b"*") else b"*") for path in {first, value})


@functools.cache
def rewritten(body):
    """The file with its near misses as the rules that they were meant as (ACCT-14); None where that is not known of one of them."""
    misses = set(near_misses(body))
    written = []
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", without_marks(body)), 1):
        if number not in misses:
            written.append(line)
            continue
        parts = re.split(rb"(?i:%0[ad])|\\[nr]", MARKS.sub(b"", line))
        in_comment = len(parts) == 1 and not is_near_miss(line.partition(b"#")[0].strip())
        for part in parts:
            text = part if in_comment else part.partition(b"#")[0]
            for piece in re.split(rb"\n|\x0b|\x0c", TAG.sub(b"\n", text)):
                starts = [0, *(match.start() for match in NAMES.finditer(piece)), len(piece)]
                if len(parts) > 1 and len(starts) == 2:
                    written.append(piece)
                    continue
                pieces = [piece[start:end] for start, end in zip(starts, starts[1:])]
                for rule in map(mended, pieces[1:] if in_comment else pieces):
                    if rule is None:
                        return None
                    written.append(rule)
    text = b"\n".join(written)
    texts = [line.partition(b"#")[0].strip() for line in re.split(rb"\r\n|\r|\n", text)]
    others = [line for line in texts if b":" in line and not KNOWN.match(line)]
    return None if near_misses(text) or others else text


def is_lost(body):
    """Whether a line of a file that cannot be read may close anything to anybody."""
    return bool(near_misses(body)) and rewritten(body) is None
