//! The kind of a capture: a page, or one of the files in which a site states preferences.

use super::names::names;
use crate::web::url::PageUrl;

names! {
    /// The kinds of captures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum CaptureKind {
        /// A page, of any status and media type.
        Page => "page",
        /// `/robots.txt` (RFC 9309 2.3).
        Robots => "robots",
        /// Another record of a robotstxt subset, to which a redirect of robots.txt leads.
        RobotsHop => "robots_hop",
        /// `/automation-preferences.txt` (draft-liao-aipref-autoctl-core).
        Automation => "automation",
        /// `/.well-known/tdmrep.json` (TDMRep).
        Tdmrep => "tdmrep",
        /// `/ai.txt` or `/.well-known/ai.txt` (Spawning's, policies, and others of that name).
        AiTxt => "ai_txt",
        /// `/trust.txt` or `/.well-known/trust.txt` (JournalList).
        TrustTxt => "trust_txt",
        /// `/made-up.txt`, of a system of tests (`tests/made_up`).
        MadeUp => "made_up_txt" if made_up,
    }
}

impl CaptureKind {
    /// Returns the kind of a URL by its path, compared with case (RFC 9309 2.3). Ours: a URL with a query is not a site file.
    pub fn from_url(url: &PageUrl<'_>) -> Self {
        let is_at = |kind: &Self| url.query().is_none() && kind.paths().contains(&url.path());
        Self::ALL.into_iter().find(is_at).unwrap_or(Self::Page)
    }

    /// Returns the possible paths of a site file of this kind; a page has none.
    pub fn paths(self) -> &'static [&'static str] {
        match self {
            Self::Page | Self::RobotsHop => &[],
            Self::Robots => &["/robots.txt"],
            Self::Automation => &["/automation-preferences.txt"],
            Self::Tdmrep => &["/.well-known/tdmrep.json"],
            Self::AiTxt => &["/ai.txt", "/.well-known/ai.txt"],
            Self::TrustTxt => &["/.well-known/trust.txt", "/trust.txt"],
            #[cfg(made_up)]
            Self::MadeUp => &["/made-up.txt"],
        }
    }

    /// Returns the kind as which a body is read: a redirect of robots.txt leads to a robots.txt, and of pages only the bodies
    /// to which one may lead are kept.
    pub fn read_as(self) -> Self {
        match self {
            Self::Page | Self::RobotsHop => Self::Robots,
            kind => kind,
        }
    }

    /// Returns whether it is a site file other than robots.txt, and neither a page nor the target of a redirect of robots.txt.
    pub const fn is_beside_robots(self) -> bool {
        !matches!(self, Self::Page | Self::Robots | Self::RobotsHop)
    }

    /// Returns whether it is a file in which a site states preferences.
    pub const fn is_site_file(self) -> bool {
        !matches!(self, Self::Page | Self::RobotsHop)
    }

    /// Returns the kinds of site files.
    pub fn site_files() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.is_site_file())
    }

    /// Returns the name of a site file of this kind, without its folder; a page has none.
    pub fn file_name(self) -> Option<&'static str> {
        self.paths().first()?.rsplit('/').next()
    }

    /// Returns the names of the kinds of site files that are not among some (KNOW-11).
    pub fn names_not_among(known: &(impl Iterator<Item = Self> + Clone)) -> Vec<&'static str> {
        Self::site_files()
            .filter(|kind| !known.clone().any(|one| one == *kind))
            .map(Self::as_str)
            .collect()
    }

    /// Returns the names of the kinds of files beside robots.txt, separated by commas.
    pub fn names_beside_robots() -> String {
        let beside = Self::ALL.into_iter().filter(|kind| kind.is_beside_robots());
        beside.map(Self::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Returns how its files are written; a page has no form.
    pub fn form(self) -> Option<FileForm> {
        match self {
            Self::Page => None,
            Self::Robots | Self::RobotsHop | Self::AiTxt => Some(FileForm::Groups),
            Self::Automation => Some(FileForm::AllOrNothing),
            Self::Tdmrep => Some(FileForm::Json),
            Self::TrustTxt => Some(FileForm::Lines(b"=:")),
            #[cfg(made_up)]
            Self::MadeUp => Some(FileForm::Lines(b":")),
        }
    }

    /// Returns whether its files are JSON, in which a line may be cut anywhere.
    pub fn is_json(self) -> bool {
        self.form() == Some(FileForm::Json)
    }

    /// Returns the bytes that end the name of a line; none if the files have no lines.
    pub fn separators(self) -> &'static [u8] {
        match self.form() {
            Some(FileForm::Groups | FileForm::AllOrNothing) => b":",
            Some(FileForm::Lines(separators)) => separators,
            Some(FileForm::Json) | None => b"",
        }
    }

    /// Returns whether a redirect leads to the file that counts (RFC 9309 2.3.1.2, AMB-AUTO-10).
    pub fn follows_redirects(self) -> bool {
        !self.is_beside_robots() || self == Self::Automation
    }
}

/// How the files of a kind are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileForm {
    /// Lines of `name: value` in the groups of robots.txt; a lost line changes the group.
    Groups,
    /// Lines of a name, one of these bytes and a value.
    Lines(&'static [u8]),
    /// Lines of `name: value` in a file that one control byte makes invalid as a whole (AMB-AUTO-4).
    AllOrNothing,
    /// One JSON value in UTF-8 (RFC 8259).
    Json,
}

#[cfg(test)]
mod tests {
    use super::CaptureKind;
    use crate::web::url::PageUrl;

    #[test]
    fn local_site_files_are_recognised_by_their_path() {
        for (url, kind) in [
            ("https://a.example/robots.txt", CaptureKind::Robots),
            ("https://a.example/ROBOTS.TXT", CaptureKind::Page),
            ("https://a.example/robots.txt?x", CaptureKind::Page),
            ("https://a.example/x/robots.txt", CaptureKind::Page),
            (
                "http://a.example/.well-known/tdmrep.json",
                CaptureKind::Tdmrep,
            ),
            (
                "http://a.example/.well-known/trust.txt",
                CaptureKind::TrustTxt,
            ),
            ("http://a.example/trust.txt", CaptureKind::TrustTxt),
            ("http://a.example/ai.txt", CaptureKind::AiTxt),
            ("http://a.example/.well-known/ai.txt", CaptureKind::AiTxt),
            (
                "http://a.example/automation-preferences.txt",
                CaptureKind::Automation,
            ),
        ] {
            let page = PageUrl::new(url.as_bytes()).expect("a URL of the table");
            assert_eq!(CaptureKind::from_url(&page), kind, "{url}");
        }
    }
}
