crawlprefs completions fish | source
