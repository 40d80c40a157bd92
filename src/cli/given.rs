//! The options of a call by their names, for the report.
//!
//! Left out: credentials. Of a URL, neither the user nor the query is kept, as signed URLs have their key there.

use super::report::GivenOptions;
use clap::{ArgAction, ArgMatches, Command};
use crawlprefs::web::shown::without_credentials;
use serde_json::{Map, Value};

/// Returns the command and its options as they were given, defaults included.
pub fn given(command: &Command, matches: &ArgMatches) -> GivenOptions {
    let Some((name, matches)) = matches.subcommand() else {
        return GivenOptions { command: String::new(), options: Map::new() };
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
    GivenOptions { command: name.to_owned(), options }
}
