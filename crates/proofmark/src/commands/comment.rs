//! `report --format comment`: what a bot posts on a pull request, with the digest of the bundle
//! that others check. Nothing private is in it, whatever the store holds.

use clap::Args;
use proofmark_conclude::ledger::budget_of;
use proofmark_conclude::members_warned_of;
use proofmark_evidence::bundle::{Content, Packed, Packing};
use proofmark_evidence::{ChainSort, Store};
use proofmark_hint::hint;
use proofmark_lab::MatrixUnderWay;
use proofmark_report::comment::EvidenceFile;
use proofmark_report::ledger::LedgerView;
use proofmark_report::matrix::MatrixView;
use proofmark_report::{experiment, ledger, matrix};

use super::in_bundle;
use crate::arguments::FormatArg;
use crate::console;
use crate::context::Context;
use crate::exit::Usage;

/// What a comment says beside the result.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Comment")]
pub(crate) struct CommentArgs {
    /// Where others get the bundle: an address that the comment links to
    #[arg(long, value_name = "URL", value_parser = address)]
    link: Option<String>,

    /// What a bot finds the comment by, where the names of the builds change from push to push
    /// [default: the builds and the benchmark]
    #[arg(long, value_name = "NAME")]
    marker: Option<String>,
}

impl CommentArgs {
    /// Refuses what would be ignored.
    pub(crate) fn check(&self, format: FormatArg) -> Result<(), Usage> {
        if format == FormatArg::Comment || (self.link.is_none() && self.marker.is_none()) {
            return Ok(());
        }
        Err(Usage(
            "`--link` and `--marker` are for `--format comment`".to_owned(),
        ))
    }
}

/// An address that stands in Markdown as it is.
fn address(text: &str) -> Result<String, String> {
    let begins = ["https://", "http://"]
        .iter()
        .any(|begin| text.starts_with(begin));
    let plain = |letter: char| letter.is_ascii_graphic() && !"<>\"\\`()[]|".contains(letter);
    if begins && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("an address of http or https, without spaces, quotes or brackets".to_owned())
}

/// Prints the comment on what `asked` means: an experiment, a matrix or a ledger; of a bundle, by
/// default what it was made of.
pub(crate) fn print(
    asked: Option<&str>,
    args: &CommentArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let store = Store::open(&context.folder)?.without_private_parts();
    let is_bundle = context.folder.is_file();
    let content = is_bundle
        .then(|| Content::read(&context.folder))
        .transpose()?;
    let asked = match (asked, &content) {
        (Some(asked), _) => asked.to_owned(),
        (None, Some(content)) => in_bundle::only(content)?,
        (None, None) => "latest".to_owned(),
    };
    let bundled = store.bundled(&[asked])?;
    let Some(chain) = bundled.chains.iter().find(|chain| chain.asked) else {
        return Ok(());
    };
    let short: String = chain.id.as_str().chars().take(12).collect();
    let (name, digest) = match &content {
        Some(content) => {
            let name = context.folder.file_name().unwrap_or_default();
            (name.to_string_lossy().into_owned(), content.digest())
        }
        None => {
            let made_by = env!("CARGO_PKG_VERSION");
            let packed = Packed::new(&store, &bundled, Packing::default(), made_by)?;
            (format!("{short}.pmb"), packed.digest())
        }
    };
    let file = EvidenceFile {
        name,
        digest: digest.to_string(),
        link: args.link.clone(),
        marker: args.marker.clone(),
    };
    let text = text(&store, chain.sort, chain.id.as_str(), &file)?;
    if content.is_none() {
        let make = hint("bundle", &[&short, "-o", &file.name]);
        console::say(&format!(
            "proofmark: {make} makes the file that the comment names; put it where readers get it \
             (a release, an artifact, a gist), and name that place with `--link`"
        ));
    }
    console::print(&text)
}

fn text(store: &Store, sort: ChainSort, id: &str, file: &EvidenceFile) -> anyhow::Result<String> {
    let unfinished =
        || Usage("it has no answer yet: the same command that began it goes on with it".to_owned());
    match sort {
        ChainSort::Experiment => {
            let recorded = store.load(id)?;
            Ok(experiment::comment(&recorded, file).ok_or_else(unfinished)?)
        }
        ChainSort::Matrix => {
            let recorded = MatrixUnderWay::load(store.load_matrix(id)?, store)?;
            let conclusion = recorded.conclusion.as_ref().ok_or_else(unfinished)?;
            let members = recorded.members.iter();
            Ok(matrix::comment(
                &MatrixView {
                    id: &recorded.id,
                    run: &recorded.run,
                    experiments: members.map(|one| &one.under_way.experiment).collect(),
                    conclusion,
                    warned: &members_warned_of(&recorded.evidence(), conclusion)?,
                    private: recorded.private,
                },
                file,
            ))
        }
        ChainSort::Ledger => {
            let book = store.load_ledger(id)?;
            let budget = budget_of(book.ledger.rate, &book.entries)?;
            let view = LedgerView {
                recorded: &book,
                left: budget.left(),
                next_level: budget.next_level(),
                asked: budget.asked(),
                findings: budget.findings(),
            };
            Ok(ledger::comment(&view, file).ok_or_else(unfinished)?)
        }
        ChainSort::Sweep
        | ChainSort::Bisect
        | ChainSort::Attribution
        | ChainSort::Series
        | ChainSort::Explanation => Err(Usage(
            "a comment is made of a comparison, a null test, a matrix or a ledger".to_owned(),
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_end_the_link_that_it_stands_in() {
        assert!(address("https://example.org/a.pmb?raw=1#x").is_ok());
        for bad in [
            "file:///etc",
            "https://a>b",
            "https://a b",
            "https://a)",
            "javascript:x",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
