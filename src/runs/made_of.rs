//! What a batch's manifest says its parts were made of, so that they are never made again of less.
//!
//! Example: the batch `17.1-warc-0000` was made of 50 archives. Where a folder of evidence is missing later, 25 of them
//! are known; then the batch stays as it is, and the call is refused.

use serde::{Deserialize, Serialize};

/// What a part of each table was made of.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MadeOf {
    /// What identifies the evidence of its group.
    pub evidence: String,
    /// The archives of a batch of which there was evidence; `None` for site files, and in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archives: Option<Vec<String>>,
    /// The manifests of the group's batches, where the part is that of the group's site files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batches: Option<Vec<String>>,
}
