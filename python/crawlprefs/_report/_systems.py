"""Names for readers of systems and site files. Made from the systems in the code by tests/generated."""

SYSTEMS = {
    "robots": "robots.txt",
    "aipref": "AIPREF",
    "app_directives": "App-Directives",
    "automation_preferences": "automation",
    "robots_tag": "robots tags",
    "sup": "SUP",
    "content_signal": "Content-Signal",
    "ai_training": "AI training",
    "rsl": "RSL",
    "pay_per_crawl": "pay per crawl",
    "prose": "prose",
    "tdmrep": "TDMRep",
    "trust_txt": "trust.txt",
    "ai_txt": "ai.txt",
    "ai_disclosure": "AI-Disclosure",
}
"""The systems by their names in the tables, as `crawlprefs schema --systems` names them."""

SITE_FILES = {
    "robots": "robots.txt",
    "automation": "automation-preferences.txt",
    "tdmrep": "tdmrep.json",
    "ai_txt": "ai.txt",
    "trust_txt": "trust.txt",
}
"""The names of site files by their kinds, which are carriers of statements."""
