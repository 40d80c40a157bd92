//! What commands write on standard output.
//!
//! Left out: the log on standard error, see `log`.

use crawlprefs::web::shown::visible;
use std::io::{self, Write};

/// Writes text made for people, in which nothing that others wrote may reach a terminal as it is.
pub fn print(text: &str) -> io::Result<()> {
    let lines: String = text.split_inclusive('\n').map(line).collect();
    print_bytes(lines.as_bytes())
}

/// Writes bytes as they are.
///
/// # Errors
/// As [`print`].
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Prints help, a version, or what is wrong with the arguments; returns the exit status.
///
/// # Errors
/// As [`print`].
pub fn print_usage(error: &clap::Error) -> io::Result<u8> {
    let text = error.render().to_string();
    let escaped: String = text.split_inclusive('\n').map(line).collect();
    if escaped == text {
        error.print()?;
    } else {
        // If standard error is closed, the status says it.
        drop(io::stderr().write_all(escaped.as_bytes()));
    }
    io::stdout().flush()?;
    Ok(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn line(text: &str) -> String {
    let (line, end) = text.strip_suffix('\n').map_or((text, ""), |line| (line, "\n"));
    visible(line).into_owned() + end
}
