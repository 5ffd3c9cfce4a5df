//! Experiments carried out block by block until a verdict.
