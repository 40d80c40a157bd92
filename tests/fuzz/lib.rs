//! The parsers, for fuzzing: the pure rooms of `src`, compiled again under the library's name.
//!
//! Their files are taken in by path, for the library itself comes with Arrow and Parquet, which no
//! target calls and which take minutes to build once more with coverage counters.

#[path = "../../src/archive/mod.rs"]
pub mod archive;
#[path = "../../src/explain/mod.rs"]
pub mod explain;
pub mod fuzzing;
#[path = "../../src/records/mod.rs"]
pub mod records;
#[path = "../../src/resolve/mod.rs"]
pub mod resolve;
#[path = "../../src/signals/mod.rs"]
pub mod signals;
#[path = "../../src/web/mod.rs"]
pub mod web;
