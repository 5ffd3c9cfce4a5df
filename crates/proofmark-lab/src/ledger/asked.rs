//! A plan and what was made of it, as the evidence records it.

use proofmark_evidence::record::{
    LedgerAsked, LedgerBenchmark, LedgerBuild, LedgerGroup, LedgerIdea, LedgerPlace, LedgerStack,
    TreeChange, benchmark_name,
};
use proofmark_project::{
    BuildOutcome, BuiltCell, Idea, LedgerPlan, PlannedIdea, PlannedStack, Project,
};
use proofmark_terms::{CellIndex, Digest};
use serde_json::json;

use crate::builds::{Subject, content};
use crate::error::LabError;
use crate::matrix::{MatrixRequest, MemberRequest};

/// What is asked of the builds of a plan. `built` are its cells, and `request` the matrix of those
/// that have a build.
pub(super) fn asked(
    project: &Project,
    plan: &LedgerPlan,
    built: &[BuiltCell],
    request: &MatrixRequest,
) -> Result<LedgerAsked, LabError> {
    let gates = &request.asked.gates;
    let of = Asking {
        project,
        plan,
        request,
    };
    let names = |ideas: &[usize]| ideas.iter().map(|at| of.idea(*at).name.clone()).collect();
    let builds = plan.builds.iter().map(|build| {
        let made = built.iter().find(|cell| cell.cell.name == build.name);
        let why = made.and_then(|cell| match &cell.outcome {
            BuildOutcome::Failed(failure) => Some(failure.why.clone()),
            BuildOutcome::Made(_) => None,
        });
        LedgerBuild {
            name: build.name.clone(),
            ideas: names(&build.ideas),
            cell: of.cell(&build.name),
            why,
            gates: gates
                .iter()
                .filter(|gate| gate.cell == build.name)
                .cloned()
                .collect(),
            files: of.files(&build.name),
        }
    });
    let ideas = plan.ideas.iter().map(|planned| {
        let idea = of.idea(planned.idea);
        of.refuse_same(planned)?;
        Ok(LedgerIdea {
            name: idea.name.clone(),
            hypothesis: idea.definition.hypothesis.clone(),
            on: names(&idea.below),
            expected: idea.definition.expected,
            change: of.change(planned.against, planned.with)?,
            with: number(planned.with),
            against: number(planned.against),
        })
    });
    Ok(LedgerAsked {
        builds: builds.collect(),
        benchmarks: benchmarks(request),
        groups: groups(project),
        ideas: ideas.collect::<Result<_, LabError>>()?,
        stacks: (plan.stacks.iter())
            .map(|stack| of.stack(stack))
            .collect::<Result<_, LabError>>()?,
    })
}

struct Asking<'a> {
    project: &'a Project,
    plan: &'a LedgerPlan,
    request: &'a MatrixRequest,
}

impl Asking<'_> {
    fn idea(&self, at: usize) -> &Idea {
        &self.project.ideas.all[at]
    }

    fn cell(&self, name: &str) -> Option<CellIndex> {
        let mut subjects = self.request.subjects.iter();
        subjects
            .position(|subject| subject.name == name)
            .map(CellIndex::at)
    }

    /// The build of this name, where it is measured.
    fn subject(&self, name: &str) -> Option<&Subject> {
        let mut subjects = self.request.subjects.iter();
        subjects.find(|subject| subject.name == name)
    }

    /// In which files that its runs read a build differs from base.
    fn files(&self, name: &str) -> Vec<TreeChange> {
        let tree = self.subject(name).and_then(|subject| subject.record().tree);
        tree.map_or_else(Vec::new, |tree| tree.changes)
    }

    /// Refuses an idea whose folder holds what is there without it: it would be asked about for
    /// nothing.
    fn refuse_same(&self, planned: &PlannedIdea) -> Result<(), LabError> {
        let idea = self.idea(planned.idea);
        let Some(folder) = &idea.definition.tree else {
            return Ok(());
        };
        let content = |place: usize| {
            let name = &self.plan.builds.get(place)?.name;
            self.subject(name).map(content)
        };
        let with = content(planned.with);
        if with.is_none() || with != content(planned.against) {
            return Ok(());
        }
        Err(LabError::Refused(format!(
            "idea `{}` changes nothing: the files of its `tree`, {}, are those that runs read \
             without it\n  next: change a file there, or leave the idea out",
            idea.name,
            folder.display()
        )))
    }

    fn stack(&self, of: &PlannedStack) -> Result<LedgerStack, LabError> {
        let place = |idea: usize| self.plan.ideas.iter().position(|one| one.idea == idea);
        let places = of.places.iter().map(|planned| LedgerPlace {
            idea: number(place(planned.idea).unwrap_or(usize::MAX)),
            with: number(planned.with),
            below: number(planned.below),
            without: number(planned.without),
            gone_too: planned
                .gone_too
                .iter()
                .map(|at| self.idea(*at).name.clone())
                .collect(),
        });
        Ok(LedgerStack {
            name: of.name.clone(),
            change: self.change(0, of.full)?,
            full: number(of.full),
            places: places.collect(),
        })
    }

    /// What becomes of which build, by what both are, and on which benchmarks. A patch or a
    /// revision may have several names, and a name may come to stand for another one: names do not
    /// say what is asked.
    fn change(&self, from: usize, to: usize) -> Result<Option<Digest>, LabError> {
        let content = |build: usize| {
            let name = &self.plan.builds.get(build)?.name;
            self.subject(name).map(content)
        };
        let (Some(from), Some(to)) = (content(from), content(to)) else {
            return Ok(None);
        };
        // A guard is no part of the question.
        let members = self.request.members.iter();
        let members = members.filter(|member| guard(self.request, member).is_none());
        let benchmarks = members.map(|member| json!([member.size, member.benchmark]));
        let benchmarks: Vec<serde_json::Value> = benchmarks.collect();
        let digest = crate::experiment::digest(&json!([from, to, benchmarks]))?;
        let fault = |error| LabError::Fault(format!("a digest is none: {error}"));
        digest.parse().map(Some).map_err(fault)
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn benchmarks(request: &MatrixRequest) -> Vec<LedgerBenchmark> {
    let members = request.members.iter();
    let named = members.map(|member| LedgerBenchmark {
        name: benchmark_name(&member.name, member.size.as_ref()),
        metric: member.benchmark.metric.clone(),
        guard: guard(request, member),
    });
    named.collect()
}

/// By how much it may be worse on a benchmark that is a guard.
fn guard(request: &MatrixRequest, member: &MemberRequest) -> Option<f64> {
    let mut guards = request.asked.guards.iter();
    let guard = guards.find(|guard| guard.benchmark == member.name)?;
    Some(guard.most)
}

/// Groups of benchmarks, in the order in which the file names them first.
fn groups(project: &Project) -> Vec<LedgerGroup> {
    let mut groups: Vec<LedgerGroup> = Vec::new();
    for (name, benchmark) in &project.benchmarks {
        let Some(group) = &benchmark.group else {
            continue;
        };
        match groups.iter_mut().find(|known| known.name == *group) {
            Some(known) => known.benchmarks.push(name.clone()),
            None => groups.push(LedgerGroup {
                name: group.clone(),
                benchmarks: vec![name.clone()],
            }),
        }
    }
    groups
}
