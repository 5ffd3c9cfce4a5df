//! Each object of a link, with how it is known; or that it is not.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol, SymbolKind};
use proofmark_layout::InputKind;
use proofmark_terms::Digest;

use super::super::files::absolute;
use super::super::origin::Origin;
use super::super::run::Run;
use super::{Origins, path};
use crate::captured::{CompiledObject, Seen};
use crate::elf;
use crate::event::{Linked, LinkedInput, LinkedMember};
use crate::link::inputs::kind_of;

/// An input of a link as it is judged; its content is read once, and only when it has to be.
struct Judged<'a> {
    input: &'a LinkedInput,
    place: PathBuf,
    /// Modified since the build began.
    fresh: bool,
    blob: PathBuf,
    content: OnceCell<Vec<u8>>,
}

impl Origins {
    /// The objects of a link, but for those of the system and of the toolchain.
    pub(in super::super) fn objects(&self, link: &Linked, run: &Run) -> Vec<CompiledObject> {
        let rustc = self.rust.linking(link);
        let mut found = Vec::new();
        for input in &link.inputs {
            let place = absolute(&path(&link.cwd).join(input.given.as_ref()));
            if self.system.hold(&place) {
                continue;
            }
            let judged = Judged {
                input,
                place,
                fresh: input.modified_ns >= self.started_ns,
                blob: run.session.blob(&input.hash),
                content: OnceCell::new(),
            };
            match input.kind {
                InputKind::Object | InputKind::Bitcode | InputKind::GccLto => {
                    found.push(self.object(&judged, None, rustc.as_ref(), run));
                }
                InputKind::Archive | InputKind::ThinArchive => {
                    let members = input.members.iter().filter(|member| !is_metadata(member));
                    found.extend(
                        members.map(|member| self.object(&judged, Some(member), None, run)),
                    );
                }
                InputKind::SharedLibrary | InputKind::Script | InputKind::Other => {}
            }
        }
        found
    }

    fn object(
        &self,
        judged: &Judged<'_>,
        member: Option<&LinkedMember>,
        rustc: Option<&Origin>,
        run: &Run,
    ) -> CompiledObject {
        let hash = member.map_or(&judged.input.hash, |member| &member.hash);
        let (seen, origin) = self.origin(judged, member, hash, rustc, run);
        let mut object = CompiledObject {
            file: path(&judged.input.given),
            member: member.map(|member| member.name.as_ref().to_owned()),
            hash: hash.clone(),
            seen,
            compiler: origin.compiler,
            flags: origin.flags,
            source: origin.source,
            sections_added: origin.sections_added,
            second: origin.second,
        };
        if object.seen == Seen::Compiled {
            object.sections_added = run.session.settings().adds && object.lacks_sections();
            object.second =
                (self.seconds).second(hash, member.is_none().then_some(judged.place.as_path()));
        }
        object
    }

    /// By content first; then by place; then by what the object says of itself.
    fn origin(
        &self,
        judged: &Judged<'_>,
        member: Option<&LinkedMember>,
        hash: &Digest,
        rustc: Option<&Origin>,
        run: &Run,
    ) -> (Seen, Origin) {
        if let Some(origin) = self.by_hash.get(hash) {
            return (Seen::Compiled, origin.clone());
        }
        if self.linked.contains_key(hash) {
            return (Seen::Linked, Origin::default());
        }
        let by_place = self.by_place.get(&judged.place).filter(|_| judged.fresh);
        if let Some(origin) = by_place.or(rustc) {
            return (Seen::Compiled, origin.clone());
        }
        let content = || judged.fresh.then(|| judged.bytes(member, run)).flatten();
        let earlier = self.earlier.get(hash);
        // An assembler that does not pass by a shim writes the same bytes again.
        if earlier.is_some_and(|(_, origin)| origin.compiler.is_none())
            && content().is_some_and(|content| is_assembly(&content))
        {
            return (Seen::Assembled, Origin::default());
        }
        if let Some((capture, origin)) = earlier {
            return (
                Seen::Earlier {
                    capture: capture.clone(),
                },
                origin.clone(),
            );
        }
        self.by_content(content().as_deref()).unwrap_or_else(|| {
            (
                Seen::Unseen {
                    guess: guess(judged.fresh, content().as_deref()).to_owned(),
                },
                Origin::default(),
            )
        })
    }

    fn by_content(&self, content: Option<&[u8]>) -> Option<(Seen, Origin)> {
        let content = content?;
        let moved = source_named_in(content).and_then(|source| self.by_source.get(&source));
        if let Some(origin) = moved {
            return Some((Seen::Compiled, origin.clone()));
        }
        is_assembly(content).then(|| (Seen::Assembled, Origin::default()))
    }
}

impl Judged<'_> {
    /// The object's content, from the session or the store.
    fn bytes(&self, member: Option<&LinkedMember>, run: &Run) -> Option<Vec<u8>> {
        let Some(member) = member else {
            return fs::read(&self.blob).ok();
        };
        if self.input.kind == InputKind::ThinArchive {
            return fs::read(run.session.blob(&member.hash)).ok();
        }
        let archive = self
            .content
            .get_or_init(|| fs::read(&self.blob).unwrap_or_default());
        let parsed = ArchiveFile::parse(&**archive).ok()?;
        let mut members = parsed.members().filter_map(Result::ok);
        let found = members.find(|known| known.name() == member.name.as_bytes())?;
        found.data(&**archive).ok().map(<[u8]>::to_vec)
    }
}

fn guess(fresh: bool, content: Option<&[u8]>) -> &'static str {
    if fresh && content.is_some_and(is_of_several_sources) {
        "it was linked of several objects by `ld -r` that the build starts itself, which nobody \
         sees: let the compiler start it, as `cc -r -nostdlib -o OUT.o A.o B.o`"
    } else if fresh {
        "it appeared during the build without a compiler that was seen: from a compiler cache or a \
         compile daemon, by copying, by `ld -r` or objcopy that the build starts itself (the \
         compiler's own `-r` is seen), by a clang for which the build sets CCC_OVERRIDE_OPTIONS, \
         by one with -MJ, -gen-cdb-fragment-path or -save-temps, or by one that only assembles"
    } else {
        "it is older than this build: the tree was not clean, or it came ready-made"
    }
}

/// Members of Rust's libraries that hold no code.
fn is_metadata(member: &LinkedMember) -> bool {
    member.name.as_bytes().ends_with(b".rmeta")
}

/// Whether an object names several sources in its symbol table: then other objects were linked to
/// it.
fn is_of_several_sources(data: &[u8]) -> bool {
    let Ok(file) = object::File::parse(data) else {
        return false;
    };
    let sources = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::File);
    let named = sources.filter_map(|symbol| symbol.name_bytes().ok().map(<[u8]>::to_vec));
    named
        .filter(|name| !name.is_empty())
        .collect::<BTreeSet<_>>()
        .len()
        > 1
}

/// The source that an object names in its symbol table: an object may have been moved, its
/// compiler's note stays.
fn source_named_in(data: &[u8]) -> Option<OsString> {
    let file = object::File::parse(data).ok()?;
    let symbol = file
        .symbols()
        .find(|symbol| symbol.kind() == SymbolKind::File)?;
    let name = OsStr::from_bytes(symbol.name_bytes().ok()?);
    Some(Path::new(name).file_name()?.to_owned())
}

/// No compiler has signed it. clang's own assembler signs nothing, NASM and yasm sign with their
/// names.
fn is_assembly(data: &[u8]) -> bool {
    let assemblers = ["The Netwide Assembler", "yasm"];
    let signed = elf::comments(data);
    kind_of(data) == InputKind::Object
        && signed
            .iter()
            .all(|text| assemblers.iter().any(|name| text.starts_with(name)))
}
