//! What is checked in the arguments before a command begins: a value with a slip ends it with status 2, and the nearest valid one
//! is named.
//!
//! Example: `--agent GTPBot` would be answered by the groups for `*`, although `GPTBot` is shut out. Left out: what only files
//! and tables show.

use super::args::{Command, ExplainArgs, JudgeArgs, ViewpointArgs};
use super::{judge, resolve};
use crawlprefs::judge::Policy;
use crawlprefs::systems::Viewpoint;
use crawlprefs::verdict::{AgentsTable, AskedAgent};
use crawlprefs::web::nearest::nearest;
use crawlprefs::web::url::{NotWeb, PageUrl};
use std::path::{Path, PathBuf};

/// The agent of a command and where it is looked for.
struct GivenAgent<'a> {
    name: Option<&'a String>,
    table: Option<&'a PathBuf>,
    taken_as: TakenAs,
}

/// What an agent that is in no table means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TakenAs {
    /// Near a known token, it is a slip.
    Slip,
    /// It is meant: `--agent-unknown`.
    Meant,
}

impl TakenAs {
    fn of(is_meant: bool) -> Self {
        if is_meant { Self::Meant } else { Self::Slip }
    }
}

/// Checks the values of a command; returns the agent that no table has, if there is one.
pub fn check(command: &Command) -> Result<Option<String>, String> {
    match command {
        Command::Run(args) => of_viewpoint(&args.view.viewpoint),
        Command::Resolve(args) => of_viewpoint(&args.view.viewpoint),
        Command::Sites(args) => of_viewpoint(&args.viewpoint),
        Command::History(args) => of_viewpoint(&args.viewpoint),
        Command::Explain(args) => of_explain(args),
        Command::Judge(args) => of_judge(args),
        _ => Ok(None),
    }
}

fn of_viewpoint(args: &ViewpointArgs) -> Result<Option<String>, String> {
    args.vocab.as_deref().map_or(Ok(()), of_vocabulary)?;
    let taken_as = TakenAs::of(args.agent_unknown);
    of_agent(&GivenAgent {
        name: args.agent.as_ref(),
        table: args.agents.as_ref(),
        taken_as,
    })
}

fn of_explain(args: &ExplainArgs) -> Result<Option<String>, String> {
    if let Some(url) = &args.url
        && PageUrl::new(url.as_bytes()) == Err(NotWeb::Unparsable)
    {
        return Err(format!(
            "--url {url}: found no scheme, expected a URL such as https://{url}"
        ));
    }
    of_viewpoint(&args.viewpoint)
}

fn of_judge(args: &JudgeArgs) -> Result<Option<String>, String> {
    args.vocab.as_deref().map_or(Ok(()), of_vocabulary)?;
    judge::added_in_memory(args).map_err(|failure| failure.detail)?;
    args.policy.as_deref().map_or(Ok(()), of_policy)?;
    let taken_as = TakenAs::of(args.agent_unknown);
    of_agent(&GivenAgent {
        name: args.agent.as_ref(),
        table: args.agents.as_ref(),
        taken_as,
    })
}

fn of_vocabulary(name: &str) -> Result<(), String> {
    if name == "dated" || Path::new(name).exists() || name.contains(['/', '.']) {
        return Ok(());
    }
    resolve::vocabulary(name).map(drop)
}

fn of_policy(name: &str) -> Result<(), String> {
    if Policy::presets().any(|preset| preset == name)
        || Path::new(name).exists()
        || name.contains(['/', '.'])
    {
        return Ok(());
    }
    let presets: Vec<&str> = Policy::presets().collect();
    let hint = nearest(name, presets.iter().copied());
    let hint = hint.map_or_else(String::new, |preset| format!("; try --policy {preset}"));
    Err(format!(
        "--policy {name}: neither one of {} nor a file{hint}",
        presets.join(", ")
    ))
}

fn of_agent(
    GivenAgent {
        name,
        table,
        taken_as,
    }: &GivenAgent<'_>,
) -> Result<Option<String>, String> {
    let Some(name) = name else { return Ok(None) };
    // The command says why a table cannot be read.
    let table = table
        .and_then(|file| resolve::agents(file).ok())
        .unwrap_or_else(AgentsTable::bundled);
    resolve::product_token(name, &table)?;
    // The default crawler is meant, even if a user's table lacks it.
    if *name == Viewpoint::default().token.as_str() {
        return Ok(None);
    }
    match (table.asked(name), taken_as) {
        (AskedAgent::Known, _) => Ok(None),
        (AskedAgent::Slip(token), TakenAs::Slip) => Err(format!(
            "--agent {name}: not in the agents table, which has {token}; if {name} is meant, add --agent-unknown"
        )),
        (AskedAgent::Slip(_) | AskedAgent::Unknown, _) => Ok(Some((*name).clone())),
    }
}
