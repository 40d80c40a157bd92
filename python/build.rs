//! A changed or new query is built in.

fn main() {
    println!("cargo::rerun-if-changed=../queries");
}
