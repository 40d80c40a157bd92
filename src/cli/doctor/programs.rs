//! Other programs: DuckDB, which the queries need.

use super::finding::Finding;
use std::process::Command;

/// The queries are written for this version and later ones.
const DUCKDB: (u32, u32) = (1, 5);

/// Returns which DuckDB is in the search path.
pub fn duckdb() -> Finding {
    const INSTALL: &str = "for the queries: pip install duckdb-cli (1.5 or newer)";
    let Ok(output) = Command::new("duckdb").arg("--version").output() else {
        return Finding::odd("DuckDB", "not in the search path", INSTALL);
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.split_whitespace().next().unwrap_or_default();
    match version(found) {
        Some(version) if version >= DUCKDB => Finding::good("DuckDB", found),
        Some(_) => Finding::odd("DuckDB", found, INSTALL),
        None => Finding::odd("DuckDB", "its version is not known", INSTALL),
    }
}

/// Reads a version such as `v1.5.2`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix('v').unwrap_or(text).split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn local_versions_are_compared_by_numbers() {
        assert_eq!(version("v1.10.0"), Some((1, 10)));
        assert_eq!(version("1.5-dev3"), Some((1, 5)));
        assert!(version("v1.10.0") > version("v1.5.0"));
        assert_eq!(version(""), None);
        assert_eq!(version("v1"), None);
    }
}
