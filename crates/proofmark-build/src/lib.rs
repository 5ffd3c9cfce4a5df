//! Capture: builds that can be linked again.
