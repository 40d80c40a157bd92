"""Lines of a robots.txt that were meant as rules and that nobody can read (ACCT-4), by a plain reading of that rule.

Who may fetch what is unknown in such a file, instead of allowed, and its site is not among those that answer.
"""
import re

MARKS = re.compile(rb"^(?:\xef\xbb\xbf|\xe2\x80\x8b)+")
"""U+FEFF and U+200B at the beginning of a line are skipped."""
DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
RULES = ("useragent", *DISALLOW)
SYSTEMS = ("contentusage", "usage", "contentsignal", "aipreference", "disallowaitraining", "allowaitraining", "license")
READ = (b"user-agent", b"useragent", b"user agent", b"allow", *(name.encode() for name in DISALLOW))
RULE_INSIDE = re.compile(rb"(?<![0-9a-z])(?:user-agent|disallow)\s*:\s*\S", re.I)


def letters(word):
    """The ASCII letters of a word."""
    return re.sub(rb"[^a-z]", b"", word.lower())[:32].decode()


def is_read(text):
    """Whether a line is a record, or a rule whose colon is a blank."""
    name, colon, value = text.partition(b":")
    name = name.strip().lower()
    if not colon:
        return bool(re.fullmatch(rb"(?:" + b"|".join(READ) + rb")\s+\S+", text, re.I))
    if name in READ:
        return "agent" not in letters(name) or not RULE_INSIDE.search(value)
    return bool(re.fullmatch(rb"[0-9a-z._-]+", name)) and letters(name) not in ("useragent", "disallow")


def is_near_miss(line):
    text = MARKS.sub(b"", line).split(b"#")[0].strip()
    if not text or is_read(text):
        return False
    first, second = [*filter(None, map(letters, re.split(rb"[\s:=]", text))), "", ""][:2]
    if first.startswith(RULES) or first == "user" and (first + second).startswith(RULES):
        return True
    return bool(re.search(rb"[:=]", text)) and (first.startswith(SYSTEMS) or bool(RULE_INSIDE.search(text)))


def near_misses(body):
    """The numbers of the lines of a robots.txt that are near misses."""
    return [number for number, line in enumerate(re.split(rb"\r\n|\r|\n", body), 1) if is_near_miss(line)]
