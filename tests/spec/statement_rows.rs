//! The statements of one system as short texts, for comparing.

use crawlprefs::robots::Extent;
use crawlprefs::systems::aipref_vocab::Vocabulary;
use crawlprefs::systems::{
    Answer, FileBody, Page, SYSTEMS, Site, SiteFiles, Source, Statement, System, Value, Viewpoint,
};
use crawlprefs::web::capture_kind::CaptureKind;
use crawlprefs::web::product_token::{ProductToken, TokenMatch};
use crawlprefs::web::shown::shown;

/// Returns the viewpoint of a crawler.
pub fn viewpoint(token: &str) -> Viewpoint {
    Viewpoint {
        token: ProductToken::new(token).expect("a token"),
        token_match: TokenMatch::Exact,
        vocabulary: Vocabulary::named("03").expect("a draft"),
        applications: Default::default(),
    }
}

/// Returns a system by its name.
pub fn system(name: &str) -> &'static System {
    SYSTEMS
        .iter()
        .find(|system| system.about().name == name)
        .expect("it is registered")
}

/// Returns the values of a system's columns for a page.
pub fn column_values(
    system: &System,
    robots: Option<&Site<'_>>,
    page: &Page<'_>,
    viewpoint: &Viewpoint,
) -> Vec<Value> {
    let compiled = system.compile(
        &SiteFiles {
            robots,
            copies: &[],
        },
        viewpoint,
    );
    let mut answer = Answer::default();
    compiled.answer(page, viewpoint, &mut answer);
    assert_eq!(answer.values.len(), system.about().columns.len());
    answer.values
}

/// Every statement as `line agent path key value category preference defect`, `-` for none.
pub fn rows(name: &str, source: &Source<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    system(name).statements(source, &viewpoint("CCBot"), &mut |statement| {
        rows.push(row(statement))
    });
    rows
}

/// The statements of a site file.
pub fn file_rows(name: &str, kind: CaptureKind, body: &[u8]) -> Vec<String> {
    rows(
        name,
        &Source::SiteFile(
            kind,
            FileBody {
                bytes: body,
                extent: Extent::Whole,
            },
        ),
    )
}

fn row(statement: &Statement<'_>) -> String {
    let bytes =
        |value: Option<&[u8]>| value.map_or("-".to_owned(), |value| shown(value).into_owned());
    [
        statement
            .line
            .map_or("-".to_owned(), |line| line.to_string()),
        statement.agent.clone().unwrap_or_else(|| "-".to_owned()),
        bytes(statement.path),
        bytes(statement.key),
        bytes(statement.value),
        statement.category.unwrap_or("-").to_owned(),
        statement
            .preference
            .map_or("-", crawlprefs::web::preference::Preference::as_str)
            .to_owned(),
        statement.defect.unwrap_or("-").to_owned(),
    ]
    .join(" | ")
}
