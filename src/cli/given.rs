//! The options of a call by their names, for the report.
//!
//! Left out: credentials. Of a URL, neither the user nor the query is kept, as signed URLs have their key there.

use super::report::Given;
use clap::{ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

/// Returns the command and its options as they were given, defaults included.
pub fn given(command: &Command, matches: &ArgMatches) -> Given {
    let Some((name, matches)) = matches.subcommand() else {
        return Given { command: String::new(), options: Map::new() };
    };
    let arguments = command.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
    let mut options = Map::new();
    for argument in arguments {
        let id = argument.get_id().as_str();
        let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
        let mut values: Vec<Value> =
            values.map(|value| without_credentials(&value.to_string_lossy()).into()).collect();
        let value = match argument.get_action() {
            ArgAction::SetTrue => matches.get_flag(id).into(),
            ArgAction::Append => Value::from(values),
            _ => values.pop().unwrap_or_default(),
        };
        options.insert(argument.get_long().unwrap_or(id).to_owned(), value);
    }
    Given { command: name.to_owned(), options }
}

/// Returns a value in which URLs have neither user nor query.
fn without_credentials(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let (address, query) = match rest.find(['?', '#']) {
        Some(at) => (rest.get(..at).unwrap_or_default(), "?..."),
        None => (rest, ""),
    };
    let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let host = match host.rsplit_once('@') {
        Some((_, host)) => format!("...@{host}"),
        None => host.to_owned(),
    };
    format!("{scheme}://{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn local_urls_lose_their_credentials_and_nothing_else_does() {
        for (given, kept) in [
            ("a/b@c?d", "a/b@c?d"),
            ("s3://bucket/a@b/*.warc.gz", "s3://bucket/a@b/*.warc.gz"),
            ("@https://me:secret@host/list?X-Amz-Signature=1", "@https://...@host/list?..."),
            ("https://a@b:c@host#token", "https://...@host?..."),
        ] {
            assert_eq!(without_credentials(given), kept);
        }
    }
}
