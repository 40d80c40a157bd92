//! Which changes a site is given: the first in turn, so that each is made often, the others at random.

use crate::changes::{Change, Undone};
use crate::kinds::Kind;
use crate::message::Message;
use fastrand::Rng;

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

/// Draws the changes of a site.
pub fn draw(number: usize, kinds: &[Kind], changes: &[Change], random: &mut Rng) -> Drawn {
    let first = number % changes.len();
    let offset = random.usize(..kinds.len());
    let fits = |kind: &usize| applied(&kinds[*kind].message, &[first], changes).is_some();
    let kind = (0..kinds.len())
        .map(|at| (at + offset) % kinds.len())
        .find(fits);
    let kind =
        kind.unwrap_or_else(|| panic!("no kind of no has the change {}", changes[first].name));
    let mut chosen = vec![first];
    let wanted = 1 + random.usize(..3);
    for _ in 0..20 {
        if chosen.len() == wanted {
            break;
        }
        let next = random.usize(..changes.len());
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
