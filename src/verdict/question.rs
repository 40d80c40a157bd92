//! One page in one call chain: its URL, the files of its site, its header fields and metas, and the decision.
//!
//! Example: `decide("https://a.example/").robots("User-agent: *\nDisallow: /").decision()`.
//! Left out: many pages of one site, for which [`Resolver`] and [`FilesOfSites`] keep compiled files; fetch times, and redirects
//! of site files.

use super::{
    AgentsTable, Decision, FilesOfSites, PageRecord, Resolver, RobotsState, timeline::FetchOutcome,
};
use crate::systems::{Label, Value, Viewpoint};
use crate::web::field::{Carrier, OwnedField};
use crate::web::url::{NotWeb, PageUrl};
use crate::web::{
    capture_kind::CaptureKind, media_type::essence, origin::Origin, preference::Preference,
    product_token::NotAToken,
};

/// Begins a question about the page of a URL; [`PageQuestion::decision`] ends it.
pub fn decide(url: &str) -> PageQuestion {
    let (files, fields, viewpoint) = (Vec::new(), Vec::new(), Ok(Viewpoint::default()));
    PageQuestion {
        url: url.to_owned(),
        files,
        fields,
        viewpoint,
        agents: None,
    }
}

/// A page that needs a decision, and the known facts about it.
#[derive(Clone, Debug)]
#[must_use = "a question decides nothing before `decision`"]
pub struct PageQuestion {
    url: String,
    files: Vec<(CaptureKind, FetchOutcome, Vec<u8>)>,
    fields: Vec<OwnedField>,
    viewpoint: Result<Viewpoint, NotAToken>,
    agents: Option<AgentsTable>,
}

/// The decision about a page, in the words of the columns of the table `pages`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageDecision {
    /// Whether it may be fetched, by robots.txt.
    pub access: Preference,
    /// The reason: the kind of rule, or the state of robots.txt.
    pub access_reason: &'static str,
    /// The line of robots.txt that decided, from 1.
    pub access_line: Option<u32>,
    /// That line without its comment and outer white space; bytes outside UTF-8 are U+FFFD.
    pub access_rule: Option<String>,
    /// The state of robots.txt.
    pub robots_state: RobotsState,
    /// The agents of the agents table that may not fetch it; `None` if that is not known.
    pub disallowed_agents: Option<Vec<String>>,
    /// The agents that surely may not fetch it (KNOW-10).
    pub disallowed_agents_at_least: Vec<String>,
    /// The labels on which answers contradict each other.
    pub conflict: Vec<Label>,
    /// The carriers and site files that could not be read in full; if there are any, no label is allow.
    pub unread: Vec<String>,
    /// The carriers and site files in which something may be a no and is not understood; no label of its topic is allow.
    pub doubt: Vec<String>,
    /// The carriers that nobody received; if there are any, no label is allow.
    pub not_seen: Vec<String>,
    /// The columns of each system, in the system's own words, in the order of `pages`.
    pub columns: Vec<(&'static str, Value)>,
    /// Each label, the decision about it, and the systems and carriers that decided it.
    pub(crate) labels: Vec<(Label, Preference, Vec<String>)>,
}

/// Why there is no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The URL is not that of a web page.
    #[error("URL: {0}")]
    Url(#[from] NotWeb),
    /// The agent is not a product token.
    #[error("agent: {0}")]
    Agent(#[from] NotAToken),
}

impl PageQuestion {
    /// Sets the crawler by its product token; the default is `CCBot`.
    pub fn agent(mut self, product_token: &str) -> Self {
        self.viewpoint = Viewpoint::new(product_token);
        self
    }

    /// Sets the crawler with all parts of a viewpoint: comparison of names, vocabulary, applications. The last call of this and
    /// [`Self::agent`] counts.
    pub fn viewpoint(mut self, viewpoint: Viewpoint) -> Self {
        self.viewpoint = Ok(viewpoint);
        self
    }

    /// Sets the agents of `disallowed_agents`; the default is the bundled table.
    pub fn agents(mut self, table: AgentsTable) -> Self {
        self.agents = Some(table);
        self
    }

    /// Adds the robots.txt of the page's site. Without one, access is unknown.
    pub fn robots(self, body: impl AsRef<[u8]>) -> Self {
        self.site_file(CaptureKind::Robots, body)
    }

    /// Adds the status of the answer for a missing robots.txt, such as 404 or 503.
    pub fn robots_status(mut self, status: u16) -> Self {
        self.files.push((
            CaptureKind::Robots,
            FetchOutcome::Status(status),
            Vec::new(),
        ));
        self
    }

    /// Adds another file of the page's site, such as tdmrep.json.
    pub fn site_file(mut self, kind: CaptureKind, body: impl AsRef<[u8]>) -> Self {
        self.files
            .push((kind, FetchOutcome::Status(200), body.as_ref().to_vec()));
        self
    }

    /// Adds a header field of the page's response. Without a Content-Type the page is HTML.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.field(Carrier::Header, name, value.as_ref())
    }

    /// Adds a meta element of the page's head, by its name.
    pub fn meta(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.field(Carrier::Meta, name, content.as_ref())
    }

    fn field(mut self, carrier: Carrier, name: &str, value: &[u8]) -> Self {
        self.fields.push(OwnedField::new(carrier, name, value));
        self
    }

    /// Returns the decision.
    pub fn decision(self) -> Result<PageDecision, QuestionError> {
        let url = PageUrl::new(self.url.as_bytes())?;
        let origin = Origin::new(&url);
        let resolver = Resolver::new(
            self.viewpoint?,
            &self.agents.unwrap_or_else(AgentsTable::bundled),
        );
        let files: Vec<_> = self
            .files
            .iter()
            .map(|(kind, answer, body)| (*kind, *answer, body.as_slice()))
            .collect();
        let index = FilesOfSites::of_files(&origin, &files);
        let fields = OwnedField::all(&self.fields);
        let content_type = fields
            .iter()
            .find(|field| field.is_field(&["content-type"]));
        let media_type =
            content_type.map_or(Some("text/html".into()), |field| essence(field.value));
        let page = PageRecord::new(Some(url), media_type.as_deref(), &fields, &[]);
        let site = index.given(&origin, &resolver);
        Ok(PageDecision::from_decision(
            &resolver.decide(&page, &site),
            site.current.state,
            &resolver,
        ))
    }
}

impl PageDecision {
    /// Takes the decision of a resolver, and the state of robots.txt.
    pub(crate) fn from_decision(
        decision: &Decision<'_>,
        robots_state: RobotsState,
        resolver: &Resolver,
    ) -> Self {
        let Decision {
            access,
            answers,
            labels,
            unread,
            doubt,
            not_seen,
            ..
        } = decision;
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let columns = answers
            .iter()
            .flat_map(|answer| answer.about.columns.iter().zip(&answer.values));
        Self {
            access: access.preference,
            access_reason: access.reason,
            access_line: access.line,
            access_rule: access
                .rule
                .map(|rule| String::from_utf8_lossy(rule).into_owned()),
            robots_state,
            disallowed_agents: resolver
                .disallowed(&access.disallowed)
                .as_deref()
                .map(owned),
            disallowed_agents_at_least: owned(&resolver.surely_disallowed(&access.disallowed)),
            conflict: labels.conflict.clone(),
            columns: columns
                .map(|(column, value)| (column.name, value.clone()))
                .collect(),
            labels: Label::ALL
                .map(|label| (label, labels.of(label), labels.from(label)))
                .to_vec(),
            unread: owned(unread),
            doubt: owned(doubt),
            not_seen: owned(not_seen),
        }
    }

    /// Returns the decision about a label.
    pub fn label(&self, label: Label) -> Preference {
        self.labels
            .iter()
            .find(|(one, ..)| *one == label)
            .map_or(Preference::Unknown, |(_, found, _)| *found)
    }

    /// Returns the systems and carriers that decided a label, each as `system carrier`.
    pub fn label_from(&self, label: Label) -> &[String] {
        self.labels
            .iter()
            .find(|(one, ..)| *one == label)
            .map_or(&[], |(_, _, from)| from)
    }

    /// Returns a column of a system, such as `tdm_reservation`; `None` if no system has it.
    pub fn column(&self, name: &str) -> Option<&Value> {
        self.columns
            .iter()
            .find(|(column, _)| *column == name)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::{PageQuestion, QuestionError, decide};
    use crate::systems::{Label, Value, Viewpoint};
    use crate::verdict::RobotsState;
    use crate::web::capture_kind::CaptureKind;
    use crate::web::preference::Preference::{Allow, Disallow, Unknown};
    use crate::web::product_token::NotAToken;
    use crate::web::url::NotWeb;

    #[test]
    fn local_what_is_not_known_is_never_allowed() {
        let decision = decide("https://a.example/").decision().expect("a URL");
        assert_eq!(
            (decision.access, decision.robots_state),
            (Unknown, RobotsState::NotArchived)
        );
        assert_eq!(decision.disallowed_agents, None);
        let missing = decide("https://a.example/")
            .robots_status(404)
            .decision()
            .expect("a URL");
        assert_eq!(
            (missing.access, missing.robots_state),
            (Allow, RobotsState::Unavailable)
        );
        let failing = decide("https://a.example/")
            .robots_status(503)
            .decision()
            .expect("a URL");
        assert_eq!((failing.access, failing.access_line), (Disallow, None));
        assert!(
            failing
                .disallowed_agents
                .is_some_and(|agents| agents.iter().any(|agent| agent == "GPTBot"))
        );
        let gzip = decide("https://a.example/")
            .robots(b"\x1f\x8b\x08\0")
            .decision()
            .expect("a URL");
        assert_eq!(
            (gzip.access, gzip.robots_state),
            (Unknown, RobotsState::Unreadable)
        );
    }

    #[test]
    fn local_files_fields_and_metas_of_any_case_count() {
        let decision = decide("https://a.example/b?c")
            .agent("GPTBot")
            .robots("User-agent: gptbot\nDisallow: /b # no\n")
            .site_file(
                CaptureKind::Tdmrep,
                r#"[{"location": "/", "tdm-reservation": 1}]"#,
            )
            .header("TDM-Reservation", "0")
            .meta("Robots", "NOAI")
            .decision()
            .expect("a URL");
        assert_eq!((decision.access, decision.access_line), (Disallow, Some(2)));
        assert_eq!(decision.access_rule.as_deref(), Some("Disallow: /b"));
        assert_eq!(decision.label(Label::TrainAi), Disallow);
        assert_eq!(decision.label_from(Label::TrainAi), ["robots_tag meta"]);
        assert_eq!(decision.column("tdm_reservation"), Some(&Value::Word("0")));
        assert_eq!(decision.column("no_such"), None);
    }

    #[test]
    fn local_an_image_is_one_by_its_content_type() {
        let image = |url: &str, content_type: &str| {
            let question = decide(url).header("Content-Type", content_type);
            question
                .header("X-Robots-Tag", "noimageai")
                .decision()
                .expect("a URL")
                .label(Label::TrainAi)
        };
        let page = "https://a.example/a";
        assert_eq!(
            (image(page, "image/png"), image(page, "text/html")),
            (Disallow, Unknown)
        );
        let bytes = |url| image(url, "Application/Octet-Stream; x=1");
        let named = [
            "https://a.example/a.JPEG?b=c.txt",
            "https://a.example/a.zip?b=c.png",
        ];
        assert_eq!(named.map(bytes), [Disallow, Unknown]);
        assert_eq!(image("https://a.example/a.png", "text/html"), Unknown);
    }

    #[test]
    fn local_of_viewpoint_and_agent_the_last_counts() {
        let question = decide("https://a.example/").robots("User-agent: GPTBot\nDisallow: /\n");
        let access = |question: PageQuestion| question.decision().expect("a URL").access;
        assert_eq!(
            access(
                question
                    .clone()
                    .viewpoint(Viewpoint::default())
                    .agent("GPTBot")
            ),
            Disallow
        );
        assert_eq!(
            access(question.agent("GPTBot").viewpoint(Viewpoint::default())),
            Allow
        );
    }

    #[test]
    fn local_what_cannot_be_asked_is_an_error() {
        let field = decide("https://a.example/")
            .agent("Mozilla/5.0 (compatible; GPTBot/1.2)")
            .decision();
        assert_eq!(field, Err(QuestionError::Agent(NotAToken::UserAgentField)));
        assert_eq!(
            decide("dns:a.example").decision(),
            Err(QuestionError::Url(NotWeb::NotHttp))
        );
        let agent = decide("https://a.example/").agent("a*b").decision();
        assert_eq!(
            agent.expect_err("no token").to_string(),
            "agent: found byte 0x2A in a product token, expected visible ASCII without # and *"
        );
    }
}
