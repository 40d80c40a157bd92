//! How long generated tests are: short ones in every run, and long ones where `CRAWLPREFS_LONG` is set, as `.ci/nightly` does.

/// Returns how many rounds there are, or the step from one to the next: `all` in a long run, `few` in others.
pub fn rounds(few: usize, all: usize) -> usize {
    if std::env::var_os("CRAWLPREFS_LONG").is_some() {
        all
    } else {
        few
    }
}
