//! Which changes a site is given: the first in turn, so that each is made often, the others at random.

use crate::changes::{Change, Undone};
use crate::kinds::Kind;
use crate::message::Message;

/// A site to which changes were made.
pub struct Drawn {
    /// The place of its kind among all.
    pub kind: usize,
    /// What was done, in the order in which it was done.
    pub changes: Vec<&'static str>,
    /// Whether all of that can be undone.
    pub undone: Undone,
    /// The response that carries the no.
    pub message: Message,
}

/// A generator of numbers, the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(drawn).expect("31 bits") % limit.max(1)
    }
}

/// Draws the changes of a site.
pub fn draw(number: usize, kinds: &[Kind], changes: &[Change], random: &mut Random) -> Drawn {
    let first = number % changes.len();
    let offset = random.below(kinds.len());
    let fits = |kind: &usize| applied(&kinds[*kind].message, &[first], changes).is_some();
    let kind = (0..kinds.len())
        .map(|at| (at + offset) % kinds.len())
        .find(fits);
    let kind =
        kind.unwrap_or_else(|| panic!("no kind of no has the change {}", changes[first].name));
    let mut chosen = vec![first];
    let wanted = 1 + random.below(3);
    for _ in 0..20 {
        if chosen.len() == wanted {
            break;
        }
        let next = random.below(changes.len());
        let is_new = chosen
            .iter()
            .all(|one| changes[*one].goes_with(&changes[next]) && *one != next);
        let with = [&chosen[..], &[next]].concat();
        if is_new && applied(&kinds[kind].message, &with, changes).is_some() {
            chosen = with;
        }
    }
    let (message, order) = applied(&kinds[kind].message, &chosen, changes).expect("it was tried");
    let undone = order
        .iter()
        .fold(Undone::Yes, |all, at| all.and(changes[*at].undone));
    Drawn {
        kind,
        changes: order.iter().map(|at| changes[*at].name).collect(),
        undone,
        message,
    }
}

/// Makes changes in their order; `None` where one of them does not apply.
fn applied(plain: &Message, chosen: &[usize], changes: &[Change]) -> Option<(Message, Vec<usize>)> {
    let mut order = chosen.to_vec();
    order.sort_by_key(|at| (changes[*at].level, *at));
    let mut message = plain.clone();
    for at in &order {
        message = (changes[*at].make)(&message)?;
    }
    Some((message, order))
}
