//! The reader of archives: framing, damage, forgery, and other implementations as oracles.

mod damage;
mod fixture;
mod forgery;
mod framing;
mod oracle;
