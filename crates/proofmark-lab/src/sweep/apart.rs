//! Names that tell functions of one name apart: by the source file, or by the address.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

use proofmark_code::{Image, Sources};

/// The functions of an image, with those of one name told apart.
pub(crate) struct Apart<'a> {
    image: &'a Image,
    /// Functions that share their name with another, by that name.
    shared: HashMap<String, Vec<usize>>,
    sources: OnceCell<Option<Sources>>,
}

impl<'a> Apart<'a> {
    pub(crate) fn of(image: &'a Image) -> Apart<'a> {
        let mut shared: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, function) in image.functions().iter().enumerate() {
            if function.is_named() && !function.is_piece() {
                shared.entry(function.name()).or_default().push(index);
            }
        }
        shared.retain(|_, all| all.len() > 1);
        Apart {
            image,
            shared,
            sources: OnceCell::new(),
        }
    }

    pub(crate) fn image(&self) -> &'a Image {
        self.image
    }

    /// As people call a function. One that shares its name with others has its source file behind
    /// it, or its address where debug information knows of no file, or others have it too.
    pub(crate) fn name(&self, index: usize) -> String {
        let function = &self.image.functions()[index];
        let name = function.name();
        let Some(all) = self.shared.get(&name).filter(|all| all.contains(&index)) else {
            return name;
        };
        let own = self.file(index);
        let is_alone = all.iter().filter(|other| self.file(**other) == own).count() == 1;
        match own.filter(|_| is_alone) {
            Some(file) => format!("{name} ({file})"),
            None => format!("{name} at {}", function.address()),
        }
    }

    /// Whether a function is the one that is told from others so.
    pub(super) fn is(&self, index: usize, told: &Told<'_>) -> bool {
        match told {
            Told::ByFile { file, .. } => self.file(index).as_deref() == Some(*file),
            Told::ByAddress { address, .. } => {
                self.image.functions()[index].address().get() == *address
            }
        }
    }

    /// The name of the source file that a function begins in, without its folder.
    fn file(&self, index: usize) -> Option<String> {
        let sources = self.sources.get_or_init(|| Sources::open(self.image));
        let at = self.image.functions()[index].address();
        let line = sources.as_ref()?.line(at)?;
        let name = Path::new(&line.file).file_name()?;
        Some(name.to_string_lossy().into_owned())
    }
}

/// A name with what tells it from others, as [`Apart::name`] writes it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told<'a> {
    ByFile { name: &'a str, file: &'a str },
    ByAddress { name: &'a str, address: u64 },
}

impl<'a> Told<'a> {
    /// Reads such a name; none of one that has nothing behind it.
    pub(super) fn read(text: &'a str) -> Option<Told<'a>> {
        if let Some((name, digits)) = text.rsplit_once(" at 0x") {
            let address = u64::from_str_radix(digits, 16).ok()?;
            return Some(Told::ByAddress { name, address });
        }
        let (name, file) = text.strip_suffix(')')?.rsplit_once(" (")?;
        Some(Told::ByFile { name, file })
    }

    pub(super) fn name(&self) -> &'a str {
        match self {
            Told::ByFile { name, .. } | Told::ByAddress { name, .. } => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_or_an_address_behind_a_name_is_read() {
        let file = |name, file| Some(Told::ByFile { name, file });
        let address = |name, address| Some(Told::ByAddress { name, address });
        for (text, told) in [
            ("step (b.c)", file("step", "b.c")),
            ("a::f(int) (x.cpp)", file("a::f(int)", "x.cpp")),
            (
                "(anonymous namespace)::f (x.cpp)",
                file("(anonymous namespace)::f", "x.cpp"),
            ),
            ("step at 0x4011d0", address("step", 0x40_11d0)),
            ("step at 0x", None),
            ("step at 0xgo", None),
            ("a::f(int)", None),
            ("step", None),
            ("/step (b.c)/", None),
        ] {
            assert_eq!(Told::read(text), told, "{text}");
        }
    }
}
