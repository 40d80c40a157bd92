//! The flags for access to URLs.

use super::values::{parse_count, parse_duration, parse_number};
use crate::cli::event::Detail;
use crate::cli::log::{Form, Log};
use clap::Args;
use crawlprefs::store::{Places, RequestWatch};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const REQUEST_RATE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// How stores are asked, and whatever else is behind a URL.
#[derive(Args, Clone)]
pub struct StoreArgs {
    /// Do not sign requests to stores; public buckets allow that
    #[arg(long)]
    pub no_sign_request: bool,
    /// How often to repeat a request that was interrupted, or answered by 429 or 503
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, default_value_t = 8)]
    pub retries: u32,
    /// Time limit for one answer
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5m")]
    pub timeout: Duration,
}

/// How stores and web servers are asked.
#[derive(Args, Clone)]
pub struct RemoteArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    /// Text to add to the User-Agent field, after name and version, such as a contact
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
    /// Largest number of requests per second to one web server (http, https)
    #[arg(long, value_name = "N", value_parser = parse_count, default_value_t = REQUEST_RATE)]
    pub request_rate: NonZeroUsize,
    /// Let redirects and lists of servers lead to loopback, private and link-local addresses, and lists of web servers
    /// to buckets [default: only where the first address is of the same kind]
    #[arg(long)]
    pub allow_private: bool,
    /// How many requests to one web server are under way at once, as `--downloads` says.
    #[arg(skip)]
    #[cfg_attr(not(feature = "remote"), allow(dead_code))] // as flags that are not skipped
    pub at_once: Option<NonZeroUsize>,
}

/// What is reported of requests, where a command has nothing else to report.
#[derive(Args, Clone)]
pub struct WatchArgs {
    /// Write a line for each request that is sent again
    #[arg(short, long)]
    pub verbose: bool,
    /// Format of messages on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    pub log_format: Form,
    /// Write metrics for Prometheus at the end: requests that were sent again, hosts that were left alone
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Label `out` of the metrics, which keeps those of several calls apart [default: the name of the output folder]
    #[arg(long, value_name = "TEXT", requires = "metrics")]
    pub metrics_label: Option<String>,
}

impl WatchArgs {
    /// Returns the log that is asked for, which has this much without `--verbose`.
    pub fn log(&self, usual: Detail) -> Log {
        Log::new(
            self.log_format,
            if self.verbose {
                Detail::Archives
            } else {
                usual
            },
        )
    }
}

impl StoreArgs {
    /// Returns these flags, with the defaults of those for web servers.
    pub fn with_defaults(&self) -> RemoteArgs {
        RemoteArgs {
            store: self.clone(),
            user_agent: None,
            request_rate: REQUEST_RATE,
            allow_private: false,
            at_once: None,
        }
    }
}

impl RemoteArgs {
    /// Returns the places that the other flags name; somebody is informed of requests that are repeated.
    #[cfg(feature = "remote")]
    pub fn watched_places(&self, watch: Option<Arc<dyn RequestWatch>>) -> Places {
        use crawlprefs::store::{Addresses, RemoteOptions, Signing};
        let usual = RemoteOptions::default();
        Places::new(RemoteOptions {
            user_agent: self.user_agent.clone(),
            retries: self.store.retries,
            timeout: self.store.timeout,
            request_rate: self.request_rate,
            connections: self.at_once.unwrap_or(usual.connections),
            addresses: if self.allow_private {
                Addresses::Any
            } else {
                Addresses::AsNamed
            },
            watch,
            signing: if self.store.no_sign_request {
                Signing::Anonymous
            } else {
                Signing::Signed
            },
        })
    }

    /// Returns the places that the other flags name: folders.
    #[cfg(not(feature = "remote"))]
    #[allow(clippy::unused_self)] // it has the form of the other
    pub fn watched_places(&self, _: Option<Arc<dyn RequestWatch>>) -> Places {
        Places::default()
    }
}
