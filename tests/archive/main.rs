//! The reader of archives: framing, damage, forgery, and other implementations as oracles.

mod damage;
mod fixture;
mod forgery;
mod formats;
mod framing;
mod heads;
mod oracle;
mod wat;
