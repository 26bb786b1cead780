//! The `bcheck` program; everything happens in the library's `cli`.

fn main() {}
