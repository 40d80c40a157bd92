//! What was found out of groups that hold for an agent together, kept for the next agent with the same.

use std::collections::BTreeMap;

/// What is known of the groups that hold for an agent together; for most it is one.
pub(in crate::verdict) struct ByGroups<T> {
    of_one: Vec<Option<T>>,
    of_more: BTreeMap<Vec<u32>, T>,
}

impl<T> Default for ByGroups<T> {
    fn default() -> Self {
        Self { of_one: Vec::new(), of_more: BTreeMap::new() }
    }
}

impl<T: Copy> ByGroups<T> {
    pub(in crate::verdict) fn get_or_insert_with(&mut self, groups: &[u32], find: impl FnOnce() -> T) -> T {
        if let [group] = groups {
            let place = *group as usize;
            if self.of_one.len() <= place {
                self.of_one.resize(place + 1, None);
            }
            return match self.of_one.get_mut(place) {
                Some(known) => *known.get_or_insert_with(find),
                None => find(),
            };
        }
        if let Some(known) = self.of_more.get(groups) {
            return *known;
        }
        let found = find();
        self.of_more.insert(groups.to_vec(), found);
        found
    }
}
