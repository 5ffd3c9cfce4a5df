//! What an image is made of: its objects, those of the archives that it was linked from, and those
//! of the libraries that its build linked for it.

use std::path::PathBuf;

use proofmark_capture::{Capture, CapturedLink, CompanionKind, CompiledObject};
use proofmark_terms::Digest;

/// The compiled objects of an image and of its libraries.
pub(super) struct Parts<'a> {
    links: Vec<&'a CapturedLink>,
    /// Each once.
    pub(super) objects: Vec<&'a CompiledObject>,
}

impl<'a> Parts<'a> {
    /// Those of an image of a build. Other programs of the build are none of its parts: most of them
    /// made something, by a compiler of their own.
    pub(super) fn of(capture: &'a Capture, image: &'a CapturedLink) -> Parts<'a> {
        let is_library = |link: &&CapturedLink| {
            image.companions.iter().any(|companion| {
                let kinds = [CompanionKind::Library, CompanionKind::LinkedLibrary];
                kinds.contains(&companion.kind) && companion.hash == link.image_hash
            })
        };
        let mut links = vec![image];
        links.extend(capture.links.iter().filter(is_library));
        let mut parts = Parts {
            links,
            objects: Vec::new(),
        };
        let objects = capture.objects.iter();
        parts.objects = objects.filter(|object| parts.holds(object)).collect();
        parts
    }

    fn holds(&self, object: &CompiledObject) -> bool {
        let inputs = || self.links.iter().flat_map(|link| &link.as_built().inputs);
        let mut members = inputs().flat_map(|input| &input.members);
        inputs().any(|input| input.hash == object.hash)
            || members.any(|member| member.hash == object.hash)
            || self.archive(object).is_some()
    }

    /// The archive that an object is a member of, by its content.
    pub(super) fn archive(&self, object: &CompiledObject) -> Option<&'a Digest> {
        object.member.as_ref()?;
        let mut inputs = self.links.iter().flat_map(|link| &link.as_built().inputs);
        let archive = inputs.find(|input| input.given == object.file)?;
        Some(&archive.hash)
    }

    /// The stored files that hold the objects: objects and archives.
    pub(super) fn blobs(&self) -> Vec<PathBuf> {
        let inputs = self.links.iter().flat_map(|link| &link.as_built().inputs);
        let own = inputs.filter(|input| {
            let mut objects = self.objects.iter();
            objects.any(|object| input.hash == object.hash || input.given == object.file)
        });
        let files = own.flat_map(|input| {
            let members = input.members.iter().map(|member| member.blob.clone());
            members.chain([input.blob.clone()])
        });
        files.collect()
    }
}
