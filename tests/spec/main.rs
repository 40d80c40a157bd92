//! The rules of the documents, held over the test vectors and over generated input.

mod ai_training;
mod aipref_attach;
mod aipref_hostile;
mod aipref_robots;
mod aipref_vocab;
mod app_directives;
mod applications;
mod automation_preferences;
mod content_signal;
mod content_signal_slow;
mod explain;
#[path = "../support/explain.rs"]
mod explain_command;
mod labels;
mod lints;
mod managed;
mod prose;
mod readings;
mod rep_vectors;
mod robots_hostile;
mod robots_tag;
mod rsl;
mod signals_bytes;
mod site_texts;
mod statement_rows;
mod structured_fields;
mod sup;
mod sup_bytes;
mod tdmrep;
mod text;
mod timeline_generated;
mod timeline_vectors;
mod vectors;
