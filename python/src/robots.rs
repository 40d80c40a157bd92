//! A robots.txt and its answers (RFC 9309).

use crate::jobs::error;
use crawlprefs::cli::called::Failure;
use crawlprefs::evidence::{SITE_FILE_BYTES, body::plain};
use crawlprefs::robots;
use crawlprefs::verdict::{AgentsTable, AskedAgent};
use crawlprefs::web::body_text::ReadAs;
use crawlprefs::web::product_token::{NotAToken, ProductToken};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::sync::LazyLock;

/// A robots.txt (RFC 9309), read as the command reads it.
#[pyclass(frozen, module = "crawlprefs")]
pub struct RobotsTxt(robots::RobotsTxt);

/// Whether a crawler may fetch a path, and the line that decided.
#[pyclass(frozen, get_all, eq, skip_from_py_object, module = "crawlprefs")]
#[derive(Clone, PartialEq)]
pub struct Access {
    /// `allow`, `disallow`, or `unknown`: the file cannot be read, or has a line that was meant as a rule and cannot be read.
    verdict: &'static str,
    /// `rule`, `no_rule`, `no_group`, `robots_txt_itself`, `unreadable` or `line_lost`.
    reason: &'static str,
    /// The number of the line that decided, from 1; None where no line did.
    line: Option<u32>,
    /// That line without comment and outer white space; foreign bytes are U+FFFD.
    rule: Option<String>,
}

/// The bundled agents table.
static AGENTS: LazyLock<AgentsTable> = LazyLock::new(AgentsTable::bundled);

/// Refuses a list of crawlers, and a name that is a slip for one of the agents table; `named` are further known names.
#[pyfunction]
pub fn check_agent(py: Python<'_>, agent: &str, named: Vec<String>) -> PyResult<()> {
    let is_named = named
        .into_iter()
        .any(|name| name.eq_ignore_ascii_case(agent));
    let detail = match (ProductToken::of_crawler(agent), AGENTS.asked(agent)) {
        (Err(fault @ NotAToken::List), _) => format!("{agent}: {fault}"),
        (Ok(_), AskedAgent::Slip(token)) if !is_named => {
            format!(
                "{agent}: not in the agents table, which has {token}; if {agent} is meant, pass agent_unknown=True"
            )
        }
        _ => return Ok(()),
    };
    Err(error(
        py,
        Failure {
            kind: "bad_option",
            detail,
            retry: false,
        },
    ))
}

/// A body: text or bytes.
#[derive(FromPyObject)]
enum Body {
    Text(String),
    Bytes(PyBackedBytes),
}

#[pymethods]
impl RobotsTxt {
    #[new]
    #[pyo3(signature = (body, /))]
    fn new(py: Python<'_>, body: Body) -> Self {
        py.detach(|| match body {
            Body::Text(text) => Self(robots::RobotsTxt::parse(text)),
            Body::Bytes(bytes) => Self(robots::RobotsTxt::parse(plain(
                &bytes,
                SITE_FILE_BYTES,
                ReadAs::RobotsTxt,
            ))),
        })
    }

    /// Returns whether the crawler with this product token may fetch a page.
    ///
    /// `path` is its URL, or its path with the query: `/a?b=c`.
    #[pyo3(signature = (crawler, path, *, agent_unknown = false))]
    fn access(
        &self,
        py: Python<'_>,
        crawler: &str,
        path: &str,
        agent_unknown: bool,
    ) -> PyResult<Access> {
        let named = || {
            self.0
                .groups()
                .flat_map(|group| group.agent_names())
                .collect()
        };
        if !agent_unknown {
            check_agent(py, crawler, named())?;
        }
        let access = self.0.access(crawler, path);
        Ok(Access {
            verdict: access.verdict.as_str(),
            reason: access.reason.as_str(),
            line: access.line,
            rule: access
                .rule
                .map(|rule| String::from_utf8_lossy(rule).into_owned()),
        })
    }

    /// Returns the names in the user-agent lines of each group, in the order of the file.
    fn groups(&self) -> Vec<Vec<String>> {
        self.0.groups().map(|group| group.agent_names()).collect()
    }

    /// Whether the file is longer than 500 KiB, and only its lines within that were read.
    #[getter]
    fn is_cut(&self) -> bool {
        self.0.is_cut()
    }

    /// Whether the body is no text that can be read, such as gzip or UTF-16: no answer of it is known.
    #[getter]
    fn is_unreadable(&self) -> bool {
        self.0.is_unreadable()
    }

    fn __repr__(&self) -> String {
        format!(
            "<RobotsTxt: {} lines, {} groups>",
            self.0.line_count(),
            self.0.groups().len()
        )
    }
}

#[pymethods]
impl Access {
    /// Whether the path may be fetched.
    #[getter]
    fn is_allowed(&self) -> bool {
        self.verdict == robots::Verdict::Allow.as_str()
    }

    /// Whether the path may not be fetched; False also where that is not known.
    #[getter]
    fn is_disallowed(&self) -> bool {
        self.verdict == robots::Verdict::Disallow.as_str()
    }

    fn __repr__(&self) -> String {
        let line = self
            .line
            .map_or_else(String::new, |line| format!(", line={line}"));
        format!("<Access: {}, reason={}{line}>", self.verdict, self.reason)
    }
}
