//! Executables read as functions, instructions and facts.
