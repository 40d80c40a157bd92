//! The flags of `demo`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct DemoArgs {
    /// Folder for the archives and the tables
    #[arg(short, long, value_name = "DIR", default_value = "crawlprefs-demo")]
    pub out: PathBuf,
}
