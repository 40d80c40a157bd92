//! Lines of a robots.txt that were meant as rules and cannot be read (RULES ACCT-4).
//!
//! Examples: `- Disallow: /`, `"User-agent: GPTBot"`, `Disallow; /`, a name with a control byte. Who may fetch what is not
//! known then, and nothing is allowed.
//! Left out: what RFC 9309's readers take for a rule (`robots`), and typos that are read.

use crate::robots::RobotsTxt;
use crate::systems::SYSTEMS;

/// Returns the numbers of the lines that cannot be read and begin as a rule, or as a line of a system.
pub fn near_misses(robots: &RobotsTxt) -> Vec<u32> {
    robots.near_misses(|letters| {
        let names = || SYSTEMS.iter().flat_map(|system| system.about().lines.names);
        // A name is compared by its letters alone.
        names().any(|name| begins_as(letters, name))
    })
}

fn begins_as(letters: &[u8], name: &str) -> bool {
    let name = name.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.to_ascii_lowercase());
    let mut letters = letters.iter().copied();
    name.into_iter().all(|byte| letters.next() == Some(byte))
}
