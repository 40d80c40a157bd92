//! Every system's statements of a response: of its head and metas, and of its body as each site file.

#![no_main]

use crawlprefs::evidence::Fields;
use crawlprefs::robots::Extent;
use crawlprefs::systems::{FileBody, SYSTEMS, Source, Statement};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::field::Field;
use fuzzing::{assert_units_of_file, assert_units_of_record, response, robots, viewpoint, written};
use libfuzzer_sys::fuzz_target;

/// Gives each statement of each system, and holds what is true of all.
fn give(source: &Source<'_>, check: impl Fn(&Statement<'_>) -> bool) {
    let viewpoint = viewpoint();
    for system in SYSTEMS {
        system.statements(source, &viewpoint, &mut |statement| {
            assert_eq!(statement.system, system.about().name);
            assert!(
                statement
                    .agent
                    .as_ref()
                    .is_none_or(|agent| !agent.contains('\0')),
                "{statement:?}"
            );
            assert!(check(statement), "{statement:?}");
        });
    }
}

fuzz_target!(|input: &[u8]| {
    let mut taken = Fields::default();
    let body = response(input, &mut taken);
    let fields: Vec<Field<'_>> = taken.iter().collect();
    let values = written(&fields);
    give(&Source::Record(&fields), |statement| {
        let carried = fields
            .iter()
            .any(|field| field.carrier.as_str() == statement.carrier);
        carried && statement.line.is_none() && values.contains(statement.raw)
    });
    let file = robots(body);
    give(&Source::Robots(&file), |statement| {
        statement.carrier == "robots"
            && statement
                .line
                .is_some_and(|line| (1..=file.line_count()).contains(&line))
            && memchr::memmem::find(file.bytes(), statement.raw).is_some()
    });
    assert_units_of_record(&fields, &viewpoint());
    let line_count = body
        .iter()
        .filter(|byte| matches!(byte, b'\r' | b'\n'))
        .count()
        + 1;
    // JSON is text: other bytes have been replaced in it.
    let text = String::from_utf8_lossy(body);
    for kind in CaptureKind::ALL {
        assert_units_of_file(kind, body, &viewpoint());
        give(
            &Source::SiteFile(
                kind,
                FileBody {
                    bytes: body,
                    extent: Extent::Whole,
                },
            ),
            |statement| {
                statement
                    .line
                    .is_none_or(|line| (1..=line_count).contains(&(line as usize)))
                    && [body, text.as_bytes()]
                        .iter()
                        .any(|file| memchr::memmem::find(file, statement.raw).is_some())
            },
        );
    }
});
