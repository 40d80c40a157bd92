//! `agent_sets`: the agents to which sites are closed, each set of lists once per part; a row of `sites` has its set's number.
//!
//! Most sites share their lists with thousands of others. The number is a hash of the lists, so it is the same in every part
//! and crawl, and sites can be counted by it. Left out: what is closed to which agent (`verdict::site`).

use super::slice::{ListOf, slice};
use super::{Rows, Table};
use crate::verdict::Resolver;
use crate::verdict::site::ClosedTokens;
use crate::web::column::Column;
use arrow_array::{Int64Array, RecordBatch, StringArray};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Mutex, PoisonError};

/// The column of the number, here and in `sites`.
pub const NUMBER: &str = "agent_set";

const SET: &[Column] = columns![
    int64 NUMBER:
        "number of the set, the same in every run: the first 8 bytes, with a sign, of the SHA-256 of its lists, where each token, and each list, ends with a line feed",
    texts "agents_closed": "tokens of the agents table to which everything is closed, by name or through *",
    texts "agents_restricted": "tokens to which something is closed, or everything",
    texts "agents_named": "tokens that have their own group",
];

/// The columns of the lists: agents to which everything is closed, agents to which something is closed, named agents.
pub const LISTS: [&str; 3] = ["agents_closed", "agents_restricted", "agents_named"];

pub static AGENT_SETS: Table = Table::new(
    "agent_sets",
    "distinct set of agent lists, which `sites.agent_set` refers to; each part has the sets of its own sites",
    || vec![SET],
);

type Lists<'l> = [Vec<&'l str>; 3];

/// The numbers of the sets that any worker has met: to find one, kilobytes of names are hashed.
#[derive(Default)]
pub struct SetNumbers(Mutex<HashMap<ClosedTokens, i64>>);

impl SetNumbers {
    /// Returns the number of a set; all resolvers must share one table of agents.
    fn number(&self, resolver: &Resolver, set: &ClosedTokens) -> i64 {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known().get(set) {
            return *number;
        }
        let number = number(&lists(resolver, set));
        known().insert(set.clone(), number);
        number
    }
}

/// The sets of some rows of `sites`, with their numbers.
#[derive(Default)]
pub struct AgentSets {
    numbers: HashMap<ClosedTokens, i64>,
}

impl AgentSets {
    /// Adds a set and returns its number; all resolvers must share one table of agents.
    pub fn number(&mut self, known: &SetNumbers, resolver: &Resolver, set: &ClosedTokens) -> i64 {
        if let Some(number) = self.numbers.get(set) {
            return *number;
        }
        let number = known.number(resolver, set);
        self.numbers.insert(set.clone(), number);
        number
    }

    pub fn add(&mut self, others: Self) {
        self.numbers.extend(others.numbers);
    }

    /// Returns the rows of the sets, by their numbers; two sets with one number are an error.
    pub fn rows(&self, resolver: &Resolver) -> io::Result<RecordBatch> {
        let mut by_number = BTreeMap::new();
        for (set, number) in &self.numbers {
            let lists = lists(resolver, set);
            let known: &Lists<'_> = by_number.entry(*number).or_insert_with(|| lists.clone());
            if *known != lists {
                return Err(io::Error::other(format!(
                    "two sets of agents have the number {number}"
                )));
            }
        }
        let mut rows = Rows::new(&AGENT_SETS);
        for (number, lists) in by_number {
            let cells = rows.row();
            cells.int64(NUMBER, number);
            for (name, list) in LISTS.into_iter().zip(lists) {
                cells.texts(name, list);
            }
        }
        rows.finish()
    }
}

fn lists<'l>(resolver: &'l Resolver, set: &ClosedTokens) -> Lists<'l> {
    [&set.full, &set.some, &set.named].map(|tokens| resolver.written(tokens))
}

fn number(lists: &Lists<'_>) -> i64 {
    let mut digest = Sha256::new();
    for list in lists {
        for token in list {
            digest.update(token);
            digest.update("\n");
        }
        digest.update("\n");
    }
    digest
        .finalize()
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | i64::from(*byte))
}

slice! {
    struct SetRows {
        number: Int64Array = "agent_set",
        closed: ListOf<StringArray> = "agents_closed",
        restricted: ListOf<StringArray> = "agents_restricted",
        named: ListOf<StringArray> = "agents_named",
    }
}

/// Calls `each` for each set of a slice of the table: its number, and the three lists in the order of [`LISTS`].
pub fn each_set(slice: &RecordBatch, mut each: impl FnMut(i64, Lists<'_>)) -> io::Result<()> {
    let rows = SetRows::new(slice)?;
    for row in 0..rows.count() {
        let lists = [rows.closed(row), rows.restricted(row), rows.named(row)];
        each(rows.number(row), lists.map(Iterator::collect));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AgentSets, SetNumbers, SetRows, number};
    use crate::robots::TokenSet;
    use crate::systems::Viewpoint;
    use crate::verdict::site::ClosedTokens;
    use crate::verdict::{AgentsTable, Resolver};

    fn resolver() -> Resolver {
        let table = AgentsTable::read("token\nGPTBot\nCCBot\n").expect("a table");
        Resolver::new(Viewpoint::new("CCBot").expect("a token"), &table)
    }

    /// `printf 'GPTBot\n\nGPTBot\nCCBot\n\n\n' | sha256sum | cut -c1-16`, as a number with a sign.
    #[test]
    fn local_the_number_is_the_start_of_the_sha_256_of_the_lists() {
        let numbers = [
            number(&[vec!["GPTBot"], vec!["GPTBot", "CCBot"], vec![]]),
            number(&[vec![], vec![], vec![]]),
            number(&[vec!["GPTBot"], vec!["GPTBot"], vec!["CCBot"]]),
        ];
        assert_eq!(
            numbers,
            [
                5_168_518_646_524_928_183,
                7_655_262_954_938_758_934,
                -2_774_349_905_137_152_822
            ]
        );
    }

    #[test]
    fn local_a_set_has_one_row_and_two_sets_with_one_number_are_refused() {
        let resolver = resolver();
        let (open, all) = (
            ClosedTokens::default(),
            ClosedTokens::unreachable(&resolver),
        );
        // The same tokens, written in another way.
        let mut emptied = TokenSet::first(2);
        (0..2).for_each(|token| emptied.remove(token));
        let emptied = ClosedTokens {
            full: emptied,
            ..open.clone()
        };
        let (mut sets, known) = (AgentSets::default(), SetNumbers::default());
        let numbers = [&open, &all, &emptied, &all].map(|set| sets.number(&known, &resolver, set));
        assert_eq!((numbers[0], numbers[1]), (numbers[2], numbers[3]));
        let mut others = AgentSets::default();
        assert_eq!(others.number(&known, &resolver, &open), numbers[0]);
        sets.add(others);
        let rows = sets.rows(&resolver).expect("the numbers differ");
        let found = SetRows::new(&rows).expect("its columns");
        assert_eq!(
            (found.count(), found.number(0) < found.number(1)),
            (2, true)
        );
        sets.numbers.insert(all, numbers[0]);
        let error = sets.rows(&resolver).expect_err("one number").to_string();
        assert_eq!(
            error,
            format!("two sets of agents have the number {}", numbers[0])
        );
    }
}
