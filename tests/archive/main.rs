//! The reader of archives: framing, damage, forgery, and other implementations as oracles.

mod damage;
mod fixture;
mod forgery;
mod formats;
mod framing;
mod heads;
mod hostile;
mod hostile_formats;
mod oracle;
#[path = "../support/rounds.rs"]
mod rounds;
#[path = "../support/warc.rs"]
mod warc;
mod wat;
