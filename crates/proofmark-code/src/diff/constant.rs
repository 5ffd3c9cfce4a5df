//! Constants without a name, as they are shown beside the instructions that use them.

use std::fmt::Write as _;

/// So many letters of a text are shown.
const SHOWN: usize = 48;
/// So many letters before the first that differs.
const BEFORE: usize = 12;
/// Numbers of this size are likely meant where bits can be read as a fraction.
const LIKELY: std::ops::Range<f64> = 1e-9..1e15;

/// What an instruction refers to, where it has no name and cannot change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Constant<'a> {
    /// The bytes that are loaded.
    Value(&'a [u8]),
    /// The letters of a text.
    Text(&'a str),
}

impl Constant<'_> {
    /// In one line, a text from a letter on.
    pub(super) fn shown(&self, from: usize) -> String {
        match self {
            Constant::Value(bytes) => value(bytes),
            Constant::Text(text) => quoted(text, from),
        }
    }

    /// From which letter on two texts are to be shown so that one sees where they differ.
    pub(super) fn apart(a: Option<Self>, b: Option<Self>) -> usize {
        let (Some(Constant::Text(a)), Some(Constant::Text(b))) = (a, b) else {
            return 0;
        };
        let alike = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        if alike < SHOWN { 0 } else { alike - BEFORE }
    }
}

fn quoted(text: &str, from: usize) -> String {
    let mut letters = text.chars().skip(from);
    let shown: String = letters.by_ref().take(SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if letters.next().is_some() { "…" } else { "" };
    format!("\"{before}{}{behind}\"", shown.escape_debug())
}

/// In words of eight bytes, and as a fraction where it may be one.
fn value(bytes: &[u8]) -> String {
    let mut text = String::new();
    for word in bytes.chunks(8) {
        text.push_str(if text.is_empty() { "0x" } else { " 0x" });
        for byte in word.iter().rev() {
            let _ = write!(text, "{byte:02x}");
        }
    }
    let fraction = match bytes {
        [_, _, _, _] => bytes
            .try_into()
            .ok()
            .map(f32::from_le_bytes)
            .map(|f| (f64::from(f.abs()), f.to_string())),
        _ => bytes
            .try_into()
            .ok()
            .map(f64::from_le_bytes)
            .map(|f| (f.abs(), f.to_string())),
    };
    if let Some((_, fraction)) = fraction.filter(|(size, _)| LIKELY.contains(size)) {
        let _ = write!(text, ", as a float {fraction}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_and_fractions() {
        let shown = |bytes: &[u8]| Constant::Value(bytes).shown(0);
        let float = shown(&1.5f64.to_le_bytes());
        assert_eq!(float, "0x3ff8000000000000, as a float 1.5");
        let float = shown(&(-2.25f32).to_le_bytes());
        assert_eq!(float, "0xc0100000, as a float -2.25");
        assert_eq!(shown(&7u64.to_le_bytes()), "0x0000000000000007");
        assert_eq!(shown(&[1, 2]), "0x0201");
        let wide = [1u64, 2].map(u64::to_le_bytes).concat();
        assert_eq!(shown(&wide), "0x0000000000000001 0x0000000000000002");
    }

    #[test]
    fn texts_are_cut_where_they_are_alike() {
        let (a, b) = (Constant::Text("one\n\"1\""), Constant::Text("two"));
        assert_eq!(Constant::apart(Some(a), Some(b)), 0);
        assert_eq!(a.shown(0), r#""one\n\"1\"""#);
        let long = "ä".repeat(100);
        let (x, y) = (format!("{long}x"), format!("{long}y{long}"));
        let (x, y) = (Constant::Text(&x), Constant::Text(&y));
        let from = Constant::apart(Some(x), Some(y));
        assert_eq!(x.shown(from), format!("\"…{}x\"", "ä".repeat(12)));
        assert_eq!(
            y.shown(from),
            format!("\"…{}y{}…\"", "ä".repeat(12), "ä".repeat(35))
        );
    }
}
