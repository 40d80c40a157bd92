//! `explain`: one decision from flags or tables, or scenarios from standard input.

mod given;
mod page;
mod paper;
mod requests;

use super::args::{Colour, ExplainArgs};
use crawlprefs::explain::explain;
use paper::Ink;
use serde_json::{Value, json};
use std::io::{self, BufRead, IsTerminal, Write};

/// Answers scenarios, a line each; a line that is no JSON is answered with an error.
pub fn lines() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Value>(&line) {
            Ok(scenario) => explain(&scenario),
            Err(error) => json!({ "id": null, "error": format!("not JSON: {error}") }),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

/// Answers what the flags tell about a page, for a person or as JSON.
pub fn one(args: &ExplainArgs, url: &str) -> Result<String, String> {
    let answer = explain(&given::scenario(args, url)?);
    match answer["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None if args.json => Ok(format!("{answer}\n")),
        None => Ok(page::page(&answer, &args.method, ink(args.color))),
    }
}

/// `NO_COLOR`, see no-color.org: set and not empty.
fn ink(colour: Colour) -> Ink {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match colour {
        Colour::Always => Ink::Colour,
        Colour::Auto if io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb() => Ink::Colour,
        Colour::Auto | Colour::Never => Ink::Black,
    }
}
