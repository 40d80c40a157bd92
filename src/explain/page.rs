//! The decision about a page with its reasons.
//!
//! Input: a scenario with a page. Output: the decision of [`Resolver::decide`] about it, with the lines, requests and
//! statements around it. Left out: the scenario's other questions (`questions`).

use super::explanation::{AccessAnswer, AiprefAnswer, PageExplanation, RobotsExplanation};
use super::questions::{self, by_label};
use super::requests::{copies, hops, requests, site_files, site_index};
use super::robots_lines::{RobotsLine, RobotsText};
use super::scenario::Scenario;
use super::systems::Sources;
use crate::robots::{ParseLimit, RobotsTxt, VendorTexts};
use crate::systems::aipref_attach::AiprefPolicy;
use crate::systems::path_rules::lines_of;
use crate::systems::{FileBody, Page};
use crate::verdict::{Access, Decision, GivenBodies, PageRecord, Resolver, SiteCopies, SiteIndex};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::path_pattern::UrlPath;
use crate::web::shown::shown;
use crate::web::url::PageUrl;

struct Subject<'s, 'p> {
    scenario: &'p Scenario,
    url: &'p PageUrl<'static>,
    resolver: &'s Resolver,
    index: &'s SiteIndex<GivenBodies>,
    site: &'s SiteCopies,
    file: Option<&'s RobotsText<'s>>,
    page: Page<'s>,
    path: &'s UrlPath,
}

/// Returns the decision about a page, and SUP's answer for it.
pub fn explain<'s>(
    scenario: &'s Scenario,
    url: &'s PageUrl<'static>,
    fields: &[Field<'_>],
) -> (PageExplanation<'s>, questions::SupAnswer) {
    let viewpoint = &scenario.viewpoint;
    let resolver = Resolver::new(viewpoint.clone(), &scenario.agents);
    let index = site_index(scenario);
    let Ok(site) = index.site(Some(&scenario.origin(url)), scenario.fetched_at, scenario.slack, &resolver);
    let robots = site.current.body.map(|body| {
        let FileBody { bytes, extent } = index.bodies().get(body);
        (RobotsTxt::parse_within(bytes, extent, ParseLimit::default()), VendorTexts::bundled())
    });
    let file = robots.as_ref().map(|(robots, texts)| RobotsText::new(robots, viewpoint, texts));
    let unread: Vec<&str> = scenario.unread.iter().map(String::as_str).collect();
    let record = PageRecord::new(Some(url.clone()), scenario.media_type.as_deref(), fields, &unread)
        .fetched_at(scenario.fetched_at);
    let decision = resolver.decide(&record, &site);
    let path = UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
    let page = Page {
        scheme: Some(url.scheme()),
        host: Some(url.origin_host()),
        path: Some(&path),
        media_type: scenario.media_type.as_deref(),
        fetched_at: scenario.fetched_at,
        crawl: decision.access.preference,
        fields,
    };
    let (resolver, index, site, file) = (&resolver, &index, &site, file.as_ref());
    let subject = Subject { scenario, url, resolver, index, site, file, page, path: &path };
    (subject.explain(decision), questions::sup(&scenario.questions, file, fields))
}

impl<'p> Subject<'_, 'p> {
    fn explain(&self, decision: Decision<'_>) -> PageExplanation<'p> {
        let copies: Vec<_> =
            self.site.other_bodies().map(|(kind, body)| (kind, self.index.bodies().get(body))).collect();
        let rivals = self.site.rival_bodies().map(|(kind, body)| (kind, self.index.bodies().get(body)));
        let sources = Sources::new(self.file, &copies, rivals, self.page.fields);
        let others = |number: usize| {
            let by_robots = self.resolver.systems(self.site.compiled_robots());
            let compiled = self.site.compiled(number).or(by_robots.get(number).map(Box::as_ref));
            compiled.map(|compiled| compiled.other_grounds(&self.page)).unwrap_or_default()
        };
        PageExplanation {
            scenario: self.scenario,
            url: self.url,
            agents: self.resolver.tokens().len(),
            unread: decision.unread.iter().map(|carrier| (*carrier).to_owned()).collect(),
            robots: self.robots(decision.access.line),
            access: self.access(&decision.access),
            site_files: site_files(self.scenario, self.site),
            aipref: self.aipref(),
            labels: sources.labels(&decision.labels),
            systems: sources.systems(decision.answers, &self.scenario.viewpoint, others),
            app_directives: self.app_directives(),
            automation: self.automation(&copies),
        }
    }

    fn access(&self, access: &Access<'_>) -> AccessAnswer {
        let disallowed = self.resolver.disallowed(&access.disallowed);
        AccessAnswer {
            preference: access.preference,
            reason: access.reason,
            line: access.line,
            rule: access.rule.map(|rule| shown(rule).into_owned()),
            matched: access.matched,
            disallowed_agents: disallowed.map(|tokens| tokens.into_iter().map(str::to_owned).collect()),
        }
    }

    fn robots(&self, decided: Option<u32>) -> RobotsExplanation<'p> {
        let (scenario, current) = (self.scenario, &self.site.current);
        let origin = scenario.origin(self.url);
        let hops = hops(scenario, &origin, self.index.timeline());
        let number = hops.first().copied();
        RobotsExplanation {
            state: current.state,
            fetched_at: current.fetched_at,
            age_s: current.age_s,
            stale: current.fetched_at.map(|_| current.stale),
            redirects: current.redirects,
            slack_needed_s: current.slack_needed_s,
            is_history: scenario.is_history,
            copy: number,
            file: self.file.map(|file| file.explain(self.path, decided, &scenario.viewpoint)),
            hops: requests(scenario, &hops),
            copies: copies(scenario, &origin, number),
        }
    }

    fn aipref(&self) -> AiprefAnswer {
        let viewpoint = &self.scenario.viewpoint;
        let site = self.file.map(RobotsText::site);
        let policy = AiprefPolicy::new(site.as_ref(), viewpoint);
        let preferences = policy.preferences(&self.page, viewpoint);
        let named = |answers| by_label(&answers, &viewpoint.vocabulary);
        let rules = preferences.robots.map(|_| self.deciding_lines(&policy)).unwrap_or_default();
        let also = self.file.map(|file| file.also_usage(self.path, &rules));
        AiprefAnswer {
            preferences: preferences.combined().map(named),
            header: preferences.header.map(named),
            robots: preferences.robots.map(named),
            rules,
            also: also.unwrap_or_default(),
        }
    }

    fn deciding_lines(&self, policy: &AiprefPolicy) -> Vec<RobotsLine> {
        let lines = lines_of(policy.longest(self.path)).into_iter();
        self.file.map(|file| file.records(lines)).unwrap_or_default()
    }

    fn app_directives(&self) -> Option<questions::AppDirectivesAnswer> {
        let application = self.scenario.questions.application.as_deref()?;
        questions::app_directives(application, &self.page, self.file, &self.scenario.viewpoint)
    }

    fn automation(&self, copies: &[(CaptureKind, FileBody<'_>)]) -> Option<questions::AutomationAnswer> {
        let (_, copy) = copies.iter().find(|(kind, _)| *kind == CaptureKind::Automation)?;
        let method = self.scenario.questions.method.as_deref();
        Some(questions::automation(*copy, &self.page, &self.scenario.viewpoint, method))
    }
}
