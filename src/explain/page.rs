//! The decision about a page with its reasons.
//!
//! Input: a scenario with a page. Output: the decision of [`Resolver::decide`] about it, with the lines, requests and
//! statements around it. Left out: the scenario's other questions (`questions`).

use super::explanation::{AiprefAnswer, PageExplanation};
use super::questions::{self, by_label};
use super::requests::{copies, hops, site_files, site_index};
use super::robots_lines::RobotsText;
use super::scenario::Scenario;
use super::systems::{Sources, with_sources};
use crate::robots::VendorTexts;
use crate::systems::aipref_attach::AiprefPolicy;
use crate::systems::path_rules::lines_of;
use crate::systems::{Page, SYSTEMS, Viewpoint};
use crate::verdict::{PageDecision, PageRecord, Resolver};
use crate::web::capture_kind::CaptureKind;
use crate::web::field::Field;
use crate::web::path_pattern::UrlPath;
use crate::web::shown::shown;
use crate::web::url::PageUrl;

/// Returns the decision about a page, and SUP's answer for it.
pub fn explain<'s>(
    scenario: &'s Scenario,
    url: &'s PageUrl<'static>,
    fields: &[Field<'_>],
) -> (PageExplanation<'s>, questions::SupAnswer) {
    let (viewpoint, questions) = (&scenario.viewpoint, &scenario.questions);
    let resolver = Resolver::new(viewpoint.clone(), &scenario.agents);
    let (index, origin) = (site_index(scenario), scenario.origin(url));
    let Ok(site) = index.site(Some(&origin), scenario.fetched_at, scenario.slack, &resolver);
    let unread: Vec<&str> = scenario.unread.iter().map(String::as_str).collect();
    let record = PageRecord::new(Some(url.clone()), scenario.media_type.as_deref(), fields, &unread)
        .fetched_at(scenario.fetched_at);
    let decision = resolver.decide(&record, &site);
    let page = record.for_systems(decision.access.preference);
    let path = UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
    let by_robots = resolver.systems(site.compiled_robots());
    let of_page = |sources: &Sources<'_>| {
        let shown_rule = decision.access.rule.map(|rule| shown(rule).into_owned());
        let file = sources.file.map(|file| file.explain(&path, decision.access.line, viewpoint));
        let automation = sources.copies.iter().find(|(kind, _)| *kind == CaptureKind::Automation);
        let hops = hops(scenario, &origin, index.timeline());
        let explanation = PageExplanation {
            scenario,
            agents: resolver.tokens().len(),
            decision: PageDecision {
                access_rule: shown_rule,
                ..PageDecision::of(&decision, site.current.state, &resolver)
            },
            matched: decision.access.matched,
            current: site.current,
            file,
            copies: copies(scenario, &origin, hops.first().map(|hop| hop.copy)),
            hops,
            site_files: site_files(scenario, &site),
            aipref: aipref(sources.file, &page, &path, viewpoint),
            evidence: sources.evidence(&decision.labels.evidence),
            overruled: sources.evidence(&decision.labels.overruled),
            systems: SYSTEMS
                .iter()
                .zip(decision.answers)
                .zip(by_robots)
                .enumerate()
                .map(|(number, ((system, answer), by_robots))| {
                    let others = site.compiled(number).unwrap_or(by_robots.as_ref()).other_grounds(&page);
                    sources.system(system, answer, &others, viewpoint)
                })
                .collect(),
            app_directives: questions.application.as_deref().and_then(|application| {
                questions::app_directives(application, &page, sources.file, viewpoint)
            }),
            automation: automation
                .map(|(_, copy)| questions::automation(*copy, &page, viewpoint, questions.method.as_deref())),
        };
        (explanation, questions::sup(questions, sources.file, fields))
    };
    let sources = (index.bodies(), &site);
    let Ok(explained) = with_sources(sources, (viewpoint, &VendorTexts::bundled()), fields, of_page);
    explained
}

fn aipref(
    file: Option<&RobotsText<'_>>,
    page: &Page<'_>,
    path: &UrlPath,
    viewpoint: &Viewpoint,
) -> AiprefAnswer {
    let site = file.map(RobotsText::site);
    let policy = AiprefPolicy::new(site.as_ref(), viewpoint);
    let preferences = policy.preferences(page, viewpoint);
    let named = |answers| by_label(&answers, &viewpoint.vocabulary);
    let rules = preferences.robots.and(file).map(|file| file.records(lines_of(policy.longest(path))));
    let rules = rules.unwrap_or_default();
    let also = file.map(|file| file.also_usage(path, &rules)).unwrap_or_default();
    let (header, robots) = (preferences.header.map(named), preferences.robots.map(named));
    let preferences = preferences.combined().map(named);
    AiprefAnswer { preferences, header, robots, rules, also }
}
