//! The rules of the documents, held over the test vectors and over generated input.

mod aipref_attach;
mod aipref_hostile;
mod aipref_robots;
mod aipref_vocab;
mod app_directives;
mod explain;
#[path = "../support/explain.rs"]
mod explain_command;
mod rep_vectors;
mod robots_hostile;
mod structured_fields;
mod sup;
mod sup_bytes;
mod timeline_generated;
mod timeline_vectors;
mod vectors;
