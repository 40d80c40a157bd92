//! The lists in the program, which age: the agents table and the suffix list.

use super::finding::Finding;
use crawlprefs::verdict::AgentsTable;
use crawlprefs::web::suffix_list;
use crawlprefs::web::timestamp::Timestamp;

const SECONDS_PER_DAY: u64 = 86_400;
/// New crawlers appear every month.
const AGENTS_DAYS: u64 = 180;
/// New suffixes seldom matter.
const SUFFIXES_DAYS: u64 = 730;

/// Returns how old each list is, at a time in seconds since 1970.
pub fn lists(now: u64) -> [Finding; 2] {
    let agents = AgentsTable::bundled();
    [
        finding(
            "agents table",
            agents.version().unwrap_or_default(),
            now,
            AGENTS_DAYS,
            "use a newer release, or give --agents a table with the crawlers of today (docs/agents.md)",
        ),
        finding("suffix list", suffix_list::version(), now, SUFFIXES_DAYS, "use a newer release"),
    ]
}

fn finding(topic: &'static str, version: &str, now: u64, most_days: u64, advice: &str) -> Finding {
    let Some(date) = version.get(..10).and_then(|date| Timestamp::new(date.as_bytes())) else {
        return Finding::odd(topic, format!("version {version}, of no known date"), advice);
    };
    let then = date.unix_micros().unsigned_abs() / 1_000_000;
    let Some(days) = now.checked_sub(then).map(|seconds| seconds / SECONDS_PER_DAY) else {
        let found = format!("version {version}, which is later than today");
        return Finding::odd(topic, found, "set this machine's clock");
    };
    let age = match days {
        0 => "of today".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    };
    let found = format!("version {version}, {age}");
    if days > most_days { Finding::odd(topic, found, advice) } else { Finding::good(topic, found) }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::{SECONDS_PER_DAY, finding, lists};

    /// 2026-11-22 at noon.
    const NOW: u64 = 1_795_348_800;

    #[test]
    fn local_a_list_is_as_old_as_its_version_says() {
        let state = |version: &str| finding("list", version, NOW, 180, "renew it").state;
        assert_eq!(state("2026-11-22"), State::Good);
        assert_eq!(state("2026-05-27_08-36-41_UTC"), State::Good);
        assert_eq!(state("2026-05-25"), State::Odd);
        assert_eq!(state("2027-01-01"), State::Odd);
        assert_eq!(state(""), State::Odd);
        let text = finding("list", "2026-11-20", NOW, 180, "renew it").text();
        assert!(text.contains("version 2026-11-20, 2 days old"), "{text}");
    }

    #[test]
    fn local_the_lists_in_the_program_have_dates() {
        for found in lists(NOW + SECONDS_PER_DAY) {
            assert!(found.text().contains(" old"), "{found:?}");
        }
    }
}
