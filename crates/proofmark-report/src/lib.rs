//! Views of recorded evidence.
