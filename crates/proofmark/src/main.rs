//! The command: arguments → plan → do → show.

fn main() {}
