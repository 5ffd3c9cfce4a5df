//! What a file is, when the kernel would not run it, and what to say before it does.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::MeasureError;

/// What a file that is to be run looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// An ELF file.
    Elf,
    /// A script, and the interpreter that its first line names.
    Script(String),
    /// Nothing that a kernel runs; a few words on what it is.
    Other(String),
}

/// A file that is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// By its first bytes.
    pub form: Form,
    /// Whether it changes user or group when it starts: such a program drops the environment's
    /// `LD_*` and cannot be ended by everybody.
    pub set_id: bool,
}

/// Looks at a file without running it.
///
/// # Errors
/// When there is no such file, when it is not a regular file, not executable for anybody, or cannot
/// be read.
pub fn look_at(program: &Path) -> Result<Program, MeasureError> {
    let metadata = std::fs::metadata(program).map_err(|source| unreadable(program, source))?;
    if !metadata.is_file() {
        return Err(MeasureError::NotAFile {
            program: program.into(),
        });
    }
    if metadata.mode() & 0o111 == 0 {
        return Err(MeasureError::NotExecutable {
            program: program.into(),
        });
    }
    Ok(Program {
        form: form(program)?,
        set_id: set_id(&metadata),
    })
}

fn set_id(metadata: &Metadata) -> bool {
    metadata.mode() & 0o6000 != 0
}

fn unreadable(program: &Path, source: std::io::Error) -> MeasureError {
    match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            MeasureError::NotFound {
                program: program.into(),
            }
        }
        std::io::ErrorKind::PermissionDenied => MeasureError::NotExecutable {
            program: program.into(),
        },
        _ => MeasureError::system(format!("cannot read {}", program.display()))(source),
    }
}

fn form(program: &Path) -> Result<Form, MeasureError> {
    let mut start = Vec::new();
    let read = File::open(program).and_then(|file| file.take(256).read_to_end(&mut start));
    if let Err(source) = read {
        // A file may be run without being readable.
        return if source.kind() == std::io::ErrorKind::PermissionDenied {
            Ok(Form::Elf)
        } else {
            Err(unreadable(program, source))
        };
    }
    Ok(form_of(&start))
}

fn form_of(start: &[u8]) -> Form {
    if start.starts_with(b"\x7fELF") {
        return Form::Elf;
    }
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        return Form::Script(
            line.split_ascii_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    Form::Other(
        match start {
            [] => "it is empty",
            [b'!', b'<', b'a', b'r', ..] => "it is an archive of objects",
            [b'M', b'Z', ..] => "it is a program for Windows",
            [0xcf, 0xfa, 0xed, 0xfe, ..] => "it is a program for macOS",
            _ => "it does not start as an ELF file does",
        }
        .to_owned(),
    )
}

/// Why the kernel refused to run `program`, by its error number and the file itself.
pub(crate) fn refusal(program: &Path, errno: i32) -> MeasureError {
    let owned = program.to_path_buf();
    match errno {
        libc::ENOENT | libc::ENOTDIR | libc::ELOOP => match look_at(program) {
            Ok(Program {
                form: Form::Script(interpreter),
                ..
            }) => MeasureError::NoInterpreter {
                program: owned,
                interpreter,
            },
            Ok(_) => MeasureError::NoInterpreter {
                program: owned,
                interpreter: "(the loader that the ELF file names)".to_owned(),
            },
            Err(error) => error,
        },
        libc::EACCES | libc::EPERM => look_at(program)
            .err()
            .unwrap_or(MeasureError::NotExecutable { program: owned }),
        libc::ENOEXEC | libc::EINVAL | libc::ELIBBAD => {
            let what = match look_at(program) {
                Ok(Program {
                    form: Form::Other(what),
                    ..
                }) => what,
                Ok(Program {
                    form: Form::Elf, ..
                }) => "an ELF file that is damaged or for another processor".to_owned(),
                Ok(Program {
                    form: Form::Script(_),
                    ..
                }) => "a script whose interpreter is not executable itself".to_owned(),
                Err(error) => return error,
            };
            MeasureError::NotAProgram {
                program: owned,
                what,
            }
        }
        libc::ETXTBSY => MeasureError::Busy { program: owned },
        _ => MeasureError::system(format!("cannot run {}", program.display()))(
            std::io::Error::from_raw_os_error(errno),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_their_first_bytes() {
        assert_eq!(form_of(b"\x7fELF\x02"), Form::Elf);
        assert_eq!(
            form_of(b"#! /bin/sh -e\nexit"),
            Form::Script("/bin/sh".into())
        );
        assert_eq!(form_of(b"#!"), Form::Script(String::new()));
        assert_eq!(form_of(b""), Form::Other("it is empty".into()));
        assert_eq!(
            form_of(b"!<arch>\n"),
            Form::Other("it is an archive of objects".into())
        );
    }
}
