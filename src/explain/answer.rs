//! The answer to a scenario, key by key.

use super::file::File;
use super::history::{History, site_file_requests, site_index};
use super::keys::{self, Question, add_reason};
use super::scenario::{Scenario, place};
use super::systems::{Sources, cell, labels, systems};
use crate::robots::{Matched, VendorTexts};
use crate::systems::aipref_attach::{AiprefPolicy, PagePreferences, RobotsPreferences};
use crate::systems::aipref_vocab::{Answers, Statement, Vocabulary};
use crate::systems::path_rules::lines_of;
use crate::systems::{Page, Site};
use crate::verdict::{self, PageRecord, Resolver, RobotsState, SiteCopies};
use crate::web::field::Field;
use crate::web::path_pattern::UrlPath;
use crate::web::preference::Preference;
use crate::web::shown::shown;
use crate::web::url::PageUrl;
use serde_json::{Map, Value, json};

/// The parts of a decision about a page.
struct Decision<'s> {
    scenario: &'s Scenario,
    url: &'s PageUrl<'static>,
    resolver: &'s Resolver,
    site: &'s SiteCopies<'s>,
    page: &'s PageRecord<'s>,
    decided: &'s verdict::Decision<'s>,
    file: Option<&'s File<'s>>,
    history: History<'s>,
}

/// Answers a scenario.
pub fn answer(json: &Value, scenario: &Scenario) -> Map<String, Value> {
    let mut answer = Map::new();
    if let Some(statements) = &scenario.statements {
        of_statements(statements, &scenario.viewpoint.vocabulary, &mut answer);
    }
    if let Some(url) = &scenario.url {
        let resolver = Resolver::new(scenario.viewpoint.clone(), &scenario.agents);
        let index = site_index(scenario);
        let site = index.site(Some(&url.origin()), scenario.fetched_at, scenario.slack, &resolver);
        let fields: Vec<Field<'_>> = scenario.signals.iter().map(field).collect();
        let unread: Vec<&str> = scenario.unread.iter().map(|name| name.as_str().unwrap_or("?")).collect();
        let page = PageRecord::new(Some(url.clone()), scenario.media_type.as_deref(), &fields, &unread);
        let decided = resolver.decide(&page, &site, None);
        let vendor_texts = site.compiled_robots().map(|_| VendorTexts::bundled());
        let file = site.compiled_robots().zip(vendor_texts.as_ref());
        let file = file.map(|(compiled, texts)| File::new(compiled.robots(), &scenario.viewpoint, texts));
        let decision = Decision {
            scenario,
            url,
            resolver: &resolver,
            site: &site,
            page: &page,
            decided: &decided,
            file: file.as_ref(),
            history: History::new(scenario, url, index.timeline()),
        };
        decision.robots(&mut answer);
        decision.surroundings(json, &mut answer);
        decision.systems(json, &mut answer);
        overall(&mut answer);
    } else {
        let viewpoint = &scenario.viewpoint;
        let question = Question { scenario: json, viewpoint, site: None, page: None, copies: &[] };
        keys::add(&question, &mut answer);
    }
    answer
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
    fn path(&self) -> UrlPath {
        UrlPath::new(self.url.path().as_bytes(), self.url.query().map(str::as_bytes))
    }

    /// May the page be fetched, and why.
    fn robots(&self, answer: &mut Map<String, Value>) {
        let crawl = &self.decided.access;
        let rule = crawl.rule.map(|rule| shown(rule).into_owned());
        let mut put = |key: &str, value: Value| drop(answer.insert(key.to_owned(), value));
        put("crawl", crawl.preference.as_str().into());
        put("robots_crawl", crawl.preference.as_str().into());
        put("crawl_rule", rule.clone().into());
        put("crawl_rule_line", crawl.line.into());
        put("access_reason", crawl.reason.into());
        put("access_matched", crawl.matched.map(Matched::as_str).into());
        put("disallowed_agents", self.resolver.disallowed(&crawl.disallowed).into());
        put("robots_state", self.site.current.state.as_str().into());
        put("robots_time", self.site.current.fetched_at.map(|at| at.to_string()).into());
        put("robots_age_s", self.site.current.age_s.into());
        if self.scenario.is_history {
            put("robots_copy", self.history.copy().into());
            put("stale", self.site.current.stale.into());
        }
        let reason = json!({
            "system": "rfc9309", "state": self.site.current.state.as_str(), "reason": crawl.reason,
            "line": crawl.line, "rule": rule, "copy_fetched": self.site.current.fetched_at.map(|at| at.to_string()),
        });
        put("reasons", vec![reason].into());
    }

    /// The page, the viewpoint, and the lines and requests around the decision.
    fn surroundings(&self, json: &Value, answer: &mut Map<String, Value>) {
        let (scenario, crawl) = (self.scenario, &self.decided.access);
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
        let path = &self.path();
        let also = own.map(|file| file.also(path, crawl.line));
        let (also, also_count) = also.unwrap_or_default();
        answer.insert(
            "robots".to_owned(),
            json!({
                "around": around(&|file| crawl.line.map_or(Value::Null, |line| file.around(line))),
                "group": around(&|file| file.group(crawl.line)),
                "also": also, "also_count": also_count,
                "replaced": around(&|file| file.replaced(path, &scenario.viewpoint)),
                "vendors": around(&|file| file.vendors()),
                "lines": own.map(|file| file.robots().line_count()),
                "cut": own.map(|file| file.robots().is_cut()),
                "redirects": self.site.current.redirects,
                "slack_needed_s": self.site.current.slack_needed_s,
                "hops": self.history.hops(),
                "copies": self.history.copies(),
            }),
        );
    }

    /// What each system says of the page.
    fn systems(&self, json: &Value, answer: &mut Map<String, Value>) {
        let viewpoint = &self.scenario.viewpoint;
        let robots = self.file.map(|file| Site { robots: file.robots(), selection: file.selection() });
        let page = Page {
            host: Some(self.url.origin_host()),
            path: self.page.path(),
            media_type: self.page.media_type,
            crawl: self.decided.access.preference,
            fields: self.page.fields,
        };
        let copies: Vec<_> = self.site.other_bodies().map(|body| (body.kind, body.body())).collect();
        answer.insert("site_files".to_owned(), site_file_requests(self.scenario, self.site));
        self.aipref(robots.as_ref(), &page, answer);
        let sources = Sources::new(self.file, &copies, self.page.fields);
        self.columns(&sources, answer);
        let site = robots.as_ref();
        let question = Question { scenario: json, viewpoint, site, page: Some(&page), copies: &copies };
        keys::add(&question, answer);
    }

    /// What the systems' columns of `pages` hold for the page, by their names, and the labels.
    fn columns(&self, sources: &Sources<'_>, answer: &mut Map<String, Value>) {
        let columns = self.decided.answers.iter().flat_map(|one| one.about.columns.iter().zip(&one.values));
        let columns: Map<String, Value> =
            columns.map(|(column, value)| (column.name.to_owned(), cell(value))).collect();
        answer.insert("columns".to_owned(), columns.into());
        labels(&self.decided.labels, sources, answer);
        let (speaking, silent) = systems(&self.decided.answers, &self.scenario.viewpoint, sources);
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
        let also = self.file.map(|file| file.also_usage(&self.path(), &numbers));
        answer.insert("preference_rules_also".to_owned(), also.unwrap_or_default());
        answer.insert("preference_rules".to_owned(), texts.into());
        answer.insert("preference_rule_lines".to_owned(), numbers.into());
    }

    /// Returns the robots.txt lines that took part.
    fn deciding_lines(&self, policy: &AiprefPolicy, robots: RobotsPreferences) -> Vec<(u32, String)> {
        let applies = match robots {
            RobotsPreferences::Stated(_) => self.site.current.state == RobotsState::Parsed,
            RobotsPreferences::NotApplicable => false,
        };
        let file = self.file.filter(|_| applies).map(File::robots);
        let path = self.path();
        let text = |line: u32| file?.record_on(line).map(|record| shown(record.text).into_owned());
        let lines = lines_of(policy.rules().longest(&path));
        lines.into_iter().filter_map(|line| Some((line, text(line)?))).collect()
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
