//! Symbolic links of a source: where each leads, and what is to stand in a copy, in which no link
//! may lead back into the original.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Where a link leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Led {
    /// It can stay as it is: to a place beside it in the source, to nothing at all, or to a device.
    Stays,
    /// Into the source by a way that leaves it: this is the same place by a way that does not.
    Inside(PathBuf),
    /// To this file outside of the source, whose content is then part of it.
    Outside(PathBuf),
}

/// A link of a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'a> {
    /// The source's folder, without links on its way.
    pub(super) folder: &'a Path,
    /// The link's name in there.
    pub(super) file: &'a Path,
    /// What it says.
    pub(super) target: &'a Path,
}

impl Link<'_> {
    /// Where it leads. One that leads to another link of the source leads to that, and not to where
    /// that one leads today: it may lead elsewhere in a revision, after a patch, or once the build
    /// has run. `holds` tells whether a place below the folder is part of the source; where it is
    /// not, what lies there in the folder counts.
    ///
    /// # Errors
    /// When it leads to a folder outside of the source, unless the source's `inputs` hold files of
    /// that.
    pub(super) fn led(
        &self,
        inputs: &[PathBuf],
        holds: impl Fn(&Path) -> bool,
    ) -> Result<Led, String> {
        let Link {
            folder,
            file,
            target,
        } = *self;
        let from = file.parent().unwrap_or(Path::new(""));
        if !target.is_absolute() && depth_kept(&from.join(target)) {
            let inside = straight(&from.join(target));
            return if holds(&inside) || inside == Path::new("") {
                Ok(Led::Stays)
            } else {
                self.followed(Led::Stays, inputs)
            };
        }
        let place = arrived(folder, &folder.join(from), target);
        let Ok(inside) = place.strip_prefix(folder) else {
            return self.outside(&place, Led::Stays, inputs);
        };
        let led = Led::Inside(relative(from, inside));
        let straight = straight(inside);
        if holds(&straight) || straight == Path::new("") {
            Ok(led)
        } else {
            self.followed(led, inputs)
        }
    }

    /// A link to what is in the folder, and no part of the source: it counts as long as it leads
    /// outside.
    fn followed(&self, led: Led, inputs: &[PathBuf]) -> Result<Led, String> {
        let from = self.file.parent().unwrap_or(Path::new(""));
        let place = self.folder.join(from).join(self.target);
        match place.canonicalize() {
            Ok(real) if !real.starts_with(self.folder) => self.outside(&real, led, inputs),
            _ => Ok(led),
        }
    }

    /// A link to this place outside; `otherwise` where that is nothing that could be copied.
    fn outside(&self, real: &Path, otherwise: Led, inputs: &[PathBuf]) -> Result<Led, String> {
        if real.is_file() {
            return Ok(Led::Outside(real.to_owned()));
        }
        if real.is_dir() && !inputs.iter().any(|input| input.starts_with(real)) {
            return Err(format!(
                "`{}` leads to the folder {}, outside of the source: make that part of the \
                 source, or name it in `inputs`",
                self.file.display(),
                real.display()
            ));
        }
        // A device, or a folder of `inputs`: by a way that does not depend on where the copy is.
        Ok(if self.target.is_absolute() || !real.exists() {
            otherwise
        } else {
            Led::Inside(real.to_owned())
        })
    }
}

/// Most links that are followed one behind the other, as the kernel has it.
const MOST_LINKS: usize = 40;

/// Where a way leads that begins in a folder of the source. Links outside of the source are
/// followed; once it is in the source it stays as it is, for what lies there is the matter of the
/// copy.
fn arrived(folder: &Path, from: &Path, target: &Path) -> PathBuf {
    let mut place = if target.is_absolute() {
        PathBuf::from("/")
    } else {
        from.to_owned()
    };
    let parts = |way: &Path| -> Vec<OsString> {
        let parts = way.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut left = parts(target);
    let mut followed = 0;
    while let Some(part) = left.pop() {
        if part == "/" {
            place = PathBuf::from("/");
        } else if part == ".." {
            place.pop();
        } else if part != "." {
            place.push(&part);
            let inside = place.starts_with(folder);
            let link = (!inside && followed < MOST_LINKS).then(|| place.read_link().ok());
            if let Some(link) = link.flatten() {
                followed += 1;
                place.pop();
                left.extend(parts(&link));
            }
        }
    }
    place
}

/// A path without `.` and `..`.
pub(super) fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                straight.pop();
            }
            Component::CurDir => {}
            part => straight.push(part),
        }
    }
    straight
}

/// Whether no part of a relative path leads above where it begins.
pub(super) fn depth_kept(path: &Path) -> bool {
    let mut depth = 0_i64;
    path.components().all(|part| {
        depth += match part {
            Component::ParentDir => -1,
            Component::Normal(_) => 1,
            _ => 0,
        };
        depth >= 0
    })
}

/// The way from one folder of the source to a place in it.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let down = to.components().skip(shared);
    let way: PathBuf = up.chain(down).collect();
    if way.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        way
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_link_leads_inside_outside_or_nowhere() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        let source = top.join("source");
        fs::create_dir_all(source.join("sub/deep")).unwrap();
        fs::create_dir_all(top.join("shared")).unwrap();
        fs::write(source.join("a.h"), "").unwrap();
        fs::write(top.join("shared/w.h"), "").unwrap();
        let led = |file: &str, target: &Path| {
            let (folder, file) = (source.as_path(), Path::new(file));
            let link = Link {
                folder,
                file,
                target,
            };
            link.led(&[], |place| place != Path::new("kept/out.h"))
        };
        let inside = |way: &str| Ok(Led::Inside(way.into()));
        assert_eq!(led("x.h", Path::new("a.h")), Ok(Led::Stays));
        assert_eq!(led("sub/x.h", Path::new("../a.h")), Ok(Led::Stays));
        assert_eq!(led("x.h", Path::new("nothing.h")), Ok(Led::Stays));
        assert_eq!(led("x.h", Path::new("/dev/null")), Ok(Led::Stays));
        assert_eq!(led("x.h", &source.join("a.h")), inside("a.h"));
        assert_eq!(
            led("sub/deep/x.h", &source.join("a.h")),
            inside("../../a.h")
        );
        assert_eq!(led("sub/x", &source.join("sub")), inside("."));
        assert_eq!(led("x.h", Path::new("../source/a.h")), inside("a.h"));
        assert_eq!(led("x.h", &source.join("later.h")), inside("later.h"));
        let shared = top.join("shared/w.h");
        assert_eq!(led("x.h", &shared), Ok(Led::Outside(shared.clone())));
        assert_eq!(
            led("x.h", Path::new("../shared/w.h")),
            Ok(Led::Outside(shared.clone()))
        );
        let refused = led("x", &top.join("shared")).unwrap_err();
        assert!(refused.contains("outside of the source"), "{refused}");
        let folder = source.as_path();
        let link = Link {
            folder,
            file: Path::new("x"),
            target: &top.join("shared"),
        };
        assert_eq!(
            link.led(std::slice::from_ref(&shared), |_| true),
            Ok(Led::Stays)
        );
        // A link to a link of the source leads to that, by whichever way, wherever that one leads.
        let link = |target: &Path, name: &Path| std::os::unix::fs::symlink(target, name).unwrap();
        link(Path::new("a.h"), &source.join("sel.h"));
        link(&shared, &source.join("away.h"));
        link(&source, &top.join("shared/back"));
        for way in ["../source/sel.h", "../shared/back/sel.h"] {
            assert_eq!(led("x.h", Path::new(way)), inside("sel.h"), "{way}");
        }
        assert_eq!(led("x.h", &source.join("away.h")), inside("away.h"));
        assert_eq!(led("x.h", Path::new("away.h")), Ok(Led::Stays));
        // What is no part of the source stands for what it leads to.
        fs::create_dir_all(source.join("kept")).unwrap();
        link(&shared, &source.join("kept/out.h"));
        for way in [Path::new("kept/out.h"), &source.join("kept/out.h")] {
            assert_eq!(led("x.h", way), Ok(Led::Outside(shared.clone())));
        }
    }
}
