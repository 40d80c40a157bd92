//! The flags of `doctor`.

use super::RemoteArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct DoctorArgs {
    /// Places that your jobs use: folders for tables or with archives, URLs of archives or lists, prefixes of buckets
    #[arg(value_name = "PLACE")]
    pub places: Vec<String>,

    /// Folder for temporary files, if your jobs have that option
    #[arg(long, value_name = "DIR")]
    pub temp_dir: Option<PathBuf>,

    #[command(flatten)]
    pub remote: RemoteArgs,
}
