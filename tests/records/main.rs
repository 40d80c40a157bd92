//! The rules of reading records: HTTP heads, bodies, HTML heads, character sets.

mod after_head;
mod body;
mod body_damage;
mod body_support;
mod charset;
mod chunks;
// These tests ask no coder for its names.
#[allow(dead_code)]
#[path = "../support/codings.rs"]
mod codings;
#[path = "../support/head_tree.rs"]
mod head_tree;
mod hostile;
mod html_head;
mod html_head_generated;
mod html_head_pages;
mod html_head_tree;
mod http_head;
#[allow(dead_code, reason = "other tests ask more of it")]
#[path = "../support/random.rs"]
mod random;
mod read;
#[path = "../support/rounds.rs"]
mod rounds;
#[path = "../support/warc.rs"]
mod warc;
