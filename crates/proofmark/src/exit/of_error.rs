//! How the command ends when an error of one of the rooms ends it.

use proofmark_capture::BuildError;
use proofmark_capture::states::RevisionError;
use proofmark_code::CodeError;
use proofmark_conclude::ConcludeError;
use proofmark_evidence::StoreError;
use proofmark_evidence::bundle::BundleError;
use proofmark_foreign::ForeignError;
use proofmark_lab::LabError;
use proofmark_layout::LayoutError;
use proofmark_measure::MeasureError;
use proofmark_tune::TuneError;

use super::Exit;

impl Exit {
    pub(super) fn of_lab(error: &LabError) -> Self {
        match error.cause() {
            LabError::Refused(_) | LabError::Budget(_) => Exit::Usage,
            LabError::Gated(_) => Exit::Failed,
            LabError::NoProgram(_)
            | LabError::Run(_)
            | LabError::OutputDiffers { .. }
            | LabError::OfAddress { .. }
            | LabError::Metric { .. }
            | LabError::Filter { .. }
            | LabError::Libraries { .. }
            | LabError::OfOneBuild { .. }
            | LabError::GoneWithCopy { .. }
            | LabError::NeverInCopy { .. }
            | LabError::OfOriginal { .. }
            | LabError::Judge { .. }
            | LabError::Gate { .. }
            | LabError::Prepare { .. } => Exit::Subject,
            LabError::ImageChanged { .. } | LabError::InputChanged { .. } => Exit::Damaged,
            LabError::Interrupted => Exit::Interrupted,
            LabError::Build(error) => Exit::of_build(error),
            LabError::Store(error) => Exit::of_store(error),
            LabError::Measure(error) => Exit::of_measure(error),
            LabError::Conclude(error) => Exit::of_conclusion(error),
            LabError::Layout(error) => Exit::of_layout(error),
            LabError::Fault(_)
            | LabError::OfBuild { .. }
            | LabError::OfMatrix { .. }
            | LabError::Beside(_)
            | LabError::File { .. } => Exit::Machine,
        }
    }

    pub(super) fn of_revision(error: &RevisionError) -> Self {
        match error {
            RevisionError::NoRepository { .. }
            | RevisionError::NoRevision { .. }
            | RevisionError::NotThere { .. }
            | RevisionError::NotInShallow { .. }
            | RevisionError::Ambiguous { .. }
            | RevisionError::NotOf { .. }
            | RevisionError::NoBase { .. }
            | RevisionError::OneCommit { .. }
            | RevisionError::WrongWayRound { .. }
            | RevisionError::NoAncestor { .. }
            | RevisionError::NoFirstParent { .. }
            | RevisionError::NamesWorkTree { .. } => Exit::Usage,
            RevisionError::Damaged { .. } => Exit::Damaged,
            RevisionError::NoGit(_)
            | RevisionError::Git { .. }
            | RevisionError::NoMercurial(_)
            | RevisionError::Mercurial { .. }
            | RevisionError::Subrepositories { .. }
            | RevisionError::Secret { .. }
            | RevisionError::Shallow { .. }
            | RevisionError::Partial { .. }
            | RevisionError::Submodule { .. }
            | RevisionError::SubmoduleChanged { .. }
            | RevisionError::RepositoryInside { .. }
            | RevisionError::Lfs { .. }
            | RevisionError::LfsOfSource { .. }
            | RevisionError::Filter { .. }
            | RevisionError::FilterOfSource { .. }
            | RevisionError::Patch { .. }
            | RevisionError::NoPlace { .. }
            | RevisionError::RustupOverride { .. }
            | RevisionError::Busy { .. }
            | RevisionError::File { .. } => Exit::Machine,
        }
    }

    pub(super) fn of_code(error: &CodeError) -> Self {
        match error {
            CodeError::Read { .. } => Exit::Usage,
            CodeError::Damaged { .. } | CodeError::Unsupported { .. } => Exit::Damaged,
        }
    }

    pub(super) fn of_foreign(error: &ForeignError) -> Self {
        match error {
            ForeignError::File { .. }
            | ForeignError::Unknown { .. }
            | ForeignError::Empty { .. } => Exit::Usage,
            ForeignError::Damaged { .. } => Exit::Damaged,
        }
    }

    pub(super) fn of_conclusion(error: &ConcludeError) -> Self {
        match error {
            ConcludeError::Design(_) | ConcludeError::TooFew { .. } => Exit::Usage,
            ConcludeError::Damaged { .. } => Exit::Damaged,
        }
    }

    pub(super) fn of_layout(error: &LayoutError) -> Self {
        match error {
            LayoutError::Object { .. } | LayoutError::Image { .. } => Exit::Damaged,
            LayoutError::CannotPlace { .. } | LayoutError::Inside { .. } => Exit::Usage,
            LayoutError::File { .. }
            | LayoutError::Assembler { .. }
            | LayoutError::RelativeFolder { .. }
            | LayoutError::Outside { .. }
            | LayoutError::NotCaptured { .. }
            | LayoutError::LinkerMissing { .. }
            | LayoutError::LinkFailed { .. }
            | LayoutError::Unsupported { .. }
            | LayoutError::NotArranged { .. }
            | LayoutError::LinkersDiffer { .. }
            | LayoutError::PromiseBroken { .. }
            | LayoutError::Unfaithful { .. }
            | LayoutError::DrawTooLong { .. }
            | LayoutError::NoSuchBuild { .. } => Exit::Machine,
        }
    }

    pub(super) fn of_measure(error: &MeasureError) -> Self {
        match error {
            MeasureError::Interrupted => Exit::Interrupted,
            MeasureError::NotFound { .. }
            | MeasureError::NotExecutable { .. }
            | MeasureError::NotAFile { .. }
            | MeasureError::NoInterpreter { .. }
            | MeasureError::NotAProgram { .. }
            | MeasureError::Folder { .. }
            | MeasureError::Stdin { .. }
            | MeasureError::StdinOnce { .. }
            | MeasureError::TooMuchOutput { .. } => Exit::Subject,
            MeasureError::TooLong { .. } | MeasureError::BadText(_) => Exit::Usage,
            MeasureError::Replaced { .. } => Exit::Damaged,
            MeasureError::Busy { .. }
            | MeasureError::Core { .. }
            | MeasureError::BadTurns(_)
            | MeasureError::LauncherLost
            | MeasureError::Untaxed { .. }
            | MeasureError::Heap(_)
            | MeasureError::NoView { .. }
            | MeasureError::System { .. } => Exit::Machine,
        }
    }

    pub(super) fn of_build(error: &BuildError) -> Self {
        match error {
            BuildError::BadName { .. }
            | BuildError::NoSuchBuild { .. }
            | BuildError::NoCommand
            | BuildError::NoSuchImage { .. }
            | BuildError::SeveralImages { .. }
            | BuildError::WhichImage { .. } => Exit::Usage,
            BuildError::Damaged { .. }
            | BuildError::Newer { .. }
            | BuildError::Older { .. }
            | BuildError::Lost { .. } => Exit::Damaged,
            BuildError::File { .. }
            | BuildError::NoRoom { .. }
            | BuildError::Busy { .. }
            | BuildError::LeadsOut { .. }
            | BuildError::Recording { .. } => Exit::Machine,
            BuildError::Layout(error) => Exit::of_layout(error),
            BuildError::Stopped { .. } => Exit::Interrupted,
            BuildError::TakenFromWorkTree { .. }
            | BuildError::CannotStart { .. }
            | BuildError::BuildFailed { .. }
            | BuildError::NothingLinked { .. }
            | BuildError::NotThere { .. }
            | BuildError::NotRepeated { .. }
            | BuildError::NothingLeft { .. }
            | BuildError::Bypassed { .. }
            | BuildError::ImageMissing { .. }
            | BuildError::ImageOld { .. }
            | BuildError::NotAnImage { .. }
            | BuildError::EditedCopy { .. }
            | BuildError::Unseen { .. } => Exit::Subject,
        }
    }

    pub(super) fn of_tune(error: &TuneError) -> Self {
        match error {
            TuneError::Untrusted { .. } | TuneError::Damaged { .. } | TuneError::Newer { .. } => {
                Exit::Damaged
            }
            TuneError::NotRoot
            | TuneError::Busy { .. }
            | TuneError::Tuned
            | TuneError::File { .. } => Exit::Machine,
        }
    }

    pub(super) fn of_store(error: &StoreError) -> Self {
        match error {
            StoreError::Foreign { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Damaged { .. }
            | StoreError::DamagedRecord { .. } => Exit::Damaged,
            StoreError::NoStore { .. }
            | StoreError::Neither { .. }
            | StoreError::NoSuchExperiment { .. }
            | StoreError::NoSuchMatrix { .. }
            | StoreError::NoSuchSweep { .. }
            | StoreError::NoSuchBisect { .. }
            | StoreError::NoSuchAttribution { .. }
            | StoreError::NoSuchExplanation { .. }
            | StoreError::NoSuchSeries { .. }
            | StoreError::NoSuchLedger { .. }
            | StoreError::Ambiguous { .. } => Exit::Usage,
            StoreError::Full { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Busy { .. }
            | StoreError::Io { .. }
            | StoreError::Held { .. }
            | StoreError::BegunBefore { .. }
            | StoreError::Refused { .. }
            | StoreError::Unexpected { .. } => Exit::Machine,
            StoreError::Bundle(error) => Exit::of_bundle(error),
        }
    }

    pub(super) fn of_bundle(error: &BundleError) -> Self {
        match error {
            BundleError::Store(error) => Exit::of_store(error),
            BundleError::NoSuch { .. } | BundleError::Ambiguous { .. } => Exit::Usage,
            BundleError::Secrets { .. } => Exit::Failed,
            BundleError::Unwritten { .. } | BundleError::Unread { .. } => Exit::Machine,
            BundleError::Damaged { .. }
            | BundleError::NotEnclosed { .. }
            | BundleError::TooLarge { .. }
            | BundleError::Newer { .. } => Exit::Damaged,
        }
    }
}
