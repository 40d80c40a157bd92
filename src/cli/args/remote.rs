//! The flags for what is behind URLs.

use super::values::parse_duration;
use clap::Args;
use crawlprefs::store::Places;
use std::num::NonZeroUsize;
use std::time::Duration;

const HEADING: &str = "Servers and stores";

/// How servers and stores are asked.
#[derive(Args, Clone)]
pub struct RemoteArgs {
    /// Do not sign requests to stores, as public buckets allow
    #[arg(help_heading = HEADING, long)]
    pub no_sign_request: bool,

    /// What to send behind name and version in the field User-Agent, such as a contact
    #[arg(help_heading = HEADING, long, value_name = "TEXT")]
    pub user_agent: Option<String>,

    /// How often a request is sent again that was refused for now (429, 503) or broke off
    #[arg(help_heading = HEADING, long, value_name = "N", default_value_t = 8)]
    pub retries: u32,

    /// How long one answer may take
    #[arg(help_heading = HEADING, long, value_name = "DURATION", value_parser = parse_duration, default_value = "5m")]
    pub timeout: Duration,

    /// How many requests a second are sent to a host that is not a store of yours (http, https)
    #[arg(help_heading = HEADING, long, value_name = "N", default_value = "2")]
    pub request_rate: NonZeroUsize,

    /// How many requests are under way at once to such a host
    #[arg(help_heading = HEADING, long, value_name = "N", default_value = "4")]
    pub connections: NonZeroUsize,
}

impl RemoteArgs {
    /// Returns the places that the other flags name.
    #[cfg(feature = "remote")]
    pub fn places(&self) -> Places {
        use crawlprefs::store::{RemoteOptions, Signing};
        Places::new(RemoteOptions {
            user_agent: self.user_agent.clone(),
            retries: self.retries,
            timeout: self.timeout,
            request_rate: self.request_rate,
            connections: self.connections,
            signing: if self.no_sign_request { Signing::Anonymous } else { Signing::Signed },
        })
    }

    /// Returns the places that the other flags name: folders.
    #[cfg(not(feature = "remote"))]
    #[allow(clippy::unused_self)] // it has the form of the other
    pub fn places(&self) -> Places {
        Places::default()
    }
}
