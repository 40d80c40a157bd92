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
    /// The archives of a batch that had evidence; none of them in site files.
    pub archives: Vec<String>,
    /// The manifests of the group's batches, where the part is that of the group's site files.
    pub batches: Vec<String>,
}
