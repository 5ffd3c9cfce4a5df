//! Symbolic links of a source: where each leads, and what is to stand in a copy, in which no link
//! may lead back into the original.

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

/// Where a link of the source in `folder` leads. `file` is its name in there.
///
/// # Errors
/// When it leads to a folder outside of the source, unless the source's `inputs` hold files of
/// that.
pub(super) fn led(
    folder: &Path,
    file: &Path,
    target: &Path,
    inputs: &[PathBuf],
) -> Result<Led, String> {
    let from = file.parent().unwrap_or(Path::new(""));
    let stays_inside = !target.is_absolute() && depth_kept(&from.join(target));
    let place = folder.join(from).join(target);
    let Ok(real) = place.canonicalize() else {
        // It leads to nothing. What it would lead to in the original, a copy must not find there.
        return Ok(match place.strip_prefix(folder) {
            Ok(inside) if target.is_absolute() => Led::Inside(relative(from, inside)),
            _ => Led::Stays,
        });
    };
    if let Ok(inside) = real.strip_prefix(folder) {
        return Ok(if stays_inside {
            Led::Stays
        } else {
            Led::Inside(relative(from, inside))
        });
    }
    if real.is_file() {
        return Ok(Led::Outside(real));
    }
    if real.is_dir() && !inputs.iter().any(|input| input.starts_with(&real)) {
        return Err(format!(
            "`{}` leads to the folder {}, outside of the source: make that part of the source, or name it in `inputs`",
            file.display(),
            real.display()
        ));
    }
    // A device, or a folder of `inputs`: by a way that does not depend on where the copy is.
    Ok(if target.is_absolute() {
        Led::Stays
    } else {
        Led::Inside(real)
    })
}

/// Whether no part of a relative path leads above where it begins.
fn depth_kept(path: &Path) -> bool {
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
        let led = |file: &str, target: &Path| led(&source, Path::new(file), target, &[]);
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
        let allowed = super::led(&source, Path::new("x"), &top.join("shared"), &[shared]);
        assert_eq!(allowed, Ok(Led::Stays));
    }
}
