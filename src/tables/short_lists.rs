//! Lists in a row are short: at most 32 entries and 4 KiB, so that one site cannot make rows of megabytes.
//!
//! Example: of 20,000 equal lines that decide a label, `evidence` has the first 32, and `lists_cut` names
//! `evidence`. Left out: lists of agents, which their table bounds, and which are never cut.

use crate::verdict::labels::{LabelAnswer, Labels};
use crate::web::shown::beginning;

/// The most entries of a list.
const ENTRIES: usize = 32;
/// The most bytes of a list.
const BYTES: usize = 4 << 10;

/// The lists of one row, and which of them were cut.
#[derive(Default)]
pub struct ShortLists {
    cut: Vec<&'static str>,
}

impl ShortLists {
    /// Returns the entries of a list that its column shows: its beginning, and at least one.
    pub fn take<'a, T>(
        &mut self,
        column: &'static str,
        list: &'a [T],
        bytes: impl Fn(&T) -> usize,
    ) -> &'a [T] {
        let mut total = 0;
        let fits = |(at, entry): &(usize, &T)| {
            total += bytes(entry);
            *at == 0 || *at < ENTRIES && total <= BYTES
        };
        let count = list.iter().enumerate().take_while(fits).count();
        if count < list.len() {
            self.cut.push(column);
        }
        list.get(..count).unwrap_or(list)
    }

    /// Returns the answers that the column `evidence` shows, and whether they decided: those that did in their
    /// order, then the others. Of the former, the first of each label, system and carrier is shown before others,
    /// and the latter are cut first.
    pub fn evidence<'e, 'a>(&mut self, labels: &'e Labels<'a>) -> Vec<(bool, &'e LabelAnswer<'a>)> {
        let (evidence, overruled) = (&labels.evidence, &labels.overruled);
        let key = |one: &LabelAnswer<'_>| (one.label, one.system, one.ground.carrier);
        let is_first = |at: usize, one: &LabelAnswer<'_>| {
            at.checked_sub(1)
                .and_then(|before| evidence.get(before))
                .is_none_or(|before| key(before) != key(one))
        };
        let decided = evidence.iter().enumerate().map(|(at, one)| (!is_first(at, one), at, true, one));
        let others = (evidence.len()..).zip(overruled).map(|(at, one)| (true, at, false, one));
        let mut order: Vec<(bool, usize, bool, &LabelAnswer<'a>)> = decided.chain(others).collect();
        order.sort_by_key(|(is_other, at, ..)| (*is_other, *at));
        let bytes = |(.., one): &(bool, usize, bool, &LabelAnswer<'_>)| {
            one.ground.raw.map_or(0, |raw| beginning(raw).len())
        };
        let mut shown = self.take("evidence", &order, bytes).to_vec();
        shown.sort_by_key(|(_, at, ..)| *at);
        shown.into_iter().map(|(_, _, decided, one)| (decided, one)).collect()
    }

    /// Returns the columns that were cut.
    pub fn cut(self) -> Vec<&'static str> {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::ShortLists;

    #[test]
    fn local_a_list_has_at_most_32_entries_and_4_kib_and_at_least_one() {
        let mut lists = ShortLists::default();
        assert_eq!(lists.take("a", &[""; 32], |text| text.len()).len(), 32);
        assert_eq!(lists.take("b", &[""; 33], |text| text.len()).len(), 32);
        let text = "x".repeat(1024);
        assert_eq!(lists.take("c", &[text.as_str(); 4], |text| text.len()).len(), 4);
        assert_eq!(lists.take("d", &[text.as_str(); 5], |text| text.len()).len(), 4);
        assert_eq!(lists.take("e", &["x".repeat(5000)], String::len).len(), 1);
        assert_eq!(lists.take("f", &[0; 0], |_| 0).len(), 0);
        assert_eq!(lists.cut(), ["b", "d"]);
    }
}
