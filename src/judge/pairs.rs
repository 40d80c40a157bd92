//! Documents with several URLs, such as an image and the page that it is on.
//!
//! Each URL is judged as a document of its own; then the verdicts are joined: a no of any URL counts, and a missing URL is
//! unknown. Example: LAION's `URL` and the page that it was found on.

use super::documents::Documents;
use super::verdict::Verdict;
use std::collections::HashMap;
use std::sync::Arc;

/// The verdicts of a part; some are not known yet.
pub type PartVerdicts = Vec<Option<Arc<Verdict>>>;

/// Returns all columns of URLs: the first of each part, then its further ones.
pub fn url_columns(parts: &[Documents]) -> Vec<&Documents> {
    parts.iter().flat_map(|part| std::iter::once(part).chain(part.further())).collect()
}

/// Returns the verdicts of documents from those of all columns of URLs, in the order of [`url_columns`].
pub fn joined(
    parts: &[Documents],
    verdicts: Vec<PartVerdicts>,
    token_count: usize,
) -> Vec<Vec<Arc<Verdict>>> {
    let mut columns = verdicts.into_iter();
    let missing = Arc::new(Verdict::unknown("url_missing"));
    let mut of_part = |part: &Documents| {
        let known = |verdict: Option<Arc<Verdict>>| verdict.unwrap_or_else(|| Arc::clone(&missing));
        let mut next = || columns.next().unwrap_or_default().into_iter().map(known).collect::<Vec<_>>();
        let first = next();
        let further: Vec<Vec<Arc<Verdict>>> = part.further().iter().map(|_| next()).collect();
        if further.is_empty() { first } else { of_documents(first, &further, token_count) }
    };
    parts.iter().map(&mut of_part).collect()
}

/// Joins the verdicts of each row; documents with the same verdicts of their URLs share one.
fn of_documents(
    first: Vec<Arc<Verdict>>,
    further: &[Vec<Arc<Verdict>>],
    token_count: usize,
) -> Vec<Arc<Verdict>> {
    // A joined verdict holds the verdicts it was made of, so that no other verdict gets their addresses.
    let mut known: HashMap<Vec<*const Verdict>, Arc<Verdict>> = HashMap::new();
    let of_row = |(row, first): (usize, Arc<Verdict>)| {
        let others = further.iter().filter_map(|column| column.get(row)).cloned();
        let urls: Vec<Arc<Verdict>> = std::iter::once(first).chain(others).collect();
        let key = urls.iter().map(Arc::as_ptr).collect();
        Arc::clone(known.entry(key).or_insert_with(|| Arc::new(Verdict::of_urls(urls, token_count))))
    };
    first.into_iter().enumerate().map(of_row).collect()
}
