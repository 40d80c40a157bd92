//! The parameters of a member: `;noindex;max-snippet=20`.
//!
//! Documents: draft-illyes-repext-02, Application Layer Response Header; RFC 9651 3.1.2. Ours: blanks around semicolons, an
//! empty parameter, and a colon for `=` only change the form's name. Left out: typed values; they are kept as written.

use super::line::Reader;
use super::{Agent, Syntax};

impl<'a> Reader<'a> {
    /// Reads parameters, each a rule for the agent, until one cannot be read.
    pub(super) fn params(&mut self, agent: Agent<'a>) {
        loop {
            self.skip_blanks();
            if self.rest.first() != Some(&b';') {
                return;
            }
            self.skip(1);
            self.skip_blanks();
            let name = self.name();
            if !name.is_empty() {
                self.param(agent, name);
            }
        }
    }

    fn param(&mut self, agent: Agent<'a>, name: &'a [u8]) {
        self.skip_blanks();
        let value = match self.rest.first() {
            Some(b'=' | b':') => {
                self.skip(1);
                self.value(name)
            }
            Some(_) | None => None,
        };
        self.push(agent, name, value, Syntax::Draft);
    }
}
