//! `explain`: one decision from flags or tables, or scenarios from standard input.

mod flags;
mod judged;
mod page;
mod requests;
mod subject;
pub mod text;

use super::args::{Colour, ExplainArgs};
use crawlprefs::explain::{explain, json};
use crawlprefs::store::Places;
pub use judged::judged;
use serde_json::Value;
use std::io::{self, BufRead, IsTerminal, Write};
use text::Colours;

/// Answers scenarios, one a line; returns how many were answered with an error.
pub fn lines() -> io::Result<usize> {
    let mut out = io::stdout().lock();
    let mut errors = 0;
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = json::explain_line(&line);
        errors += usize::from(answer.get("error").is_some());
        writeln!(out, "{}", json::line(&answer))?;
    }
    Ok(errors)
}

/// Explains the page of the flags, as text or as JSON.
pub fn one(args: &ExplainArgs, url: &str, places: &Places) -> Result<String, String> {
    let args = &subject::with_subject(args, places)?;
    if args.json {
        return Ok(json::line(&answer(args, url, places)?) + "\n");
    }
    let scenario = flags::scenario(args, url, places)?;
    let page = explain(&scenario).page.ok_or_else(|| not_web(url))?;
    Ok(page::text(&page, &args.method, colours(args.color)))
}

/// Returns the explanation of the page of the flags, with the keys of `--json`.
pub fn answer(args: &ExplainArgs, url: &str, places: &Places) -> Result<Value, String> {
    let args = &subject::with_subject(args, places)?;
    let scenario = flags::scenario(args, url, places)?;
    let explanation = explain(&scenario);
    let answer = explanation.page.as_ref().map(|_| json::answer(&Value::Null, &explanation));
    answer.ok_or_else(|| not_web(url))
}

fn not_web(url: &str) -> String {
    format!("{url}: expected an http or https URL, such as https://a.example/page")
}

/// `NO_COLOR`, see no-color.org: set and not empty.
pub fn colours(colour: Colour) -> Colours {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match colour {
        Colour::Always => Colours::On,
        Colour::Auto if io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb() => Colours::On,
        Colour::Auto | Colour::Never => Colours::Off,
    }
}
