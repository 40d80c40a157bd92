//! The rules of reading records: HTTP heads, bodies, HTML heads, character sets.

mod body;
mod body_damage;
mod body_support;
mod charset;
mod html_head;
mod html_head_generated;
mod http_head;
