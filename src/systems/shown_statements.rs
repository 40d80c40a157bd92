//! The statements of a source that tables show: at most 4,096 of one system, then one that counts the rest.
//!
//! Example: of 520,000 rules in one meta the first 4,096 are rows; one more has the defect `too_many` and the
//! value `515904`. Ours: this is about rows alone; decisions rest on every statement.
//! Left out: the statements themselves, which each system reads.

use super::{Source, Statement, System, Viewpoint};

/// The most statements of one source and system that are shown.
pub const MAX_STATEMENTS: u64 = 4096;

/// Whether a statement is a row of `statements`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is.
    Row,
    /// It is only counted.
    Counted,
}

/// Passes on every statement of a source, and whether it is a row; a last one counts those that are not rows.
pub fn shown_statements(
    system: &dyn System,
    source: &Source<'_>,
    viewpoint: &Viewpoint,
    each: &mut dyn FnMut(&Statement<'_>, Shown),
) {
    shown(system.about().name, |give| system.statements(source, viewpoint, give), each);
}

/// Passes on statements under the name of a system, likewise.
pub fn shown(
    system: &'static str,
    statements: impl FnOnce(&mut dyn FnMut(&Statement<'_>)),
    each: &mut dyn FnMut(&Statement<'_>, Shown),
) {
    let (mut count, mut carrier) = (0_u64, "");
    statements(&mut |statement| {
        (count, carrier) = (count + 1, statement.carrier);
        each(statement, if count <= MAX_STATEMENTS { Shown::Row } else { Shown::Counted });
    });
    if count > MAX_STATEMENTS {
        let rest = (count - MAX_STATEMENTS).to_string();
        let unread = Statement::unread(system, carrier, b"");
        each(&Statement { value: Some(rest.as_bytes()), defect: Some("too_many"), ..unread }, Shown::Row);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_STATEMENTS, Shown, shown_statements};
    use crate::systems::robots_tag::RobotsTag;
    use crate::systems::sup::Sup;
    use crate::systems::{Source, Viewpoint};
    use crate::web::field::Field;

    fn rows(count: usize) -> (u64, Option<String>) {
        let value = "a,".repeat(count);
        let fields = [Field::header("content-usage", value.as_bytes())];
        let viewpoint = Viewpoint::new("CCBot").expect("a token");
        let (mut rows, mut rest) = (0, None);
        shown_statements(&Sup, &Source::Record(&fields), &viewpoint, &mut |statement, shown| {
            rows += u64::from(shown == Shown::Row);
            if statement.defect == Some("too_many") {
                rest = statement.value.map(|value| String::from_utf8_lossy(value).into_owned());
            }
        });
        (rows, rest)
    }

    #[test]
    fn local_4096_statements_of_a_source_are_shown_and_the_rest_is_counted() {
        assert_eq!(rows(10), (10, None));
        assert_eq!(rows(4096), (4096, None));
        assert_eq!(rows(4097), (MAX_STATEMENTS + 1, Some("1".to_owned())));
        assert_eq!(rows(20_000), (MAX_STATEMENTS + 1, Some("15904".to_owned())));
    }

    #[test]
    fn local_a_source_without_statements_has_none() {
        let viewpoint = Viewpoint::new("CCBot").expect("a token");
        shown_statements(&RobotsTag, &Source::Record(&[]), &viewpoint, &mut |_, _| panic!("a statement"));
    }
}
