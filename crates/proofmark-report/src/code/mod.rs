//! Views of machine code: functions and their facts, expectations, differences.

mod difference;
mod expectations;
mod function;
mod functions;
mod json;

pub use difference::{
    Compared, difference, difference_json, difference_listing, difference_summary,
};
pub use expectations::{expectations, expectations_github, expectations_json, expectations_junit};
pub use function::{InFull, function};
pub use functions::functions;
pub use json::{function_json, functions_json};

/// The version of these JSON documents' shape, which rises when a program that reads the present shape could be misled.
pub const CODE_SCHEMA_VERSION: u32 = 1;

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
