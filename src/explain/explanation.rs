//! The results of `explain` for a scenario, as values.
//!
//! Example: the access to a page with the line that decided, the lines beside it, and the rule that would have decided without
//! it. Left out: the output; `json` and the command write it.

use super::questions::{
    AppDirectivesAnswer, AutomationAnswer, Preferences, RobotsTags, StatementsAnswer, SupAnswer, TagAnswer,
};
use super::requests::RobotsRequest;
use super::robots_lines::{RobotsFile, RobotsLine};
use super::scenario::{Request, Scenario};
use super::systems::{LabelsExplanation, SystemExplanation};
use crate::robots::Matched;
use crate::verdict::RobotsState;
use crate::web::preference::Preference;
use crate::web::timestamp::Timestamp;
use crate::web::url::PageUrl;

/// The answers to a scenario.
pub struct Explanation<'s> {
    /// The decision about the page, if the scenario has one.
    pub page: Option<PageExplanation<'s>>,
    /// The combined meaning of its statements of the AI preference vocabulary.
    pub statements: Option<StatementsAnswer>,
    /// The meaning of the lines of its robots tag.
    pub tag: Option<TagAnswer>,
    /// The meaning of the robots tags among its header fields and metas.
    pub robots_tags: Option<RobotsTags>,
    /// The answer of SUP.
    pub sup: Option<SupAnswer>,
}

/// The decision about a page with its reasons.
pub struct PageExplanation<'s> {
    /// The scenario with the page, its captures and the viewpoint.
    pub scenario: &'s Scenario,
    pub url: &'s PageUrl<'static>,
    /// The number of agents in the table, including the viewpoint's.
    pub agents: usize,
    /// The carriers and site files that could not be read in full; with any, no label is allow.
    pub unread: Vec<String>,
    /// Whether it may be fetched, by robots.txt alone.
    pub access: AccessAnswer,
    /// The robots.txt that counts.
    pub robots: RobotsExplanation<'s>,
    /// The requests for the other site files that count.
    pub site_files: Vec<&'s Request>,
    /// The preferences of AIPREF by source.
    pub aipref: AiprefAnswer,
    /// The answer of each system, in the order of `SYSTEMS`.
    pub systems: Vec<SystemExplanation>,
    /// The labels over all systems.
    pub labels: LabelsExplanation,
    /// The App-Directives for the application in question.
    pub app_directives: Option<AppDirectivesAnswer>,
    /// The answer of the automation-preferences.txt that counts.
    pub automation: Option<AutomationAnswer>,
}

/// Whether a page may be fetched, and why.
#[derive(Debug)]
pub struct AccessAnswer {
    /// Whether it may be fetched.
    pub preference: Preference,
    /// Why: the rule's kind, or the state of robots.txt.
    pub reason: &'static str,
    /// The number of the line that decided.
    pub line: Option<u32>,
    /// That line without comment and outer white space.
    pub rule: Option<String>,
    /// How the groups were found.
    pub matched: Option<Matched>,
    /// The agents of the table that may not fetch it, if that is known.
    pub disallowed_agents: Option<Vec<String>>,
}

/// The robots.txt that counts, and the requests for it.
#[derive(Debug)]
pub struct RobotsExplanation<'s> {
    /// Its state.
    pub state: RobotsState,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// Seconds from its fetch to that of the page.
    pub age_s: Option<i64>,
    /// Whether it is more than 24 hours older than the page (RFC 9309 2.4), if its time is known.
    pub stale: Option<bool>,
    /// How many redirects were seen.
    pub redirects: u8,
    /// If no copy counts: the slack in seconds with which the first later copy would count.
    pub slack_needed_s: Option<i64>,
    /// Whether the captures in the scenario have times.
    pub is_history: bool,
    /// The number in the scenario, from 0, of the copy that counts.
    pub copy: Option<usize>,
    /// The file, if one was read.
    pub file: Option<RobotsFile>,
    /// The requests on which the decision rests, the first one first.
    pub hops: Vec<RobotsRequest<'s>>,
    /// All requests for the file, by time.
    pub copies: Vec<RobotsRequest<'s>>,
}

/// The preferences of AIPREF.
#[derive(Debug)]
pub struct AiprefAnswer {
    /// Those of both sources together; `None` if they do not apply.
    pub preferences: Option<Preferences>,
    /// Those of the header, if the field was received.
    pub header: Option<Preferences>,
    /// Those of robots.txt; `None` if the path may not be crawled.
    pub robots: Option<Preferences>,
    /// The lines of robots.txt that contributed.
    pub rules: Vec<RobotsLine>,
    /// Other lines that match, the longest path first.
    pub also: Vec<RobotsLine>,
}
