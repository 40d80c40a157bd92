//! What `explain` finds out about a scenario, as values.
//!
//! Example: the access to a page with the line that decided, the lines beside it, and the rule that would have
//! decided without it. Left out: how it is written; `json` and the command write it.

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
    /// The decision about the page, where the scenario has one.
    pub page: Option<PageExplanation<'s>>,
    /// What its statements of the AI preference vocabulary mean together.
    pub statements: Option<StatementsAnswer>,
    /// What the lines of its robots tag mean.
    pub tag: Option<TagAnswer>,
    /// What the robots tags among its header fields and metas mean.
    pub robots_tags: Option<RobotsTags>,
    /// What SUP answers.
    pub sup: Option<SupAnswer>,
}

/// The decision about a page with its reasons.
pub struct PageExplanation<'s> {
    /// The scenario with the page, its captures and the viewpoint.
    pub scenario: &'s Scenario,
    pub url: &'s PageUrl<'static>,
    /// How many agents the table has, with the viewpoint's.
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
    /// What each system answers, in the order of `SYSTEMS`.
    pub systems: Vec<SystemExplanation>,
    /// The labels over all systems.
    pub labels: LabelsExplanation,
    /// The App-Directives for the application in question.
    pub app_directives: Option<AppDirectivesAnswer>,
    /// What the automation-preferences.txt that counts answers.
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
    /// The agents of the table that may not fetch it, where that is known.
    pub disallowed_agents: Option<Vec<String>>,
}

/// The robots.txt that counts, and the requests for it.
#[derive(Debug)]
pub struct RobotsExplanation<'s> {
    /// What is known of it.
    pub state: RobotsState,
    /// When it was fetched.
    pub fetched_at: Option<Timestamp>,
    /// Seconds from its fetch to that of the page.
    pub age_s: Option<i64>,
    /// Whether it is more than 24 hours older than the page (RFC 9309 2.4), where its time is known.
    pub stale: Option<bool>,
    /// How many redirects were seen.
    pub redirects: u8,
    /// The slack in seconds by which the first later copy would count, where no copy does.
    pub slack_needed_s: Option<i64>,
    /// Whether the captures in the scenario have times.
    pub is_history: bool,
    /// The number of the copy that counts in the scenario, from 0.
    pub copy: Option<usize>,
    /// The file, where one was read.
    pub file: Option<RobotsFile>,
    /// The requests on which the decision rests, the first request first.
    pub hops: Vec<RobotsRequest<'s>>,
    /// All requests for the file, by time.
    pub copies: Vec<RobotsRequest<'s>>,
}

/// The preferences of AIPREF.
#[derive(Debug)]
pub struct AiprefAnswer {
    /// Those of both sources together; `None` where they do not apply.
    pub preferences: Option<Preferences>,
    /// Those of the header, where the field came.
    pub header: Option<Preferences>,
    /// Those of robots.txt; `None` where the path may not be crawled.
    pub robots: Option<Preferences>,
    /// The lines of robots.txt that took part.
    pub rules: Vec<RobotsLine>,
    /// Others that match, the longest path first.
    pub also: Vec<RobotsLine>,
}
