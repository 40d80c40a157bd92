//! The answer to a scenario, key by key.

use super::file::File;
use super::history::{History, SiteFiles};
use super::scenario::{RobotsFetch, Scenario, place};
use super::systems::{Sources, cell, labels, systems};
use crate::robots::{Matched, VendorTexts};
use crate::systems::aipref_attach::{AiprefPolicy, PagePreferences, RobotsPreferences};
use crate::systems::aipref_vocab::{Answers, Statement, Vocabulary};
use crate::systems::{Page, Policy, Question, SYSTEMS, Site, add_reason};
use crate::verdict::labels::Reading;
use crate::verdict::timeline::Fetch;
use crate::verdict::{Crawl, Current, Disallowed, Resolver, RobotsState, SitePolicy, Timeline};
use crate::web::field::Field;
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::product_token::ProductToken;
use crate::web::shown::shown;
use crate::web::url::PageUrl;
use serde_json::{Map, Value, json};

/// The parts of a decision about a page.
struct Decision<'s> {
    scenario: &'s Scenario,
    url: &'s PageUrl<'static>,
    resolver: &'s Resolver,
    current: Current<u32>,
    policy: Option<&'s SitePolicy>,
    file: Option<&'s File<'s>>,
    history: History<'s>,
    crawl: Crawl<'s>,
    path: UrlPath,
}

/// Answers a scenario.
pub fn answer(json: &Value, scenario: &Scenario) -> Map<String, Value> {
    let mut answer = Map::new();
    if let Some(statements) = &scenario.statements {
        of_statements(statements, &scenario.viewpoint.vocabulary, &mut answer);
    }
    if let Some(url) = &scenario.url {
        let resolver = Resolver::new(scenario.viewpoint.clone(), &scenario.agents);
        let timeline =
            Timeline::new((0..).zip(&scenario.fetches).map(|(number, fetch)| fetch_of(number, fetch)));
        let current = timeline.current(&url.origin(), scenario.fetched_at, scenario.slack);
        let fetch = current.body.and_then(|number| scenario.fetches.get(number as usize));
        let body = fetch.and_then(|fetch| Some((fetch.body.as_deref()?, fetch.extent)));
        let policy = body.map(|(body, extent)| resolver.compile(body, extent));
        let vendor_texts = policy.as_ref().map(|_| VendorTexts::bundled());
        let file = policy.as_ref().zip(vendor_texts.as_ref());
        let file = file.map(|(policy, texts)| File::new(policy.robots(), &scenario.viewpoint, texts));
        let path = UrlPath::new(url.path().as_bytes(), url.query().map(str::as_bytes));
        let crawl = resolver.crawl(current.state, policy.as_ref(), Some(&path));
        let decision = Decision {
            scenario,
            url,
            resolver: &resolver,
            current,
            policy: policy.as_ref(),
            file: file.as_ref(),
            history: History::new(scenario, url, &timeline),
            crawl,
            path,
        };
        decision.robots(&mut answer);
        decision.surroundings(json, &mut answer);
        decision.systems(json, &mut answer);
        overall(&mut answer);
    } else {
        let viewpoint = &scenario.viewpoint;
        let question = Question { scenario: json, viewpoint, site: None, page: None, copies: &[] };
        for system in SYSTEMS {
            system.explain(&question, &mut answer);
        }
    }
    answer
}

fn fetch_of(number: u32, fetch: &RobotsFetch) -> Fetch<'_, u32> {
    Fetch {
        url: fetch.url.clone(),
        fetched_at: fetch.fetched_at,
        answer: fetch.answer,
        redirect: fetch.location.as_deref(),
        body: fetch.body.as_ref().map(|_| number),
    }
}

/// RULES PREC-7: automation-preferences.txt may close for a method what robots.txt leaves open.
///
/// Ours: where robots.txt is unknown it opens nothing, for it never widens what robots.txt allows.
fn overall(answer: &mut Map<String, Value>) {
    if answer.get("method_allowed") == Some(&Value::Bool(false)) {
        answer.insert("crawl".to_owned(), Preference::Disallow.as_str().into());
    }
}

/// Statements without a page: does each parse, and what do they say together?
fn of_statements(statements: &[String], vocabulary: &Vocabulary, answer: &mut Map<String, Value>) {
    let read: Vec<_> = statements.iter().map(|text| Statement::parse(text.as_bytes(), vocabulary)).collect();
    let answers = read.iter().flatten().fold(Answers::UNKNOWN, |all, one| all.and(&one.answers(vocabulary)));
    answer.insert("parses".to_owned(), read.iter().map(Result::is_ok).collect());
    answer.insert("preferences".to_owned(), by_label(&answers, vocabulary));
    let reasons: Vec<Value> = read
        .iter()
        .filter_map(|statement| statement.as_ref().err())
        .map(|defect| json!({ "system": "aipref", "defect": defect.to_string() }))
        .collect();
    answer.insert("reasons".to_owned(), reasons.into());
}

fn by_label(answers: &Answers, vocabulary: &Vocabulary) -> Value {
    let labels =
        vocabulary.labels().map(|(label, name)| (name.to_owned(), answers.of(label).as_str().into()));
    Value::Object(labels.collect())
}

impl Decision<'_> {
    /// May the page be fetched, and why.
    fn robots(&self, answer: &mut Map<String, Value>) {
        let crawl = &self.crawl;
        let rule = crawl.rule.map(|rule| shown(rule).into_owned());
        let mut put = |key: &str, value: Value| drop(answer.insert(key.to_owned(), value));
        put("crawl", crawl.access.as_str().into());
        put("robots_crawl", crawl.access.as_str().into());
        put("crawl_rule", rule.clone().into());
        put("crawl_rule_line", crawl.line.into());
        put("access_reason", crawl.reason.into());
        put("access_matched", crawl.matched.map(Matched::as_str).into());
        put("disallowed_agents", self.disallowed_agents());
        put("robots_state", self.current.state.as_str().into());
        put("robots_time", self.current.fetched_at.map(|at| at.to_string()).into());
        put("robots_age_s", self.current.age_s.into());
        if self.scenario.is_history {
            put("robots_copy", self.history.copy().into());
            put("stale", self.current.stale.into());
        }
        let reason = json!({
            "system": "rfc9309", "state": self.current.state.as_str(), "reason": crawl.reason,
            "line": crawl.line, "rule": rule, "copy_fetched": self.current.fetched_at.map(|at| at.to_string()),
        });
        put("reasons", vec![reason].into());
    }

    /// The page, the viewpoint, and the lines and requests around the decision.
    fn surroundings(&self, json: &Value, answer: &mut Map<String, Value>) {
        let (scenario, crawl) = (self.scenario, &self.crawl);
        let mut page = place(json);
        page.insert("url".to_owned(), self.url.as_str().into());
        page.insert(
            "fetched".to_owned(),
            scenario.fetched_at.filter(|_| scenario.is_history).map(|at| at.to_string()).into(),
        );
        page.insert("captures".to_owned(), json["captures"].clone());
        page.insert("unread".to_owned(), scenario.unread.clone().into());
        answer.insert("page".to_owned(), page.into());
        answer.insert(
            "viewpoint".to_owned(),
            json!({
                "product_token": scenario.viewpoint.token.as_str(),
                "vocabulary": scenario.viewpoint.vocabulary.name(),
                "token_match": scenario.viewpoint.token_match.as_str(),
                "agents": self.resolver.tokens().len(),
            }),
        );
        let own = self.file;
        let around = |of: &dyn Fn(&File<'_>) -> Value| own.map_or(Value::Null, of);
        let also = own.map(|file| file.also(&self.path, crawl.line));
        let (also, also_count) = also.unwrap_or_default();
        answer.insert(
            "robots".to_owned(),
            json!({
                "around": around(&|file| crawl.line.map_or(Value::Null, |line| file.around(line))),
                "group": around(&|file| file.group(crawl.line)),
                "also": also, "also_count": also_count,
                "replaced": around(&|file| file.replaced(&self.path, &scenario.viewpoint)),
                "vendors": around(&|file| file.vendors()),
                "lines": own.map(|file| file.robots().line_count()),
                "cut": own.map(|file| file.robots().is_cut()),
                "redirects": self.current.redirects,
                "slack_needed_s": self.current.slack_needed_s,
                "hops": self.history.hops(),
                "copies": self.history.copies(),
            }),
        );
    }

    fn disallowed_agents(&self) -> Value {
        match &self.crawl.disallowed {
            Disallowed::Unknown => Value::Null,
            Disallowed::All => self.resolver.tokens().iter().map(ProductToken::as_str).collect(),
            Disallowed::Some(tokens) => tokens.iter().map(|place| self.resolver.token(place)).collect(),
        }
    }

    /// What each system says of the page.
    fn systems(&self, json: &Value, answer: &mut Map<String, Value>) {
        let viewpoint = &self.scenario.viewpoint;
        let site = self.file.map(|file| Site { robots: file.robots(), selection: file.selection() });
        let fields: Vec<Field<'_>> = self.scenario.signals.iter().map(field).collect();
        let (host, crawl) = (Some(self.url.origin_host()), self.crawl.access);
        let media_type = self.scenario.media_type.as_deref();
        let page = Page { host, path: Some(&self.path), media_type, crawl, fields: &fields };
        let SiteFiles { bodies: copies, requests } = SiteFiles::new(self.scenario, self.url);
        answer.insert("site_files".to_owned(), requests);
        self.aipref(site.as_ref(), &page, answer);
        let site = site.as_ref();
        let question = Question { scenario: json, viewpoint, site, page: Some(&page), copies: &copies };
        self.columns(&question, &page, answer);
        for system in SYSTEMS {
            system.explain(&question, answer);
        }
    }

    /// What the systems' columns of `pages` hold for the page, by their names, and the labels.
    fn columns(&self, question: &Question<'_>, page: &Page<'_>, answer: &mut Map<String, Value>) {
        let viewpoint = question.viewpoint;
        let own = SYSTEMS.iter().map(|signal| {
            let copies = signal.site_file().map(|kind| question.copies_of(kind)).unwrap_or_default();
            (!copies.is_empty()).then(|| signal.compile_copies(&copies, viewpoint))
        });
        let own: Vec<Option<Box<dyn Policy>>> = own.collect();
        let site = self.resolver.policies(self.policy);
        let policies = || own.iter().zip(site).map(|(own, site)| own.as_ref().unwrap_or(site).as_ref());
        let mut values = Vec::new();
        for policy in policies() {
            policy.answer(page, viewpoint, &mut values);
        }
        let columns = SYSTEMS.iter().flat_map(|system| system.columns()).zip(values);
        let columns: Map<String, Value> =
            columns.map(|(column, value)| (column.name.to_owned(), cell(value))).collect();
        answer.insert("columns".to_owned(), columns.into());
        let reading = if self.scenario.unread.is_empty() { Reading::Whole } else { Reading::Partial };
        let sources = Sources::new(self.file, question.copies, page.fields);
        labels(&self.resolver.labels(page, self.policy, policies(), reading), &sources, answer);
        let (speaking, silent) = systems(policies(), page, viewpoint, &sources);
        answer.insert("systems".to_owned(), speaking.into());
        answer.insert("silent".to_owned(), silent.into());
    }

    /// What AIPREF says of the page.
    fn aipref(&self, site: Option<&Site<'_>>, page: &Page<'_>, answer: &mut Map<String, Value>) {
        let viewpoint = &self.scenario.viewpoint;
        let policy = AiprefPolicy::new(site, viewpoint);
        let preferences = policy.preferences(page, viewpoint);
        let vocabulary = &viewpoint.vocabulary;
        let values = preferences.combined().map_or(Value::Null, |answers| by_label(&answers, vocabulary));
        answer.insert("preferences".to_owned(), values);
        answer.insert("by_source".to_owned(), by_source(&preferences, vocabulary));
        let lines = self.deciding_lines(&policy, preferences.robots);
        let texts: Vec<String> = lines.iter().map(|(_, text)| text.clone()).collect();
        let numbers: Vec<u32> = lines.iter().map(|(line, _)| *line).collect();
        let reason = json!({
            "system": "aipref", "vocabulary": vocabulary.name(), "lines": numbers, "rules": texts,
            "header": preferences.header.is_some(),
        });
        add_reason(answer, reason);
        let also = self.file.map(|file| file.also_usage(&self.path, &numbers));
        answer.insert("preference_rules_also".to_owned(), also.unwrap_or_default());
        answer.insert("preference_rules".to_owned(), texts.into());
        answer.insert("preference_rule_lines".to_owned(), numbers.into());
    }

    /// Returns the robots.txt lines that took part.
    fn deciding_lines(&self, policy: &AiprefPolicy, robots: RobotsPreferences) -> Vec<(u32, String)> {
        let applies = match robots {
            RobotsPreferences::Stated(_) => self.current.state == RobotsState::Parsed,
            RobotsPreferences::NotApplicable => false,
        };
        let file = self.policy.filter(|_| applies).map(SitePolicy::robots);
        let decision = policy.rules().decide(&self.path);
        let text = |line: u32| file?.record_on(line).map(|record| shown(record.text).into_owned());
        decision.rules().filter_map(|rule| Some((rule.line(), text(rule.line())?))).collect()
    }
}

fn field((carrier, name, value): &(crate::web::field::Carrier, String, Vec<u8>)) -> Field<'_> {
    Field { carrier: *carrier, name, value }
}

fn by_source(preferences: &PagePreferences, vocabulary: &Vocabulary) -> Value {
    let robots = match preferences.robots {
        RobotsPreferences::Stated(answers) => by_label(&answers, vocabulary),
        RobotsPreferences::NotApplicable => Value::Null,
    };
    json!({ "header": preferences.header.map(|answers| by_label(&answers, vocabulary)), "robots": robots })
}
