//! What changed in the machine code, in one line.

use proofmark_code::comparison::Changes;

use crate::number::grouped;

/// One line for a pull request: "12 of 6,769 functions changed, 2 hot, 3 added, 1 removed (1 hot)".
#[must_use]
pub fn summary(changes: &Changes) -> String {
    let mut text = format!(
        "{} of {} functions changed",
        grouped(changes.changed),
        grouped(changes.functions)
    );
    if let Some(hot) = changes.hot {
        text.push_str(&if hot == 0 {
            ", none hot".to_string()
        } else {
            format!(", {} hot", grouped(hot))
        });
    }
    for (number, hot, what) in [
        (changes.added, changes.hot_added, "added"),
        (changes.removed, changes.hot_removed, "removed"),
        (changes.renamed, None, "renamed"),
    ] {
        if number > 0 {
            text.push_str(&format!(", {} {what}", grouped(number)));
        }
        if let Some(hot) = hot.filter(|hot| *hot > 0) {
            text.push_str(&format!(" ({} hot)", grouped(hot)));
        }
    }
    if let Some([base, new]) = changes.archs {
        text.push_str(&format!(
            "; the base is for {base} and the other for {new}, which cannot be compared"
        ));
    }
    // A part that is shown as all of it needs no word.
    if let Some(covered) = changes.covered.filter(|covered| *covered < 0.9995) {
        text.push_str(&format!(
            "; {:.1} % of the profile is in these programs",
            covered * 100.0
        ));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use proofmark_code::Arch;

    use super::*;

    #[test]
    fn the_summary_tells_what_changed_from_what_came_and_went() {
        let mut changes = Changes {
            functions: 6769,
            changed: 12,
            added: 0,
            removed: 0,
            renamed: 0,
            hot: Some(2),
            hot_added: Some(0),
            hot_removed: Some(0),
            archs: None,
            covered: Some(0.9999),
        };
        let line = "12 of 6,769 functions changed, 2 hot\n";
        assert_eq!(summary(&changes), line);
        (changes.added, changes.removed, changes.renamed) = (3, 1, 2);
        (changes.hot_removed, changes.covered) = (Some(1), Some(0.43));
        let line = "12 of 6,769 functions changed, 2 hot, 3 added, 1 removed (1 hot), 2 renamed; 43.0 % of the profile is in these programs\n";
        assert_eq!(summary(&changes), line);
        changes.archs = Some([Arch::X86_64, Arch::Aarch64]);
        let said = summary(&changes);
        assert!(said.contains("the base is for x86-64 and the other for aarch64"));
    }
}
