//! The names of what stands in a file: functions, those that were inlined into them, and stubs.

use std::collections::HashMap;
use std::path::Path;

use proofmark_code::{Address, Program, Sources};

/// The names of a file's code, each looked up once.
pub(super) struct Names {
    /// What the file is called in the run.
    name: String,
    program: Option<Program>,
    sources: Option<Sources>,
    known: HashMap<u64, Vec<String>>,
    /// The name of what has no other.
    unknown: Vec<String>,
}

impl Names {
    /// Of a file of the run that can be read from here. What cannot be read has the file's name
    /// for all of it.
    pub(super) fn open(path: &Path, file: &Path) -> Names {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let program = Program::open(file).ok();
        let image = program
            .as_ref()
            .and_then(|program| program.images().first());
        Names {
            sources: image.and_then(Sources::open),
            unknown: vec![format!("[{name}]")],
            name,
            program,
            known: HashMap::new(),
        }
    }

    /// The names at an address as linked: the function, and then what was inlined there.
    pub(super) fn of(&mut self, address: Option<u64>) -> &[String] {
        let Some(address) = address else {
            return &self.unknown;
        };
        if !self.known.contains_key(&address) {
            let names = self.look(address).unwrap_or_else(|| self.unknown.clone());
            self.known.insert(address, names);
        }
        self.known
            .get(&address)
            .map_or(&self.unknown, |names| names)
    }

    fn look(&self, address: u64) -> Option<Vec<String>> {
        let image = self.program.as_ref()?.images().first()?;
        let at = Address::new(address);
        let Some(index) = image.function_covering(at) else {
            // A stub of the dynamic linker has several instructions.
            return image.name_at(at).map(|name| vec![format!("{name} [stub]")]);
        };
        let function = &image.functions()[image.whole(index)];
        let mut names = vec![if function.is_named() {
            function.name()
        } else {
            format!("{} [{}]", function.name(), self.name)
        }];
        let inlined = self.sources.as_ref().map(|sources| sources.inlined_at(at));
        let inlined = inlined.into_iter().flatten().rev();
        names.extend(inlined.map(|name| format!("{name} [inlined]")));
        Some(names)
    }

    /// Whether it is the library that begins programs and threads: the C library or the dynamic
    /// linker.
    pub(super) fn begins_threads(&self) -> bool {
        let starts = [
            "libc.so",
            "libc-",
            "libpthread",
            "ld-linux",
            "ld-musl",
            "ld-2",
        ];
        starts.iter().any(|start| self.name.starts_with(start))
    }
}
