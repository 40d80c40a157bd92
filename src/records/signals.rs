//! The raw signals of one record: header fields and metas, uninterpreted.

use super::noise::{is_field_noise, is_http_equiv_noise, is_meta_noise};
use crate::web::shown::shown;

/// The longest value that is kept, in bytes.
const VALUE_BYTES: usize = 64 << 10;

/// What carried a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A header field of the response.
    Header,
    /// A meta element of the HTML head, named by `name`.
    Meta,
    /// A meta element of the HTML head, named by `http-equiv`.
    HttpEquiv,
}

impl Carrier {
    /// Returns the carrier that the tables call so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Header, Self::Meta, Self::HttpEquiv].into_iter().find(|carrier| carrier.as_str() == name)
    }

    /// Returns the name that the tables use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Meta => "meta",
            Self::HttpEquiv => "http_equiv",
        }
    }
}

/// One signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal<'a> {
    /// What carried it.
    pub carrier: Carrier,
    /// Its name in lower case.
    pub name: &'a str,
    /// Its value as received.
    pub value: &'a [u8],
}

impl Signal<'_> {
    /// Tells whether it is a header field of one of these names, which are in lower case.
    #[must_use]
    pub fn is_field(&self, names: &[&str]) -> bool {
        self.carrier == Carrier::Header && names.contains(&self.name)
    }
}

/// The signals of one record; kept between records so that none costs an allocation.
#[derive(Default)]
pub struct Signals {
    names: String,
    values: Vec<u8>,
    /// For each signal its carrier, and where its name and value end.
    ends: Vec<(Carrier, usize, usize)>,
}

impl Signals {
    /// Drops all signals.
    pub fn clear(&mut self) {
        self.names.clear();
        self.values.clear();
        self.ends.clear();
    }

    /// Returns how many signals there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Tells whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Drops all signals but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        let (names, values) = self.ends.last().map_or((0, 0), |(_, names, values)| (*names, *values));
        self.names.truncate(names);
        self.values.truncate(values);
    }

    /// Adds a signal, unless its name is on the noise list.
    pub fn push(&mut self, carrier: Carrier, name: &[u8], value: &[u8]) {
        let start = self.names.len();
        self.names.push_str(&shown(name));
        let name = self.names.get_mut(start..).unwrap_or_default();
        name.make_ascii_lowercase();
        let noise = match carrier {
            Carrier::Header => is_field_noise(name),
            Carrier::Meta => is_meta_noise(name),
            Carrier::HttpEquiv => is_http_equiv_noise(name),
        };
        if noise {
            self.names.truncate(start);
            return;
        }
        self.values.extend_from_slice(value.get(..VALUE_BYTES).unwrap_or(value));
        self.ends.push((carrier, self.names.len(), self.values.len()));
    }

    /// Returns the signals in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = Signal<'_>> {
        self.ends.iter().scan((0, 0), |(name_start, value_start), (carrier, name_end, value_end)| {
            let signal = Signal {
                carrier: *carrier,
                name: self.names.get(*name_start..*name_end).unwrap_or_default(),
                value: self.values.get(*value_start..*value_end).unwrap_or_default(),
            };
            (*name_start, *value_start) = (*name_end, *value_end);
            Some(signal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Carrier, Signals};

    #[test]
    fn local_signals_keep_their_order_and_repeats_and_noise_is_left_out() {
        let mut signals = Signals::default();
        signals.push(Carrier::Header, b"X-Robots-Tag", b"noindex");
        signals.push(Carrier::Header, b"Date", b"today");
        signals.push(Carrier::Header, b"x-robots-tag", b"caf\xe9");
        signals.push(Carrier::Meta, b"og:title", b"t");
        signals.push(Carrier::Meta, b"Robots", b"");
        let found: Vec<_> =
            signals.iter().map(|signal| (signal.carrier, signal.name, signal.value)).collect();
        assert_eq!(
            found,
            [
                (Carrier::Header, "x-robots-tag", &b"noindex"[..]),
                (Carrier::Header, "x-robots-tag", b"caf\xe9"),
                (Carrier::Meta, "robots", b""),
            ]
        );
    }
}
