//! How many units of a source had which fate: units = blank + rule + read + known + defective + unrecognised (RULES ACCT-1).

use super::fate::Fate;

/// The units of a source by their fates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    counts: [u64; Fate::ALL.len()],
}

impl Units {
    /// Counts a unit.
    pub fn add(&mut self, fate: Fate) {
        if let Some(count) = self.counts.get_mut(fate as usize) {
            *count += 1;
        }
    }

    /// Returns how many had a fate.
    pub fn of(&self, fate: Fate) -> u64 {
        self.counts.get(fate as usize).copied().unwrap_or(0)
    }

    /// Returns how many there are.
    pub fn sum(&self) -> u64 {
        self.counts.iter().sum()
    }
}
