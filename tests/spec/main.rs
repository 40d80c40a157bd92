//! The rules of the documents, held over the test vectors and over generated input.

#[cfg(feature = "explain")]
mod account;
#[cfg(feature = "explain")]
mod account_rules;
#[cfg(feature = "explain")]
mod ai_training;
mod aipref_attach;
mod aipref_hostile;
mod aipref_robots;
mod aipref_vocab;
#[cfg(feature = "explain")]
mod app_directives;
#[cfg(feature = "explain")]
mod applications;
#[cfg(feature = "explain")]
mod automation_preferences;
#[cfg(feature = "explain")]
mod content_signal;
#[cfg(feature = "explain")]
mod content_signal_slow;
#[cfg(feature = "cli")]
mod explain;
#[cfg(feature = "cli")]
#[path = "../support/explain.rs"]
mod explain_command;
#[cfg(feature = "explain")]
mod hostile_steps;
#[cfg(feature = "explain")]
mod know;
#[cfg(feature = "explain")]
mod know_vectors;
#[cfg(feature = "explain")]
mod labels;
mod lints;
mod managed;
#[cfg(feature = "explain")]
mod prose;
#[path = "../support/random.rs"]
mod random;
#[cfg(feature = "explain")]
mod readings;
#[cfg(feature = "explain")]
#[path = "../support/reasons.rs"]
mod reasons;
mod rep_vectors;
mod robots_hostile;
#[cfg(feature = "explain")]
mod robots_tag;
#[path = "../support/rounds.rs"]
mod rounds;
#[cfg(feature = "explain")]
mod rsl;
#[cfg(feature = "explain")]
mod site_texts;
#[cfg_attr(not(feature = "explain"), allow(dead_code))]
mod statement_rows;
#[cfg(feature = "explain")]
mod sup;
mod sup_bytes;
mod system_bytes;
#[cfg(feature = "explain")]
mod tdmrep;
#[cfg(feature = "explain")]
mod text;
mod timeline_generated;
mod timeline_slow;
mod timeline_vectors;
#[cfg(feature = "explain")]
mod vector_keys;
mod vectors;
mod worlds;
