//! What the capture is asked to run for a cell: its command, in the environment of its key.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use proofmark_capture::{BuildOutput, CaptureRequest, Compile, Keep, SESSION, SourceCopy};

use super::job::Job;
use super::plan::Workshop;
use crate::definition::{Replacements, expanded};
use crate::environment::cores;
use crate::toolchain::{READS, SOURCES};

impl Workshop<'_> {
    /// The build of a cell in `work`, its copy of the sources, with its output in `log`.
    pub(super) fn request(
        &self,
        job: &Job<'_>,
        name: &str,
        work: &Path,
        log: &Path,
    ) -> CaptureRequest {
        let (flags, ldflags) = self.words(job.cell);
        let cc = job.toolchain.cc.to_string_lossy();
        let cxx = job.toolchain.cxx.as_ref().unwrap_or(&job.toolchain.cc);
        let build = expanded(
            &job.source.build,
            &Replacements {
                cc: &cc,
                cxx: &cxx.to_string_lossy(),
                flags: &flags,
                ldflags: &ldflags,
                jobs: cores(),
            },
        );
        let mut env: Vec<(OsString, OsString)> = vec![
            ("CC".into(), job.toolchain.cc.clone().into()),
            ("CXX".into(), cxx.into()),
            (SOURCES.into(), work.into()),
            ("LC_ALL".into(), "C".into()),
            // A cached object does not tell what it was made from.
            ("CCACHE_DISABLE".into(), "1".into()),
            // The copy is no repository. git would find the one around it, in another state.
            (
                "GIT_CEILING_DIRECTORIES".into(),
                work.parent().unwrap_or(work).into(),
            ),
            // The capture adds to these, and not to the user's.
            ("COMPILER_PATH".into(), "".into()),
            ("CCC_OVERRIDE_OPTIONS".into(), "#".into()),
        ];
        let said = job.source.env.iter();
        env.extend(said.map(|(name, value)| (name.into(), value.into())));
        let set = env.iter().map(|(name, _)| name.as_os_str());
        let by_capture = [READS, SESSION, "DISTCC_HOSTS"].map(OsStr::new);
        let own: Vec<&OsStr> = set.chain(by_capture).collect();
        let mut command: Vec<OsString> = vec!["env".into()];
        for variable in self.environment.cleared() {
            if !own.contains(&variable) {
                command.extend(["-u".into(), variable.to_owned()]);
            }
        }
        // The log begins with the command as it was run.
        command.extend(["/bin/sh", "-xc", &build].map(OsString::from));
        CaptureRequest {
            unset: Vec::new(),
            revision: None,
            changes: None,
            not_from: None,
            name: name.to_owned(),
            command,
            followed: None,
            with: Vec::new(),
            copy: Some(SourceCopy {
                whole: self.places.around(job.key),
                folder: work.to_owned(),
                original: job.snapshot.folder.clone(),
            }),
            cwd: work.to_owned(),
            image: job.source.image.clone(),
            repeat: 1,
            pristine: false,
            compile: Compile::default(),
            allow_unseen: false,
            env,
            shim_program: self.shim_program.clone(),
            output: BuildOutput::File(log.to_owned()),
            keep: Keep::WhileUsed,
        }
    }
}
