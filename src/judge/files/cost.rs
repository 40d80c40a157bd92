//! What a policy costs: documents, bytes of text and tokens, per reason, per site, and by each rule alone.
//!
//! A document is counted to the first reason that drops it, and to every rule that would drop it alone. Example: 12
//! documents, 34,567 bytes, 8,901 tokens for `access_disallow`.

use serde::{Deserialize, Serialize};

/// How the reason of what is kept is written.
pub const KEPT: &str = "(kept)";

/// A number of documents, and what is in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Documents.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Their tokens; `None` where no document says.
    pub tokens: Option<u64>,
}

impl Amount {
    /// Adds another amount.
    pub fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        if let Some(tokens) = other.tokens {
            *self.tokens.get_or_insert(0) += tokens;
        }
    }
}

/// What a policy costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// What is kept.
    pub kept: Amount,
    /// What is dropped, by the place of the first rule that does so.
    pub reasons: Vec<Amount>,
    /// What each rule alone would drop, by its place.
    pub alone: Vec<Amount>,
    /// What is kept only because of each exception, by its place.
    pub excepted: Vec<Amount>,
}

impl Costs {
    /// Returns empty costs for a number of rules and exceptions.
    pub fn new(rules: usize, exceptions: usize) -> Self {
        Self {
            kept: Amount::default(),
            reasons: vec![Amount::default(); rules],
            alone: vec![Amount::default(); rules],
            excepted: vec![Amount::default(); exceptions],
        }
    }

    /// Counts a document to the rules that drop it; if it is kept, to the exception by which alone it is.
    pub fn count(&mut self, amount: &Amount, rules: &[usize], kept_by: Option<usize>) {
        if let Some(reason) = rules.first().and_then(|first| self.reasons.get_mut(*first)) {
            reason.add(amount);
        } else {
            self.kept.add(amount);
            if let Some(excepted) = kept_by.and_then(|place| self.excepted.get_mut(place)) {
                excepted.add(amount);
            }
        }
        for rule in rules {
            if let Some(alone) = self.alone.get_mut(*rule) {
                alone.add(amount);
            }
        }
    }

    /// Adds the costs of the same rules.
    pub fn add(&mut self, other: &Self) {
        self.kept.add(&other.kept);
        self.reasons.resize(other.reasons.len().max(self.reasons.len()), Amount::default());
        self.alone.resize(self.reasons.len(), Amount::default());
        self.excepted.resize(other.excepted.len().max(self.excepted.len()), Amount::default());
        let pairs = self.reasons.iter_mut().zip(&other.reasons);
        let excepted = self.excepted.iter_mut().zip(&other.excepted);
        for (own, other) in pairs.chain(self.alone.iter_mut().zip(&other.alone)).chain(excepted) {
            own.add(other);
        }
    }

    /// Returns what is dropped.
    pub fn dropped(&self) -> Amount {
        let mut dropped = Amount::default();
        for reason in &self.reasons {
            dropped.add(reason);
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Costs};

    const ONE: Amount = Amount { documents: 1, text_bytes: 10, tokens: Some(2) };

    #[test]
    fn local_a_document_counts_for_its_first_reason_and_for_every_rule_alone() {
        let mut costs = Costs::new(3, 1);
        costs.count(&ONE, &[], Some(0));
        costs.count(&ONE, &[1, 2], None);
        costs.count(&Amount { tokens: None, ..ONE }, &[2], Some(0));
        let mut all = Costs::default();
        all.add(&costs);
        let documents =
            |amounts: &[Amount]| amounts.iter().map(|amount| amount.documents).collect::<Vec<_>>();
        assert_eq!((documents(&all.reasons), documents(&all.alone)), (vec![0, 1, 1], vec![0, 1, 2]));
        assert_eq!(all.dropped(), Amount { documents: 2, text_bytes: 20, tokens: Some(2) });
        assert_eq!((all.kept, all.excepted), (ONE, vec![ONE]));
    }
}
