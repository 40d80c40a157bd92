//! What happens to a response between its author and an archive.

mod coding;
mod habits;
mod head;
mod owners;
mod page;
mod statement;
mod text;

use crate::message::Message;

/// Whether a reader can undo a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The verdict is that of the plain response.
    Yes,
    /// It has no yes that the plain response does not have.
    No,
}

impl Undone {
    pub fn and(self, other: Self) -> Self {
        if self == Self::Yes { other } else { self }
    }
}

/// Where a change is made; those further out are made later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// In the words of a statement, a line or a meta.
    Words,
    /// Around them, in the text.
    Text,
    /// In the bytes of the text.
    Charset,
    Coding,
    Chunks,
    Head,
    /// In how much of it there is.
    Extent,
}

/// Returns the changed response; `None` where the change does not apply.
pub type Make = fn(&Message) -> Option<Message>;

/// A change, by the name of what it does.
pub struct Change {
    pub name: &'static str,
    pub level: Level,
    pub undone: Undone,
    pub make: Make,
}

impl Change {
    /// Returns whether both can be made to one response: of the outer levels one each, and of two changes of the words of one
    /// statement nobody can say what comes out.
    pub fn goes_with(&self, other: &Self) -> bool {
        self.level != other.level || matches!(self.level, Level::Text | Level::Head)
    }
}

pub fn all() -> Vec<Change> {
    let all = [
        text::all(),
        statement::all(),
        page::all(),
        coding::all(),
        head::all(),
        owners::all(),
        habits::all(),
    ];
    all.into_iter().flatten().collect()
}

/// Makes changes of a level from rows of their names and functions.
fn of_level(level: Level, rows: &[(&'static str, Undone, Make)]) -> Vec<Change> {
    rows.iter()
        .map(|(name, undone, make)| Change {
            name,
            level,
            undone: *undone,
            make: *make,
        })
        .collect()
}
