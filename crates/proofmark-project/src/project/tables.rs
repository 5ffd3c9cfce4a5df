//! The file's tables as they are written.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file's tables with their places. A `[claim]`, `[benchmark]` or `[gate]` that has keys of its
/// own is the only one: it gets its table's name. Tables of an idea are its candidates.
pub(super) fn tables(text: &str) -> Result<Spanned<DeTable<'_>>, toml::de::Error> {
    let mut top = DeTable::parse(text)?;
    for name in ["benchmark", "claim", "gate"] {
        if let Some(value) = top.get_mut().get_mut(name) {
            name_the_only(name, value);
        }
    }
    if let Some(value) = top.get_mut().get_mut("idea")
        && let DeValue::Table(ideas) = value.get_mut()
    {
        ideas
            .iter_mut()
            .for_each(|(_, idea)| gather_candidates(idea));
    }
    Ok(top)
}

/// A table in the table of an idea is a candidate of it.
fn gather_candidates(idea: &mut Spanned<DeValue<'_>>) {
    let span = idea.span();
    let DeValue::Table(table) = idea.get_mut() else {
        return;
    };
    let (candidates, own): (Vec<_>, Vec<_>) = std::mem::take(table)
        .into_iter()
        .partition(|(_, value)| value.get_ref().is_table());
    table.extend(own);
    if !candidates.is_empty() {
        let key = Spanned::new(span.clone(), Cow::Borrowed("candidate"));
        let gathered = DeTable::from_iter(candidates);
        table.insert(key, Spanned::new(span, DeValue::Table(gathered)));
    }
}

fn name_the_only(name: &'static str, value: &mut Spanned<DeValue<'_>>) {
    let DeValue::Table(table) = value.get_ref() else {
        return;
    };
    if table.values().all(|value| value.get_ref().is_table()) {
        return;
    }
    let span = value.span();
    let only = std::mem::replace(value.get_mut(), DeValue::Table(DeTable::new()));
    if let DeValue::Table(named) = value.get_mut() {
        let key = Spanned::new(span.clone(), Cow::Borrowed(name));
        named.insert(key, Spanned::new(span, only));
    }
}
